import process from "node:process";

/** Milliseconds from which on Linux's CPU time of a thread is precise enough: it advances in steps of up to 4 ms. */
const LONG = 20;

/**
 * Measures how long this thread computes. Other work of the machine makes the elapsed time, and the CPU time of the
 * whole process, too long. So the least of these and of the thread's CPU time is taken, which only Linux has.
 *
 * @returns A function that returns the milliseconds since the start.
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

/** The CPU time of the main thread in milliseconds; the elapsed time on other systems than Linux. */
function threadTime(): number {
  try {
    // proc_pid_schedstat(5): nanoseconds on a processor, nanoseconds waiting for a processor, number of time slices.
    const [computing] = Deno.readTextFileSync(`/proc/self/task/${process.pid}/schedstat`).split(" ");
    return Number(computing) / 1e6;
  } catch {
    return performance.now();
  }
}
