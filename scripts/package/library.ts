/**
 * Makes the npm library from mod.ts and adapters/: ECMAScript modules with declarations and source maps, for Node.js 20
 * and later, Bun, Deno, workers and browsers; and the same as CommonJS modules.
 *
 * The library has no dependencies: what it uses of npm packages is bundled, in the versions of deno.lock, with which
 * the tests run. So nothing is installed that isn't used, and a browser or a worker needs no bundler. Parts that only
 * some definitions or requests need are files of their own, imported when they are first used.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { bundleLibrary, type Imports } from "./library_bundle.ts";
import { COMMONJS, writeCommonJs } from "./library_commonjs.ts";
import { writeDeclarations } from "./library_declarations.ts";
import { writeLicenses } from "./library_licenses.ts";

const ROOT = fileURLToPath(import.meta.resolve("../.."));

/** Where the files lie in the package. */
const FOLDER = "library";

/** A module and its declarations: paths in the package. */
interface ExportedModule {
  types: string;
  default: string;
}

/** The `exports` of a package.json by their subpath: CommonJS modules for `require`, ECMAScript modules for the rest. */
export type PackageExports = Record<string, { require: ExportedModule } & ExportedModule>;

/** A library that was made. */
export interface Library {
  /** For the package's package.json. */
  exports: PackageExports;
  /** The imports of each file in `library`, by the file's name. */
  imports: ReadonlyMap<string, Imports>;
}

/**
 * Makes the library.
 *
 * @param folder The folder of the npm package. It gets a folder `library`, in place of an older one.
 * @throws {Error} If the sources can't be bundled or declared.
 */
export async function buildLibrary(folder: string): Promise<Library> {
  const library = `${folder}/${FOLDER}`;
  await Deno.remove(library, { recursive: true }).catch(() => {});
  await Deno.mkdir(library, { recursive: true });
  const sources = await listEntries();
  const { imports, packages } = await bundleLibrary([...sources.values()], ROOT, library);
  const declared = await writeDeclarations([...sources.values()], ROOT, `${library}/types`);
  await writeCommonJs(library);
  await writeLicenses([...packages, ...declared], `${library}/LICENSES.txt`);
  return { exports: exportsOf(sources), imports };
}

/** The source of each entry by its subpath: mod.ts, and each adapter. */
async function listEntries(): Promise<Map<string, string>> {
  const adapters = await Array.fromAsync(Deno.readDir(`${ROOT}/adapters`)).catch(() => []);
  const names = adapters.map(({ name }) => name).filter((name) => name.endsWith(".ts")).sort();
  return new Map([[".", "mod.ts"], ...names.map((name) => [`./${name.slice(0, -3)}`, `adapters/${name}`] as const)]);
}

function exportsOf(sources: ReadonlyMap<string, string>): PackageExports {
  return Object.fromEntries(
    [...sources].map(([subpath, source]) => {
      const path = source.replace(/\.ts$/, "");
      return [subpath, { require: moduleIn(`${FOLDER}/${COMMONJS}`, path), ...moduleIn(FOLDER, path) }];
    }),
  );
}

function moduleIn(folder: string, path: string): ExportedModule {
  return { types: `./${folder}/types/${path}.d.ts`, default: `./${folder}/${path}.js` };
}

if (import.meta.main) {
  const [folder = `${ROOT}/dist/npm/library`] = Deno.args;
  // The command prints.
  // deno-lint-ignore no-console
  console.log(JSON.stringify((await buildLibrary(folder)).exports, null, 2));
}
