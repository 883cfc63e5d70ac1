/**
 * Writes the licences of the npm packages that are bundled into the library: they require that their text is
 * distributed too.
 *
 * @module
 */
import type { CachedPackage } from "./npm_cache.ts";

/** Names of licence files, in lower case. */
const LICENSE = /^(licen[cs]e|copying|notice)(\.\w+)?$/;

/**
 * Writes the licences into one file.
 *
 * @param packages The packages; duplicates are ignored.
 * @param path The file to write.
 * @throws {Error} If a package names no licence.
 */
export async function writeLicenses(packages: readonly CachedPackage[], path: string): Promise<void> {
  const byName = new Map(packages.map((found) => [`${found.name} ${found.version}`, found.folder]));
  const sorted = [...byName].sort(([a], [b]) => a < b ? -1 : 1);
  const sections = await Promise.all(
    sorted.map(async ([name, folder]) => `${name}\n\n${await licenseOf(name, folder)}\n`),
  );
  await Deno.writeTextFile(path, sections.join(`\n${"-".repeat(80)}\n\n`));
}

/** The text of a licence; only its name, if the package doesn't contain the text. */
async function licenseOf(name: string, folder: string): Promise<string> {
  const files = (await Array.fromAsync(Deno.readDir(folder))).map((entry) => entry.name);
  const texts = files.filter((file) => LICENSE.test(file.toLowerCase())).sort();
  if (texts.length > 0) {
    return (await Promise.all(texts.map((file) => Deno.readTextFile(`${folder}/${file}`)))).join("\n").trim();
  }
  const { license, author } = JSON.parse(await Deno.readTextFile(`${folder}/package.json`));
  if (license === undefined) throw new Error(`${name} has no licence: don't bundle it.`);
  return `License: ${license}\nAuthor: ${typeof author === "object" ? author.name : author ?? "see the package"}`;
}
