/**
 * Reads the TypeScript files of folders, with those below them, and single files.
 *
 * @param paths Paths from the root of the repository, which is the working directory.
 * @returns The texts, by path with `/`.
 */
export function readSources(paths: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>();
  const read = (path: string): void => {
    if (Deno.statSync(path).isDirectory) {
      for (const { name, isDirectory } of Deno.readDirSync(path)) {
        if (isDirectory || name.endsWith(".ts")) read(`${path}/${name}`);
      }
    } else texts.set(path, Deno.readTextFileSync(path));
  };
  paths.forEach(read);
  return texts;
}
