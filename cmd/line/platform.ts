import { keysOfTerminal } from "../io/terminal/keys.ts";
import { createOutput, type Output, type Terminal } from "../io/terminal/terminal.ts";

/** The process that a command runs in. Commands get it as an argument, so that tests can run them without a process. */
export interface Platform {
  /** An environment variable. */
  readonly env: (name: string) => string | undefined;
  /** The names of all environment variables; empty without the permission to list them. */
  readonly envNames: () => readonly string[];
  /** Reads all of standard input. */
  readonly readStdin: () => Promise<Uint8Array>;
  /** Calls the listener on each signal to stop. Call the returned function to remove the listener. */
  readonly onStop: (listener: () => void) => () => void;
  readonly stdout: Output;
  readonly stderr: Output;
  /** The terminal of standard output; absent without one, or if its cursor can't be moved (`TERM=dumb`). */
  readonly terminal?: Terminal | undefined;
  /** The terminal of standard error; absent without one, or if its cursor can't be moved (`TERM=dumb`). */
  readonly errorTerminal?: Terminal | undefined;
}

const TERMINAL: Terminal = {
  size: () => Deno.consoleSize(),
  onResize,
  get onKey() {
    return keysOfTerminal();
  },
  stop: () => Deno.kill(Deno.pid, "SIGINT"),
};

/** The platform of this process. */
export function createPlatform(): Platform {
  const env = (name: string): string | undefined => Deno.env.get(name);
  const isDumb = env("TERM") === "dumb";
  const outputOf = (stream: typeof Deno.stdout): Output => {
    const isTerminal = stream.isTerminal() && !isDumb;
    return createOutput(stream, { color: isTerminal && !env("NO_COLOR"), isTerminal });
  };
  return {
    env,
    envNames,
    readStdin: async () => new Uint8Array(await new Response(Deno.stdin.readable).arrayBuffer()),
    onStop,
    stdout: outputOf(Deno.stdout),
    stderr: outputOf(Deno.stderr),
    terminal: Deno.stdout.isTerminal() && !isDumb ? TERMINAL : undefined,
    errorTerminal: Deno.stderr.isTerminal() && !isDumb ? TERMINAL : undefined,
  };
}

function onResize(listener: () => void): () => void {
  // Deno on Windows has no SIGWINCH.
  if (Deno.build.os === "windows") return () => {};
  Deno.addSignalListener("SIGWINCH", listener);
  return () => Deno.removeSignalListener("SIGWINCH", listener);
}

function envNames(): string[] {
  try {
    return Object.keys(Deno.env.toObject());
  } catch (error) {
    // Deno allows reading some variables but not listing all: `--allow-env=HOME`.
    if (error instanceof Deno.errors.NotCapable) return [];
    throw error;
  }
}

/** Ctrl-C sends SIGINT, service managers send SIGTERM. Deno on Windows supports SIGINT only. */
const STOP_SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];

function onStop(listener: () => void): () => void {
  for (const signal of STOP_SIGNALS) Deno.addSignalListener(signal, listener);
  return () => {
    for (const signal of STOP_SIGNALS) Deno.removeSignalListener(signal, listener);
  };
}

/** The exit codes of the process. */
export const EXIT = {
  /** Success. */
  fine: 0,
  /** The input is at fault: a definition with errors. */
  input: 1,
  /** The command line is at fault: an unknown flag, a value that makes no sense. */
  usage: 2,
  /** The environment is at fault: a port that is taken, a store that can't be reached. */
  environment: 3,
} as const;
