import { liftSkips } from "./lift.ts";
import type { Patch } from "./client.ts";

/** Extensions of files that may contain tests. Other files are copied unchanged. */
const TEXTS = /\.(?:go|py|js|cjs|mjs|ts)$/;

/**
 * Copies a folder with a client's tests, and changes the copy as {@linkcode changeTests} does.
 *
 * @throws {Error} If a patch doesn't fit its file.
 */
export async function copyTests(from: string, to: string, patches: readonly Patch[] = []): Promise<void> {
  await copyFolder(from, to);
  await changeTests(to, patches);
}

/**
 * Changes the tests in a folder: removes skips that are due to the client's usual mock server, and applies patches.
 *
 * @throws {Error} If the text of a patch isn't in its file.
 */
export async function changeTests(folder: string, patches: readonly Patch[] = []): Promise<void> {
  for await (const path of filesIn(folder)) {
    if (!TEXTS.test(path)) continue;
    const text = await Deno.readTextFile(path);
    const lifted = liftSkips(path, text);
    if (lifted !== text) await Deno.writeTextFile(path, lifted);
  }
  for (const { path, from, to } of patches) {
    const text = await Deno.readTextFile(`${folder}/${path}`);
    if (!text.includes(from)) throw new Error(`${path} doesn't contain ${JSON.stringify(from)}: correct the patch`);
    await Deno.writeTextFile(`${folder}/${path}`, text.replaceAll(from, to));
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isFile } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(`${from}/${name}`, `${to}/${name}`);
    if (!isFile) continue;
    await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
    // Files in Go's module cache are read-only, and so are their copies.
    await Deno.chmod(`${to}/${name}`, 0o755);
  }
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesIn(`${folder}/${name}`);
    else if (isFile) yield `${folder}/${name}`;
  }
}
