/**
 * Runs commands on hostile texts, each in a new process, and measures their CPU time and memory.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import { createStore } from "../../tests/cmd/serve_process.ts";
import { programWords } from "../bench/candidates.ts";
import { isListening, type Measured, settle, start, type Taken } from "./process.ts";
import { freePort } from "../../tests/free_port.ts";

/** A hostile definition, and a request to its operation `POST /a`. */
export interface Hostile {
  readonly name: string;
  readonly text: () => string | Uint8Array;
  readonly request?: {
    readonly query?: string;
    readonly headers?: Record<string, string>;
    readonly body?: () => string;
  };
}

export interface Outcome extends Taken {
  /** The exit code, or the statuses of the responses: `201 200 400`. */
  readonly status: string;
  /** Whether the command hung, crashed, or ended in a way that no text should cause. */
  readonly isBroken: boolean;
}

export type Run = (program: string, hostile: Hostile) => Promise<Outcome>;

/** The time limit for a response, in milliseconds. */
const MOST_WAIT = 30_000;
/** The time limit for the answer to other requests meanwhile, in milliseconds. */
const MOST_SILENCE = 5_000;

/**
 * The commands, by name. The result has the CPU time of the whole process, for `gw serve` only that after its start.
 */
export const COMMANDS: Readonly<Record<"validate" | "mock" | "serve", Run>> = { validate, mock, serve };

async function validate(program: string, hostile: Hostile): Promise<Outcome> {
  await using file = await fileOf(hostile);
  await using process = start([...programWords(program), "validate", file.path]);
  const code = await process.ended;
  return { ...process.taken(), status: String(code ?? "hangs"), isBroken: code !== 0 && code !== 1 };
}

async function mock(program: string, hostile: Hostile): Promise<Outcome> {
  await using file = await fileOf(hostile);
  const port = freePort();
  const flags = ["--quiet", "--validate", "error", "--no-watch", "--port", String(port)];
  await using process = start([...programWords(program), "mock", file.path, ...flags]);
  if (!await isListening(process, port)) {
    const code = await process.ended;
    return { ...process.taken(), status: String(code ?? "hangs"), isBroken: code !== 1 };
  }
  const statuses = await askBoth(`http://127.0.0.1:${port}`, hostile);
  await settle(process);
  return concluded(process, statuses);
}

async function serve(program: string, hostile: Hostile): Promise<Outcome> {
  const folder = await Deno.makeTempDir({ prefix: "gw_hostile_" });
  try {
    const fleetPort = await createStore(folder);
    const port = freePort();
    const flags = ["--quiet", "--data", folder, "--port", String(port)];
    await using process = start([...programWords(program), "serve", ...flags]);
    await isListening(process, port);
    await isListening(process, fleetPort);
    await settle(process);
    const { cpuSeconds } = process.taken();
    const text = hostile.text();
    const openapi = typeof text === "string" ? text : new TextDecoder().decode(text);
    const headers = { "content-type": "application/json" };
    const health = watchHealth(`http://127.0.0.1:${port}`);
    const deployed = await ask(`http://127.0.0.1:${port}/apis`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name: "hostile", openapi }),
    });
    const statuses = deployed === 201 ? await askBoth(`http://127.0.0.1:${fleetPort}`, hostile) : [];
    const isAnswering = await health.end();
    await settle(process);
    const outcome = concluded(process, [deployed, ...statuses, ...isAnswering ? [] : [undefined]]);
    return { ...outcome, cpuSeconds: outcome.cpuSeconds - cpuSeconds };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Asks a server for its health again and again, until `end` is called: it tells whether all answers came in time. */
function watchHealth(server: string): { end: () => Promise<boolean> } {
  let [isOver, isAnswering] = [false, true];
  const watching = (async () => {
    while (!isOver && isAnswering) {
      isAnswering = await ask(`${server}/healthz`, {}, MOST_SILENCE) !== undefined;
      await delay(100);
    }
  })();
  return {
    end: async () => {
      isOver = true;
      await watching;
      return isAnswering;
    },
  };
}

/** Sends a request to the operation with a generated body, and one to the operation that validates its requests. */
async function askBoth(server: string, { request = {} }: Hostile): Promise<(number | undefined)[]> {
  const { query = "", headers = {}, body = () => "1" } = request;
  return [
    await ask(`${server}/a`, {}),
    await ask(`${server}/a${query}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: body(),
    }),
  ];
}

async function ask(url: string, init: RequestInit, most = MOST_WAIT): Promise<number | undefined> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(most) });
    await response.bytes();
    return response.status;
  } catch {
    return undefined;
  }
}

function concluded(process: Measured, statuses: readonly (number | undefined)[]): Outcome {
  const isBroken = process.hasEnded() || statuses.includes(undefined);
  return { ...process.taken(), status: statuses.map((status) => status ?? "none").join(" "), isBroken };
}

async function fileOf({ text }: Hostile): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.makeTempFile({ prefix: "gw_hostile_", suffix: ".yaml" });
  const content = text();
  await Deno.writeFile(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path) };
}
