import { join } from "node:path";
import { beginsAsDefinition } from "../../../lib/openapi/text/begins_as_definition.ts";
import { decodeText } from "../../../lib/openapi/text/decode_text.ts";

/** Names of files that count as definitions if no file in the folder begins like one. */
const WELL_KNOWN = /^(?:openapi|swagger|api)\.(?:ya?ml|json)$/i;
/** Names of files that are opened to see whether they begin like a definition. */
const CANDIDATE = /^[^.].*\.(?:ya?ml|json)$/i;

/** The number of entries of a folder that are looked at. */
const MOST_NAMES = 10_000;
/** The number of files of a folder that are opened. */
const MOST_FILES = 200;
/** The number of bytes that are read of each file. */
const MOST_BYTES = 64 * 1024;

/** The definitions in a folder. */
export interface FolderDefinitions {
  /** The names of the files, sorted. */
  readonly names: readonly string[];
  /** Whether the folder has so many entries that not all were read. */
  readonly isPartial: boolean;
}

/**
 * Finds the definitions in a folder, without its subfolders: the files whose text begins like a definition. If there
 * are none, files with names such as `openapi.yaml` or `swagger.json` count, so that their errors are reported.
 */
export async function findDefinitions(folder: string): Promise<FolderDefinitions> {
  const { names: candidates, isPartial } = await listCandidates(folder);
  const names: string[] = [];
  for (const name of candidates) {
    if (beginsAsDefinition(await readStart(join(folder, name)))) names.push(name);
  }
  return { names: names.length > 0 ? names : candidates.filter((name) => WELL_KNOWN.test(name)), isPartial };
}

async function listCandidates(folder: string): Promise<FolderDefinitions> {
  const names: string[] = [];
  let looked = 0;
  try {
    for await (const { name, isFile, isSymlink } of Deno.readDir(folder)) {
      if (++looked > MOST_NAMES) break;
      if ((isFile || isSymlink) && CANDIDATE.test(name)) names.push(name);
    }
  } catch {
    // An unreadable folder counts as empty.
  }
  const isPartial = looked > MOST_NAMES || names.length > MOST_FILES;
  return { names: names.sort().slice(0, MOST_FILES), isPartial };
}

export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch {
    return false;
  }
}

/** Reads the first {@linkcode MOST_BYTES} bytes of a file; returns the empty text if the file can't be read. */
async function readStart(path: string): Promise<string> {
  try {
    // Opening a named pipe would block until another process writes to it.
    if (!(await Deno.stat(path)).isFile) return "";
    using file = await Deno.open(path);
    const bytes = new Uint8Array(MOST_BYTES);
    const length = await file.read(bytes) ?? 0;
    return decodeText(bytes.subarray(0, length));
  } catch {
    return "";
  }
}
