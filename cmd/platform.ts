import { createOutput, type Output } from "./io/output.ts";

/** What a command may touch: given as an argument, so that a command runs in a test without a process of its own. */
export interface World {
  /** An environment variable. */
  readonly env: (name: string) => string | undefined;
  /** The names of all environment variables; none where they can't be asked for. */
  readonly envNames: () => readonly string[];
  /** All of standard input. */
  readonly readStdin: () => Promise<Uint8Array>;
  /** Calls back each time somebody tells the process to stop, until the function that it returns is called. */
  readonly onStop: (listener: () => void) => () => void;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** The world that this process lives in. */
export function createWorld(): World {
  const env = (name: string): string | undefined => Deno.env.get(name);
  const color = !env("NO_COLOR") && env("TERM") !== "dumb";
  return {
    env,
    envNames,
    readStdin: async () => new Uint8Array(await new Response(Deno.stdin.readable).arrayBuffer()),
    onStop,
    stdout: createOutput(Deno.stdout, { color: color && Deno.stdout.isTerminal() }),
    stderr: createOutput(Deno.stderr, { color: color && Deno.stderr.isTerminal() }),
  };
}

function envNames(): string[] {
  try {
    return Object.keys(Deno.env.toObject());
  } catch (error) {
    // Whoever runs gw may let it see some variables only.
    if (error instanceof Deno.errors.NotCapable) return [];
    throw error;
  }
}

/** Ctrl-C, and what service managers send. Windows knows the first only. */
const STOP_SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];

function onStop(listener: () => void): () => void {
  for (const signal of STOP_SIGNALS) Deno.addSignalListener(signal, listener);
  return () => {
    for (const signal of STOP_SIGNALS) Deno.removeSignalListener(signal, listener);
  };
}
