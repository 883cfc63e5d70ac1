/**
 * A server under test: a process of its own that is asked over TCP and measured through Linux's /proc.
 *
 * @module
 */
import { freePort } from "../../tests/free_port.ts";
import { cpuSecondsOf, memoryOf } from "../proc.ts";

/** A running server. */
export interface Server {
  port: number;
  /** Seconds from the start of the process until it answered 200. */
  startSeconds: number;
  /** The CPU time of the process so far, in seconds: user and system. */
  cpuSeconds(): number;
  /** The present memory of the process (resident set size), in MB of 1,000,000 bytes. */
  memoryMegabytes(): number;
  /** The largest memory of the process since its start, in MB of 1,000,000 bytes. */
  peakMegabytes(): number;
  stop(): Promise<void>;
}

/** How a server is started. */
export interface ServerOptions {
  /** The path of the requests that are sent until the server answers 200. */
  path?: string;
  /** The file for the server's standard output. Default: the output is discarded. */
  log?: string;
  /** Seconds to wait for the first 200. */
  patience?: number;
}

/** Returns the command that starts a server on a port. */
export type CommandLine = (port: number) => readonly string[];

const running = new Set<Deno.ChildProcess>();
addEventListener("unload", () => running.forEach((child) => child.kill("SIGKILL")));

/**
 * Starts a server and waits for its first 200.
 *
 * @throws {Error} If it ends or doesn't answer in time.
 */
export async function startServer(commandLine: CommandLine, options: ServerOptions = {}): Promise<Server> {
  const { path = "/", log, patience = 60 } = options;
  const port = freePort();
  const words = commandLine(port);
  const [program = "", ...args] = log === undefined ? words : ["sh", "-c", 'exec "$@" >"$0"', log, ...words];
  const begin = performance.now();
  const child = new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "null" }).spawn();
  running.add(child);
  let ended = false;
  const end = child.status.then(() => {
    ended = true;
    running.delete(child);
  });

  while (!await answers200(port, path)) {
    if (ended) throw new Error(`The server ended before it answered: ${words.join(" ")}`);
    if (performance.now() - begin > patience * 1000) {
      child.kill("SIGKILL");
      throw new Error(`No 200 from ${path} within ${patience} s: ${words.join(" ")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const startSeconds = (performance.now() - begin) / 1000;

  return {
    port,
    startSeconds,
    cpuSeconds: () => cpuSecondsOf(child.pid),
    memoryMegabytes: () => memoryOf(child.pid).now,
    peakMegabytes: () => memoryOf(child.pid).most,
    async stop() {
      if (!ended) child.kill("SIGTERM");
      await end;
    },
  };
}

async function answers200(port: number, path: string): Promise<boolean> {
  try {
    return await askOnce(port, path) === 200;
  } catch {
    // Not listening yet.
    return false;
  }
}

/** Sends a request over a new connection, which is cheaper than starting a client. Returns the status code. */
async function askOnce(port: number, path: string): Promise<number> {
  using connection = await Deno.connect({ port, hostname: "127.0.0.1" });
  await connection.write(
    new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`),
  );
  const start = new Uint8Array(64);
  const length = await connection.read(start) ?? 0;
  return Number(new TextDecoder().decode(start.subarray(0, length)).split(" ")[1]);
}
