/**
 * Files that are replaced as a whole: readers see the old or the new one, also after a crash. A symbolic link stays:
 * the file that it leads to is replaced.
 *
 * @module
 */
import { basename, dirname, join } from "node:path";

/** Only the user may read a file before it has the permissions of the old one. */
const PRIVATE = 0o600;

/** The least number of characters for each write. */
const CHUNK = 256 * 1024;

/**
 * Writes a file under a temporary name, then renames it to replace the old one, whose permissions it gets.
 *
 * @param text The contents, or parts of them, which may be made during the writing.
 * @param mode The permissions if there is no old file. Default: those of any new file.
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

/** Throws if no file can be written beside the old one. */
export async function checkReplaceable(path: string): Promise<void> {
  const fresh = freshName(await targetOf(path));
  (await createFile(fresh, PRIVATE)).close();
  await Deno.remove(fresh);
}

/** Creates a file. An existing name is refused: in a shared folder, it may be a symbolic link of another user. */
async function createFile(path: string, mode: number): Promise<Deno.FsFile> {
  return await Deno.open(path, { write: true, createNew: true, mode });
}

/** A name in the same folder that nobody can guess. */
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
