import { join } from "node:path";
import { beginsAsDefinition } from "../../lib/openapi/begins_as_definition.ts";

/** The names of files that are definitions, whatever their text. */
const WELL_KNOWN = /^(?:openapi|swagger|api)\.(?:ya?ml|json)$/i;
/** The names of files that may be definitions. */
const CANDIDATE = /^[^.].*\.(?:ya?ml|json)$/i;

/** The most names of a folder that are looked at. */
const MOST_NAMES = 10_000;
/** The most files of a folder whose text is looked at. */
const MOST_FILES = 200;
/** The most bytes of a file that are looked at. */
const MOST_BYTES = 64 * 1024;

/** The definitions in a folder. */
export interface FolderDefinitions {
  /** The names of the files, sorted. */
  readonly names: readonly string[];
  /** The folder has so many files that there may be further definitions. */
  readonly isPartial: boolean;
}

/**
 * Finds the definitions in a folder, without those in folders inside it: the files whose text begins as a definition.
 * If there is none, files named `openapi.yaml`, `swagger.json` and the like count, so that their errors are reported.
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
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (++looked > MOST_NAMES) break;
      if (!isDirectory && CANDIDATE.test(name)) names.push(name);
    }
  } catch {
    // A folder that can't be read shows no definitions.
  }
  const isPartial = looked > MOST_NAMES || names.length > MOST_FILES;
  return { names: names.sort().slice(0, MOST_FILES), isPartial };
}

/** Tells whether a path leads to a folder. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch {
    return false;
  }
}

/** The start of a file; the empty text if it can't be read. */
async function readStart(path: string): Promise<string> {
  try {
    // Opening a pipe would wait for a writer.
    if (!(await Deno.stat(path)).isFile) return "";
    using file = await Deno.open(path);
    const bytes = new Uint8Array(MOST_BYTES);
    const length = await file.read(bytes) ?? 0;
    return new TextDecoder().decode(bytes.subarray(0, length));
  } catch {
    return "";
  }
}
