/**
 * Bundles the npm library in two steps: `deno bundle` resolves the imports, as for the program, and esbuild lowers the
 * syntax to that of Node.js 20.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import configuration from "../../deno.json" with { type: "json" };
import { OLDEST_NODE } from "./names.ts";
import { type CachedPackage, npmCache, readCachedPath } from "./npm_cache.ts";

/** Imports that aren't bundled: modules of the runtime, and the test tools that the adapters are for. */
const EXTERNAL = ["node:*", "msw", "vitest", "@jest/globals", "@playwright/test"];

/** Replacements for functions that Node.js 20 or the jsdom of Jest 29 lacks. */
const PONYFILLS = fileURLToPath(import.meta.resolve("./ponyfills.ts"));

/** The names of the files that a file of the bundle imports. */
export interface Imports {
  /** Files that are loaded together with the file. */
  static: readonly string[];
  /** Files that the file loads by `import()`. */
  dynamic: readonly string[];
}

export interface LibraryBundle {
  imports: ReadonlyMap<string, Imports>;
  /** The npm packages whose code is in the bundle. */
  packages: readonly CachedPackage[];
}

/**
 * Bundles the entry points of the library.
 *
 * @param entries Paths of TypeScript files, relative to `root`.
 * @param root The folder of the sources.
 * @param folder Folder for the output: each entry point under its path, and a folder `chunks`.
 * @throws {Error} If bundling fails.
 */
export async function bundleLibrary(entries: readonly string[], root: string, folder: string): Promise<LibraryBundle> {
  const resolved = await Deno.makeTempDir();
  try {
    await resolveImports(entries, root, resolved);
    const packages = await findPackages(resolved);
    await joinCore(resolved);
    const { outputs } = await lower(
      entries.map((entry) => `${resolved}/${entry.replace(/\.ts$/, ".js")}`),
      resolved,
      folder,
    );
    for (const path of Object.keys(outputs)) {
      if (path.endsWith(".map")) await renameSources(fileURLToPath(new URL(path, `file://${resolved}/`)), root);
    }
    return { imports: importsOf(outputs, resolved, folder), packages };
  } finally {
    await Deno.remove(resolved, { recursive: true });
    await esbuild.stop();
  }
}

/** Packages that have a separate module for browsers, which contains its own `Buffer`. */
const FOR_BROWSERS = ["csv-parse", "csv-stringify"];

/** Bundles without lowering the syntax. The result has only relative and external imports. */
async function resolveImports(entries: readonly string[], root: string, folder: string): Promise<void> {
  const external = EXTERNAL.map((name) => `--external=${name}`);
  const imports: Record<string, string> = { ...configuration.imports };
  for (const name of FOR_BROWSERS) {
    imports[`${name}/sync`] = (imports[`${name}/sync`] ?? "").replace(/\/sync$/, "/browser/esm/sync");
  }
  const importMap = `${folder}/import_map.json`;
  await Deno.writeTextFile(importMap, JSON.stringify({ imports }));
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      ...[
        "--import-map",
        importMap,
        "--platform",
        "browser",
        "--code-splitting",
        "--sourcemap",
        "linked",
        "--outdir",
        folder,
      ],
      ...external,
      ...entries,
    ],
    cwd: root,
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`Cannot bundle ${entries.join(", ")}: ${new TextDecoder().decode(stderr)}`);
}

/** The main entry, which every part that is loaded on demand needs. */
const CORE = "mod.js";

/**
 * Makes the modules that mod.js loads on demand import mod.js. This loads nothing more, since mod.js is loaded before
 * them, but it makes esbuild write mod.js and its static imports as one file. Otherwise esbuild splits them into a file
 * for each set of parts that share modules: dozens of small files, which compress badly.
 */
