import { dirname, join, parse, resolve, sep } from "node:path";

/** The most symbolic links to follow, more than any system does. */
const MOST_LINKS = 40;

/** The folders and entries whose changes can change the contents of some files. */
export interface WatchedPaths {
  /** The folders to watch. */
  folders: Set<string>;
  /** The relevant entries of these folders: the files, their folders, and symbolic links on their paths. */
  relevant: Set<string>;
}

/**
 * Finds the folders to watch for changes of files: each contains a file, the folder of a file, or a symbolic link on
 * the path of a file. Any of these may be replaced.
 */
export function pathsOf(files: Iterable<string>): WatchedPaths {
  const paths: WatchedPaths = { folders: new Set(), relevant: new Set() };
  for (const file of files) {
    let path: string | undefined = resolve(file);
    for (let links = 0; path !== undefined && links < MOST_LINKS; links++) {
      const folder = dirname(path);
      for (const entry of [path, folder]) {
        paths.relevant.add(entry);
        paths.folders.add(dirname(entry));
      }
      path = followLink(path, paths);
    }
  }
  return paths;
}

/** Follows the first symbolic link on a path; `undefined` if there is none. */
function followLink(path: string, { folders, relevant }: WatchedPaths): string | undefined {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  let at = root;
  for (const [index, name] of names.entries()) {
    const entry = join(at, name);
    const target = readLink(entry);
    if (target !== undefined) {
      relevant.add(entry);
      folders.add(at);
      return resolve(at, target, ...names.slice(index + 1));
    }
    at = entry;
  }
  return undefined;
}

function readLink(path: string): string | undefined {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return undefined;
  }
}
