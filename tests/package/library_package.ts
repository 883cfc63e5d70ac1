/**
 * Makes the npm library as a package that test programs import. It is made again only when the sources change.
 *
 * @module
 */
import { makeOnce } from "../../scripts/cache.ts";
import { buildLibrary, type Library } from "../../scripts/package/library.ts";
import { digestOf } from "./sources.ts";

/** The name under which test programs import the package. */
export const NAME = "openapi-gw";

/** The files and folders that the library is made from. */
const SOURCES = ["lib", "adapters", "scripts/package", "mod.ts", "deno.json", "deno.lock"];

export interface LibraryPackage {
  /** A folder with the package in its `node_modules`. */
  folder: string;
  /** The folder of the package itself. */
  path: string;
  /** The imports of each file of the package, by file name. */
  imports: Library["imports"];
}

export async function libraryPackage(): Promise<LibraryPackage> {
  const folder = await makeOnce("package", "library", [await digestOf(SOURCES)], async (folder) => {
    const path = `${folder}/node_modules/${NAME}`;
    await Deno.mkdir(path, { recursive: true });
    const { modules, imports } = await buildLibrary(path);
    const manifest = { name: NAME, version: "0.0.0", type: "module", ...modules };
    await Deno.writeTextFile(`${path}/package.json`, JSON.stringify(manifest));
    await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ type: "module" }));
    await Deno.writeTextFile(`${folder}/imports.json`, JSON.stringify([...imports]));
  });
  const imports: [string, { static: string[]; dynamic: string[] }][] = JSON.parse(
    await Deno.readTextFile(`${folder}/imports.json`),
  );
  return { folder, path: `${folder}/node_modules/${NAME}`, imports: new Map(imports) };
}
