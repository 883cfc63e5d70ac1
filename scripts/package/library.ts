/**
 * Makes the npm library from mod.ts and adapters/: ECMAScript modules with declarations and source maps, for Node.js 20
 * and later, Bun, Deno, workers and browsers; and CommonJS modules.
 *
 * The library has no dependencies: the npm packages that it uses are bundled, in the versions of deno.lock with which
 * the tests run. So nothing unused is installed, and browsers and workers need no bundler. Parts that only some
 * definitions or requests need are separate files, which are imported at their first use.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { bundleLibrary, type Imports } from "./library_bundle.ts";
import { COMMONJS, writeCommonJs } from "./library_commonjs.ts";
import { writeDeclarations } from "./library_declarations.ts";
import { writeLicenses } from "./library_licenses.ts";

const ROOT = fileURLToPath(import.meta.resolve("../.."));

const FOLDER = "library";

/** A module and its declarations, as paths in the package. */
interface ExportedModule {
  types: string;
  default: string;
}

/** The `exports` of a package.json, by subpath: a CommonJS module for `require`, an ECMAScript module otherwise. */
export type PackageExports = Record<string, { require: ExportedModule } & ExportedModule>;

/** The fields of a package.json that tell where its modules are. */
export interface PackageModules {
  exports: PackageExports;
  /** The main module, for tools that don't read `exports`. */
  main: string;
  types: string;
  /** The declarations by subpath, for TypeScript that doesn't read `exports`: with `moduleResolution: node10`. */
  typesVersions: { "*": Record<string, readonly string[]> };
}

export interface Library {
  /** The fields for the package.json. */
  modules: PackageModules;
  /** The imports of each file in the folder `library`, by file name. */
  imports: ReadonlyMap<string, Imports>;
}

/**
 * Makes the library.
 *
 * @param folder The folder of the npm package. It gets a folder `library`, which replaces an older one.
 * @throws {Error} If bundling fails, or the declarations can't be made.
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
  return { modules: modulesOf(sources), imports };
}

/** The source file of each entry point, by subpath: mod.ts, and each adapter. */
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

function modulesOf(sources: ReadonlyMap<string, string>): PackageModules {
  const exports = exportsOf(sources);
  const { types, default: main } = moduleIn(`${FOLDER}/${COMMONJS}`, "mod");
  const declared = Object.entries(exports).filter(([subpath]) => subpath !== ".")
    .map(([subpath, { require }]) => [subpath.replace("./", ""), [require.types]] as const);
  return { exports, main, types, typesVersions: { "*": Object.fromEntries(declared) } };
}

function moduleIn(folder: string, path: string): ExportedModule {
  return { types: `./${folder}/types/${path}.d.ts`, default: `./${folder}/${path}.js` };
}

if (import.meta.main) {
  const [folder = `${ROOT}/dist/npm/library`] = Deno.args;
  // deno-lint-ignore no-console -- This command prints its results.
  console.log(JSON.stringify((await buildLibrary(folder)).modules, null, 2));
}
