/**
 * A process whose CPU time and memory are measured through Linux's /proc.
 *
 * @module
 */
import { cpuSecondsOf, memoryOf } from "../proc.ts";

export interface Taken {
  /** CPU time in seconds: user and system. */
  readonly cpuSeconds: number;
  /** The largest memory of the process (`VmHWM`), in MB of 1,000,000 bytes. */
  readonly megabytes: number;
}

export interface Measured extends AsyncDisposable {
  /**
   * The CPU time and memory of the process so far. After the end of the process, these are the last values that were
   * read.
   */
  taken(): Taken;
  /** Resolves with the exit code; with `undefined` if the process was killed after {@linkcode MOST_WAIT}. */
  readonly ended: Promise<number | undefined>;
  hasEnded(): boolean;
}

/** Milliseconds between readings of /proc. CPU time and memory after the last reading aren't counted. */
const INTERVAL = 5;
/** The time limit for a process, in milliseconds. */
const MOST_WAIT = 30_000;

export function start([program = "", ...args]: readonly string[]): Measured {
  const child = new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "null" }).spawn();
  let last: Taken = { cpuSeconds: 0, megabytes: 0 };
  let hasEnded = false;
  let isKilled = false;
  const look = (): Taken => last = read(child.pid) ?? last;
  const looking = setInterval(look, INTERVAL);
  const hanging = setTimeout(() => {
    look();
    isKilled = true;
    kill();
  }, MOST_WAIT);
  const ended = child.status.then(({ code }) => {
    hasEnded = true;
    clearInterval(looking);
    clearTimeout(hanging);
    return isKilled ? undefined : code;
  });
  return {
    taken: () => hasEnded ? last : look(),
    ended,
    hasEnded: () => hasEnded,
    async [Symbol.asyncDispose]() {
      kill();
      await ended;
    },
  };

  function kill(): void {
    if (!hasEnded) child.kill("SIGKILL");
  }
}

/** Waits until a server accepts connections. Resolves with `false` if its process ends before. */
export async function isListening(process: Measured, port: number): Promise<boolean> {
  while (!process.hasEnded()) {
    try {
      (await Deno.connect({ port, hostname: "127.0.0.1" })).close();
      return true;
    } catch {
      await pause(INTERVAL);
    }
  }
  return false;
}

/** Waits until a process is idle, since `gw serve` postpones some work at its start. */
export async function settle(process: Measured): Promise<void> {
  for (let before = NaN; before !== process.taken().cpuSeconds && !process.hasEnded();) {
    before = process.taken().cpuSeconds;
    await pause(300);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function read(pid: number): Taken | undefined {
  try {
    const { most } = memoryOf(pid);
    return Number.isNaN(most) ? undefined : { cpuSeconds: cpuSecondsOf(pid), megabytes: most };
  } catch {
    return undefined;
  }
}
