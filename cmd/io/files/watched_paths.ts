import { dirname, join, parse, resolve, sep } from "node:path";

/** The number of symbolic links that are followed: more than any system follows. */
const MOST_LINKS = 40;

/** The folders and entries whose changes may change the contents of the watched files. */
export interface WatchedPaths {
  /** The folders to watch. */
  folders: Set<string>;
  /** The entries of these folders whose changes matter: the files, their folders, and symbolic links on their paths. */
  relevant: Set<string>;
}

/**
 * Finds the folders to watch for changes of files. A change may replace a file, its folder, or a symbolic link on its
 * path, so the folder that contains each of these is watched.
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

/** Follows the first symbolic link on a path; returns `undefined` if there is none. */
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
