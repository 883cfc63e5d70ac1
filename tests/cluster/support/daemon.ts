/**
 * Runs programs beside the tests. A program ends when the process of the tests ends, even if that process is killed.
 *
 * @module
 */

import { MissingProgramError } from "../../../scripts/cluster/tools.ts";

export interface DaemonOptions {
  /** The program and its arguments. */
  command: readonly string[];
  /** The file to which the program's output is appended. */
  log: string;
  env?: Readonly<Record<string, string>>;
}

export interface Daemon {
  /** Resolves when the program has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Ends the program with SIGTERM. Kills it if it runs longer than the grace period that Kubernetes gives a pod. */
  stop(): Promise<void>;
  /** Kills the program (SIGKILL). */
  kill(): Promise<void>;
}

/** Milliseconds that a program has to end after SIGTERM. */
const GRACE = 30_000;

/**
 * A shell script that runs the program, and waits for the end of its standard input. That comes when the process of the
 * tests ends, even by `kill -9`. The script then ends the program.
 */
const GUARD = `
exec 3<&0
"$@" </dev/null >>"$GUARD_LOG" 2>&1 3<&- & child=$!
{ read -r -u 3 _; kill -TERM $child; sleep 10; kill -KILL $child; } 2>/dev/null & watcher=$!
trap 'kill -TERM $child' TERM
trap 'kill -KILL $child' USR1
while kill -0 $child 2>/dev/null; do wait $child; done
kill $watcher 2>/dev/null
`;

export function startDaemon({ command, log, env = {} }: DaemonOptions): Daemon {
  const child = spawn("bash", {
    args: ["-c", GUARD, "guard", ...command],
    env: { ...env, GUARD_LOG: log },
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  });
  let isEnded = false;
  const ended = child.status.then(async () => {
    isEnded = true;
    await child.stdin.close().catch(() => {});
  });

  async function end(signal: Deno.Signal): Promise<void> {
    if (isEnded) return;
    const timer = setTimeout(() => send("SIGUSR1"), GRACE);
    send(signal);
    await ended;
    clearTimeout(timer);
  }

  /** Sends a signal. Does nothing if the process has ended, which Deno may report before `ended` resolves. */
  function send(signal: Deno.Signal): void {
    try {
      child.kill(signal);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }

  return { ended, stop: () => end("SIGTERM"), kill: () => end("SIGUSR1") };
}

/**
 * Runs a program to its end, and returns its output.
 *
 * @throws {MissingProgramError} If the program isn't installed.
 * @throws {Error} If the program fails. The message is its output.
 */
export async function runCommand(
  command: readonly string[],
  options: { env?: Record<string, string>; cwd?: string; input?: string } = {},
): Promise<string> {
  const { input, ...others } = options;
  const [program = "", ...args] = command;
  const child = spawn(program, {
    ...others,
    args,
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  });
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  }
  const { success, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`${command.join(" ")} failed:\n${decoder.decode(stderr)}${decoder.decode(stdout)}`);
  return decoder.decode(stdout);
}

function spawn(program: string, options: Deno.CommandOptions): Deno.ChildProcess {
  try {
    return new Deno.Command(program, options).spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new MissingProgramError(`Cannot find ${program}: install it`);
    throw error;
  }
}
