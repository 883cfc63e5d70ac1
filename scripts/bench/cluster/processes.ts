/** Finds processes in the process namespace of the test cluster, through Linux's /proc. */

/** The ids of the processes whose command line contains all the words. */
export function findProcesses(...words: readonly string[]): number[] {
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const command = Deno.readTextFileSync(`/proc/${name}/cmdline`).split("\0");
      const isShell = /(?:^|\/)(?:ba)?sh$/.test(command[0] ?? "");
      if (!isShell && words.every((word) => command.includes(word))) found.push(Number(name));
    } catch {
      // The process has ended since the folder was listed.
    }
  }
  return found;
}
