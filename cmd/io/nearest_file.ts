import { basename, dirname, join } from "node:path";
import { suggest } from "../../lib/http/message.ts";

/** The most names of a folder that are compared. */
const MOST_NAMES = 1_000;

/** The path of a file that was probably meant by a path that leads to none: one with a similar name beside it. */
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
