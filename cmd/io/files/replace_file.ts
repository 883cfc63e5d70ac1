/**
 * Replaces files as a whole: a reader sees the old or the new contents, even after a crash. If the path is a symbolic
 * link, the file that it leads to is replaced.
 *
 * @module
 */
import { basename, dirname, join } from "node:path";

/** The mode of the temporary file. Only its owner may read it until it gets the mode of the old file. */
const PRIVATE = 0o600;

/** The number of characters that are written at once; shorter parts are joined. */
const CHUNK = 256 * 1024;

/**
 * Writes a temporary file, then renames it, so that it replaces the old file and has its mode.
 *
 * @param text The contents, as a whole or in parts. Parts may be made while earlier ones are written.
 * @param mode The mode if there is no old file. Default: the usual mode of new files.
 */
export async function replaceFile(path: string, text: string | Iterable<string>, mode = 0o666): Promise<void> {
  const target = await targetOf(path);
  const old = await Deno.stat(target).catch(() => undefined);
  const fresh = freshName(target);
  try {
    {
      using file = await createFile(fresh, old === undefined ? mode : PRIVATE);
      for (const chunk of typeof text === "string" ? [text] : chunksOf(text)) await writeAll(file, chunk);
      await file.sync();
    }
    const kept = old?.mode;
    if (kept !== null && kept !== undefined && Deno.build.os !== "windows") await Deno.chmod(fresh, kept & 0o777);
    await Deno.rename(fresh, target);
  } catch (error) {
    await Deno.remove(fresh).catch(() => {});
    throw error;
  }
}

/** Joins short parts of a text to chunks of at least {@linkcode CHUNK} characters. */
function* chunksOf(parts: Iterable<string>): Generator<string> {
  let chunk = "";
  for (const part of parts) {
    chunk += part;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}

async function writeAll(file: Deno.FsFile, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}

/** Throws if no temporary file can be created in the folder. */
export async function checkReplaceable(path: string): Promise<void> {
  const fresh = freshName(await targetOf(path));
  (await createFile(fresh, PRIVATE)).close();
  await Deno.remove(fresh);
}

/** Creates a file. Fails if the name exists: in a shared folder, it may be a symbolic link of another user. */
async function createFile(path: string, mode: number): Promise<Deno.FsFile> {
  return await Deno.open(path, { write: true, createNew: true, mode });
}

/** The path of a temporary file in the same folder. Another user can't guess it. */
function freshName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}.tmp`);
}

/** The file that a symbolic link leads to. */
async function targetOf(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch {
    return path;
  }
}
