import { dirname, join, parse, resolve, sep } from "node:path";

/** More symbolic links in a row than any system follows. */
const MOST_LINKS = 40;

/** Where changes can show that give some files other contents. */
export interface WatchedPaths {
  /** The folders to watch. */
  folders: Set<string>;
  /** The entries of those folders that matter: the files, links that lead to them, and folders that they are in. */
  relevant: Set<string>;
}

/** Finds the folders in which files are saved, links to them are switched, or the folders themselves are replaced. */
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

/** Follows the first symbolic link on a path; `undefined` when there is none. */
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
