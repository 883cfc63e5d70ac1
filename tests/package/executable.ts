/**
 * The executable that the tests of packages share.
 *
 * @module
 */
import { bundle } from "../../scripts/bundle.ts";
import { cacheFolder, exists } from "../../scripts/cache.ts";
import { compileFromNpm } from "../../scripts/npm_compile.ts";

const FOLDER = `${cacheFolder()}/package`;

/**
 * Provides the executable for Linux x64 of the program as it is now. Concurrent callers share one making, and a program
 * that hasn't changed is not compiled again.
 *
 * @returns Its path; `undefined` on another platform.
 */
export async function provideExecutable(): Promise<string | undefined> {
  if (Deno.build.target !== "x86_64-unknown-linux-gnu") return undefined;
  await Deno.mkdir(FOLDER, { recursive: true });
  using lock = await Deno.open(`${FOLDER}/executable.lock`, { create: true, write: true });
  await lock.lock(true);
  const main = await bundle(`${FOLDER}/bundle`);
  const digest = await digestOf(`${FOLDER}/bundle`);
  const executable = `${FOLDER}/gw`;
  if (await exists(executable) && await readDigest() === digest) return executable;
  await compileFromNpm(main, executable);
  await Deno.writeTextFile(`${FOLDER}/digest`, digest);
  return executable;
}

/** Tells one bundle from another. */
async function digestOf(folder: string): Promise<string> {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  const texts = await Promise.all(
    names.map(async (name) => `${name}\n${await Deno.readTextFile(`${folder}/${name}`)}`),
  );
  const bytes = new TextEncoder().encode(texts.join("\0"));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

async function readDigest(): Promise<string | undefined> {
  const file = `${FOLDER}/digest`;
  return await exists(file) ? await Deno.readTextFile(file) : undefined;
}