async function joinCore(folder: string): Promise<void> {
  const { metafile: { inputs } } = await esbuild.build({
    absWorkingDir: folder,
    entryPoints: [CORE],
    outdir: ".",
    bundle: true,
    splitting: true,
    format: "esm",
    external: [...EXTERNAL],
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const parts = Object.values(inputs).flatMap(({ imports }) =>
    imports.filter(({ kind, external }) => kind === "dynamic-import" && external !== true).map(({ path }) => path)
  );
  for (const part of new Set(parts)) {
    const path = `${folder}/${part}`;
    await Deno.writeTextFile(path, `${await Deno.readTextFile(path)}\nimport "./${CORE}";\n`);
  }
}

async function lower(entryPoints: readonly string[], resolved: string, folder: string): Promise<esbuild.Metafile> {
  const { metafile } = await esbuild.build({
    absWorkingDir: resolved,
    entryPoints: [...entryPoints],
    outdir: folder,
    outbase: resolved,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    target: [`node${OLDEST_NODE}`, "es2023"],
    inject: [PONYFILLS],
    external: [...EXTERNAL],
    minify: true,
    // For an uncaught error, Node.js prints the line that threw it.
    lineLimit: LINE_LIMIT,
    sourcemap: "linked",
    legalComments: "none",
    metafile: true,
    logLevel: "silent",
  });
  return metafile;
}

/** The length in characters at which esbuild begins a new line of minified code. */
const LINE_LIMIT = 400;

/** The comment before each bundled module, which contains its path. */
const MODULE = /^\/\/ (\S+)$/gm;

/** The name of a CommonJS module in the bundle: a path on this machine. */
const COMMONJS_NAME = /^(\s*)"([^"]+)"\(/gm;

/** Finds the npm packages in a bundle, and shortens the names of their modules, which contain paths of this machine. */
async function findPackages(folder: string): Promise<CachedPackage[]> {
  const packages = new Map<string, CachedPackage>();
  const cache = await npmCache();
  for await (const { name: file } of Deno.readDir(folder)) {
    if (!file.endsWith(".js")) continue;
    const text = await Deno.readTextFile(`${folder}/${file}`);
    for (const [, path = ""] of text.matchAll(MODULE)) {
      const found = readCachedPath(path);
      if (found === undefined) continue;
      packages.set(found.place, { name: found.name, version: found.version, folder: `${cache}/${found.place}` });
    }
    const shortened = text.replaceAll(COMMONJS_NAME, (written, space: string, path: string) => {
      const found = readCachedPath(path);
      return found === undefined ? written : `${space}"${found.name}/${found.path}"(`;
    });
    if (shortened !== text) await Deno.writeTextFile(`${folder}/${file}`, shortened);
  }
  return [...packages.values()];
}

/**
 * Replaces the paths of this machine in a source map by names such as `gw/lib/mock/mock.ts` and
 * `yaml@2.9.1/dist/index.js`.
 */
async function renameSources(file: string, root: string): Promise<void> {
  const map = JSON.parse(await Deno.readTextFile(file)) as { sources: string[] };
  const own = `${root.replace(/\/$/, "")}/`;
  map.sources = map.sources.map((source) => {
    const path = fileURLToPath(new URL(source, `file://${file}`));
    const cached = readCachedPath(path);
    if (cached !== undefined) return `${cached.name}@${cached.version}/${cached.path}`;
    return path.startsWith(own) ? `gw/${path.slice(own.length)}` : `gw/${path.split("/").at(-1)}`;
  });
  await Deno.writeTextFile(file, JSON.stringify(map));
}

function importsOf(outputs: esbuild.Metafile["outputs"], base: string, folder: string): Map<string, Imports> {
  const nameOf = (path: string): string => {
    const absolute = fileURLToPath(new URL(path, `file://${base}/`));
    return absolute.slice(folder.length + 1);
  };
  return new Map(
    Object.entries(outputs).filter(([path]) => path.endsWith(".js")).map(([path, { imports }]) => {
      const own = imports.filter(({ external }) => external !== true);
      const named = (kind: string) => own.filter((found) => found.kind === kind).map((found) => nameOf(found.path));
      return [nameOf(path), { static: named("import-statement"), dynamic: named("dynamic-import") }];
    }),
  );
}
