import { basename, dirname, join } from "node:path";
import { suggest } from "../../lib/http/message.ts";

/** The number of names in a folder that are compared. */
const MOST_NAMES = 1_000;

/** Finds the file that a wrong path probably means: a file in the same folder with a similar name. */
export async function nearestFile(path: string): Promise<string | undefined> {
  const folder = dirname(path);
  const names: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (name === basename(path)) return undefined;
      if (!isDirectory && names.push(name) >= MOST_NAMES) break;
    }
  } catch {
    return undefined;
  }
  const [nearest] = suggest(basename(path), names);
  return nearest === undefined ? undefined : join(folder, nearest);
}
