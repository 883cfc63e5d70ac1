/**
 * Reads CPU time and memory of processes from Linux's /proc (proc(5)).
 *
 * @module
 */

/** Clock ticks per second in /proc/PID/stat: 100 on every Linux (`getconf CLK_TCK`). */
const TICKS = 100;

/** Resident memory of a process, in MB of 1,000,000 bytes. */
export interface ProcessMemory {
  /** The current memory (`VmRSS`). */
  readonly now: number;
  /** The largest memory since the start of the process (`VmHWM`). */
  readonly most: number;
}

/**
 * CPU time of a process in seconds: user and system.
 *
 * @throws {Deno.errors.NotFound} If the process has ended.
 */
export function cpuSecondsOf(pid: number): number {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses, which may contain spaces. Fields 14 and 15 are user and
  // system time.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/**
 * Memory of a process. The figures are `NaN` for a process that is ending, which has no memory any more.
 *
 * @throws {Deno.errors.NotFound} If the process has ended.
 */
export function memoryOf(pid: number): ProcessMemory {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const read = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024 / 1e6;
  return { now: read("VmRSS"), most: read("VmHWM") };
}
