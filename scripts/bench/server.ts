/**
 * A server that is measured: a process that gets requests over TCP, and whose CPU time and memory Linux's /proc tells.
 *
 * @module
 */
import { freePort } from "../../tests/free_port.ts";
import { cpuSecondsOf, memoryOf } from "../proc.ts";

export interface Server {
  port: number;
  /** Seconds from the start of the process until its first response with status 200. */
  startSeconds: number;
  /** The CPU time of the process so far, in seconds: user and system. */
  cpuSeconds(): number;
  /** The current memory of the process (resident set size), in MB of 1,000,000 bytes. */
  memoryMegabytes(): number;
  /** The largest memory of the process since its start, in MB of 1,000,000 bytes. */
  peakMegabytes(): number;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** The path that is requested until the server answers 200. */
  path?: string;
  /** A file for the server's standard output. Default: the output is discarded. */
  log?: string;
  /** Seconds to wait for the first response with status 200. */
  timeLimit?: number;
}

export type CommandLine = (port: number) => readonly string[];

const running = new Set<Deno.ChildProcess>();
addEventListener("unload", () => running.forEach((child) => child.kill("SIGKILL")));

/**
 * Starts a server and waits for its first response with status 200.
 *
 * @throws {Error} If the process ends, or doesn't answer in time.
 */
export async function startServer(commandLine: CommandLine, options: ServerOptions = {}): Promise<Server> {
  const { path = "/", log, timeLimit = 60 } = options;
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
    if (performance.now() - begin > timeLimit * 1000) {
      child.kill("SIGKILL");
      throw new Error(`No 200 from ${path} within ${timeLimit} s: ${words.join(" ")}`);
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
    // The connection was refused: the server isn't listening yet.
    return false;
  }
}

/**
 * Sends a request over a new TCP connection. Returns the status code. Unlike starting a client, this uses little CPU
 * time, so that it doesn't slow down the server's start.
 */
async function askOnce(port: number, path: string): Promise<number> {
  using connection = await Deno.connect({ port, hostname: "127.0.0.1" });
  await connection.write(
    new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`),
  );
  const start = new Uint8Array(64);
  const length = await connection.read(start) ?? 0;
  return Number(new TextDecoder().decode(start.subarray(0, length)).split(" ")[1]);
}
