import { readFileSync } from "node:fs";

/**
 * Reads the keys of the terminal of standard input one by one, without showing them. Ctrl+C stays a signal.
 *
 * @returns `undefined` if standard input is no terminal, or one that another process has in the foreground. There, the
 * system would stop a process that changes the terminal.
 */
export function keysOfTerminal(): ((listener: (key: string) => void) => () => void) | undefined {
  // Deno on Windows can't keep Ctrl+C as a signal.
  const hasKeys = Deno.build.os !== "windows" && Deno.stdin.isTerminal() && isInForeground();
  return hasKeys ? onKey : undefined;
}

function onKey(listener: (key: string) => void): () => void {
  let isOver = false;
  Deno.stdin.setRaw(true, { cbreak: true });
  const read = async (): Promise<void> => {
    const buffer = new Uint8Array(64);
    for (let count = await Deno.stdin.read(buffer); count !== null && !isOver; count = await Deno.stdin.read(buffer)) {
      for (const key of new TextDecoder().decode(buffer.subarray(0, count))) listener(key);
    }
  };
  // An error means that the terminal was closed.
  read().catch(() => {});
  return () => {
    isOver = true;
    try {
      Deno.stdin.setRaw(false);
    } catch {
      // The terminal was closed.
    }
  };
}

/** Whether the process group of this process is the one that the terminal takes its input for (job control of shells). */
function isInForeground(): boolean {
  const [group, foreground] = groups();
  return group !== undefined && group === foreground;
}

/** The process group of this process, and the one in the foreground of its terminal. */
function groups(): (string | undefined)[] {
  try {
    if (Deno.build.os === "linux") {
      // proc(5): the name in parentheses may have spaces. After it: state, parent, group, session, terminal, foreground.
      const fields = readFileSync("/proc/self/stat", "utf8").replace(/^.*\) /s, "").split(" ");
      return [fields[2], fields[5]];
    }
    const args = ["-o", "pgid=,tpgid=", "-p", String(Deno.pid)];
    return new TextDecoder().decode(new Deno.Command("ps", { args }).outputSync().stdout).trim().split(/\s+/);
  } catch {
    return [];
  }
}
