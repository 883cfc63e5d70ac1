import process from "node:process";

/**
 * Milliseconds that the thread has been computing: what a clock shows on a machine that does nothing else. Where the
 * system doesn't tell it of a thread, as only Linux does, those of the clock.
 */
export function processorTime(): number {
  try {
    // proc_pid_schedstat(5): nanoseconds on a processor, nanoseconds of waiting for one, and how often it was given one.
    const [computing] = Deno.readTextFileSync(`/proc/self/task/${process.pid}/schedstat`).split(" ");
    return Number(computing) / 1e6;
  } catch {
    return performance.now();
  }
}
