/**
 * CPU time and memory of processes, read from Linux's /proc (proc(5)).
 *
 * @module
 */

/** Clock ticks of /proc/PID/stat in a second: 100 on every Linux (`getconf CLK_TCK`). */
const TICKS = 100;

/** Resident memory of a process, in MB of 1,000,000 bytes. */
export interface ProcessMemory {
  /** Now (`VmRSS`). */
  readonly now: number;
  /** The largest memory since the start of the process (`VmHWM`). */
  readonly most: number;
}

/**
 * CPU time of a process in seconds, user and system.
 *
 * @throws {Deno.errors.NotFound} If the process has ended.
 */
export function cpuSecondsOf(pid: number): number {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  // The second field is the program's name, which may contain spaces. User and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/**
 * Memory of a process; each figure is `NaN` for a process that is ending, which has no memory left.
 *
 * @throws {Deno.errors.NotFound} If the process has ended.
 */
export function memoryOf(pid: number): ProcessMemory {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const read = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024 / 1e6;
  return { now: read("VmRSS"), most: read("VmHWM") };
}
