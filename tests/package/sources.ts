import { createHash } from "node:crypto";
import { exists } from "../../scripts/cache.ts";

const ROOT = `${import.meta.dirname}/../..`;

/** The SHA-256 of files and folders with their names, which are relative to the clone. Missing files are left out. */
export async function digestOf(names: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const name of names) await add(name);
  return hash.digest("hex");

  async function add(name: string): Promise<void> {
    const path = `${ROOT}/${name}`;
    if (!await exists(path)) return;
    hash.update(`\0${name}\0`);
    if ((await Deno.stat(path)).isDirectory) {
      const names = Array.from(Deno.readDirSync(path), (entry) => entry.name).sort();
      for (const entry of names) await add(`${name}/${entry}`);
    } else hash.update(await Deno.readFile(path));
  }
}
