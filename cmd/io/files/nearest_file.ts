import { basename, dirname, join, parse } from "node:path";
import { suggest } from "../../../lib/http/message.ts";

/** The number of names in a folder that are compared. */
const MOST_NAMES = 1_000;

/**
 * Finds the file that a wrong path probably means: a file in the same folder with a similar name. Names are compared
 * without their extensions, which many files share.
 */
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
  const [similar] = suggest(parse(path).name, names.map((name) => parse(name).name));
  if (similar === undefined) return undefined;
  const alike = names.filter((name) => parse(name).name === similar);
  const [nearest = alike[0]] = suggest(basename(path), alike);
  return nearest === undefined ? undefined : join(folder, nearest);
}
