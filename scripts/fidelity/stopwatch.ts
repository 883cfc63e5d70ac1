import process from "node:process";

/** Milliseconds from which on Linux's figures for a thread are precise enough: they have steps of up to 4 ms. */
const LONG = 20;

/**
 * Starts to measure the computing time of this thread, apart from other work of the machine: as long as the clock shows
 * at the most, or the process computes with all its threads, or, on Linux, the thread itself.
 *
 * @returns Tells the milliseconds since the start.
 */
export function startStopwatch(): () => number {
  const [thread, usage, start] = [threadTime(), process.cpuUsage(), performance.now()];
  return () => {
    const clock = performance.now() - start;
    const { user, system } = process.cpuUsage(usage);
    const least = Math.min(clock, (user + system) / 1000);
    return least < LONG ? least : Math.min(least, threadTime() - thread);
  };
}

/** The milliseconds that the main thread has run on a processor. */
function threadTime(): number {
  try {
    // proc_pid_schedstat(5): nanoseconds on a processor, nanoseconds waiting for a processor, and the number of time
    // slices.
    const [computing] = Deno.readTextFileSync(`/proc/self/task/${process.pid}/schedstat`).split(" ");
    return Number(computing) / 1e6;
  } catch {
    return performance.now();
  }
}
