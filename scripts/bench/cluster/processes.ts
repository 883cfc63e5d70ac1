/** Processes of the stack, which has its own: looked up in Linux's /proc. */

/** The processes whose command line has all of these words. */
export function findProcesses(...words: readonly string[]): number[] {
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const command = Deno.readTextFileSync(`/proc/${name}/cmdline`).split("\0");
      const isShell = /(?:^|\/)(?:ba)?sh$/.test(command[0] ?? "");
      if (!isShell && words.every((word) => command.includes(word))) found.push(Number(name));
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

/** Memory that a process holds now, and the most that it has held, in MB of 1,000,000 bytes. */
export function memoryOf(pid: number): { now: number; most: number } {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const read = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024 / 1e6;
  return { now: read("VmRSS"), most: read("VmHWM") };
}
