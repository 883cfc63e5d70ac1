import type { Server } from "./server.ts";

/** The requests that wrk sends repeatedly. */
export interface Load {
  path: string;
  /** Request headers, as pairs of name and value. */
  headers?: readonly [string, string][];
  /** A file with a wrk script (Lua) that makes the requests. Default: every request is for `path`. */
  script?: string;
  seconds: number;
}

/** The figures of one run of wrk. */
export interface Outcome {
  requests: number;
  requestsPerSecond: number;
  /** The number of responses outside 2xx and 3xx, and of broken connections. */
  failures: number;
  /** CPU time of the server per request, in microseconds. */
  cpuMicroseconds: number;
}

/**
 * Sends load to a server with wrk: one thread, 32 connections.
 *
 * @throws {Error} If wrk is missing, or its report can't be parsed.
 */
export async function load(server: Server, { path, headers = [], script, seconds }: Load): Promise<Outcome> {
  const url = `http://127.0.0.1:${server.port}${path}`;
  const options = [
    ...headers.flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    ...(script === undefined ? [] : ["-s", script]),
  ];
  const before = server.cpuSeconds();
  const report = await wrk(["-t1", "-c32", `-d${seconds}s`, ...options, url]);
  const used = server.cpuSeconds() - before;

  const requests = Number(/(\d+) requests in/.exec(report)?.[1]);
  const requestsPerSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]);
  if (!(requests > 0)) throw new Error(`No request was answered at ${url}:\n${report}`);
  return { requests, requestsPerSecond, failures: failuresIn(report), cpuMicroseconds: used / requests * 1e6 };
}

function failuresIn(report: string): number {
  const responses = Number(/Non-2xx or 3xx responses: (\d+)/.exec(report)?.[1] ?? 0);
  const socketErrors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(report) ?? [];
  return socketErrors.slice(1).reduce((sum, count) => sum + Number(count), responses);
}

async function wrk(args: string[]): Promise<string> {
  try {
    const { stdout, stderr, success } = await new Deno.Command("wrk", { args, stdin: "null" }).output();
    if (!success) throw new Error(`wrk failed: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(
      "wrk, which makes the load, is not installed: apt-get install wrk",
    );
  }
}
