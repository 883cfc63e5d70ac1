/**
 * Runs gw as a process of its own, as users do.
 *
 * @module
 */
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(import.meta.resolve("../../main.ts"));
const CONFIG = fileURLToPath(import.meta.resolve("../../deno.json"));

/** The command that runs gw from source. */
export const GW: readonly string[] = [Deno.execPath(), "run", "--no-check", "-A", "--config", CONFIG, MAIN];

/** Milliseconds to wait for a line, unless a test sets another time. Only a failing test waits that long. */
const TIMEOUT = 15_000;

export interface StartOptions {
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** The text on standard input. */
  stdin?: string;
  /** The command that runs the program. Default: {@linkcode GW}. */
  program?: readonly string[];
  /** Whether gw chooses its port. Default: no, the system does (`--port 0`). */
  ownPort?: boolean;
  /** Milliseconds to wait for a line. Programs that must be installed first need more than the default. */
  timeout?: number;
}

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Running extends AsyncDisposable {
  /** The URL on which the program announced that it listens. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** All output so far, of standard output and standard error together. */
  text(): string;
  /** Resolves with the match as soon as the output matches. Ignores the output before the offset. */
  until(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
  signal(signal: Deno.Signal): void;
  /** Resolves when the process has ended. */
  readonly ended: Promise<Ended>;
}

export async function runGw(options: StartOptions): Promise<Ended> {
  await using gw = spawn(options);
  return await gw.ended;
}

/** Starts the program and waits until it listens. */
export async function startGw({ args, ownPort = false, ...options }: StartOptions): Promise<Running> {
  const gw = spawn({ ...options, args: ownPort ? args : [...args, "--port", "0"] });
  try {
    await gw.until(/Listening on [^\s,"]+[\s,"]/);
    return gw;
  } catch (error) {
    await gw[Symbol.asyncDispose]();
    throw error;
  }
}

/** The command that starts gw, without running it. */
export function commandOf({ program = GW, args, env = {}, cwd, stdin }: StartOptions): Deno.Command {
  const [executable = "", ...first] = program;
  return new Deno.Command(executable, {
    args: [...first, ...args],
    env: { NO_COLOR: "1", ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Starts gw, without waiting until it listens. */
export function spawn(options: StartOptions): Running {
  const child = commandOf(options).spawn();
  const { stdin, timeout: limit = TIMEOUT } = options;
  let text = "";
  const collected = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  const tellAll = (): void => waiting.forEach((tell) => tell());
  const reading = Promise.all([collect("stdout"), collect("stderr")]);
  const ended = (async (): Promise<Ended> => {
    const [{ code }] = await Promise.all([child.status, reading, feed()]);
    return { code, ...collected };
  })();
  let isEnded = false;
  void ended.then(() => {
    isEnded = true;
    tellAll();
  });

  return {
    get url() {
      return /Listening on (https?:\/\/[^\s,"]+)/.exec(text)?.[1] ?? "";
    },
    get port() {
      return Number(/:(\d+)$/.exec(this.url)?.[1]);
    },
    pid: child.pid,
    text: () => text,
    until,
    signal: (signal) => child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      if (!isEnded) child.kill("SIGKILL");
      await ended;
    },
  };

  async function collect(stream: "stdout" | "stderr"): Promise<void> {
    for await (const chunk of child[stream].pipeThrough(new TextDecoderStream())) {
      text += chunk;
      collected[stream] += chunk;
      tellAll();
    }
  }

  async function feed(): Promise<void> {
    if (stdin === undefined) return;
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(stdin));
    await writer.close();
  }

  function until(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(new Error(`Waited in vain for ${pattern}:\n${text}`)), limit);
      const settle = (outcome: RegExpExecArray | Error): void => {
        clearTimeout(timer);
        waiting.delete(look);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      const look = (): void => {
        const match = pattern.exec(text.slice(from));
        if (match !== null) settle(match);
        else if (isEnded) settle(new Error(`Ended before ${pattern}:\n${text}`));
      };
      waiting.add(look);
      look();
    });
  }
}
