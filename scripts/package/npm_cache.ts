/**
 * Finds npm packages in Deno's cache.
 *
 * @module
 */
import configuration from "../../deno.json" with { type: "json" };

/** A package with its version in a path of Deno's cache: `…/npm/HOST/@scope/name/1.0.0/dist/index.js`. */
const CACHED = /(?:^|\/)npm\/([^/]+)\/((?:@[^/]+\/)?[^/]+)\/(\d[^/]*)\/(.+)$/;

export interface CachedPackage {
  /** The name, such as `yaml`. */
  name: string;
  /** The version, such as `2.9.1`. */
  version: string;
  /** The path of the package's folder. */
  folder: string;
}

/** A file of a package in the cache. */
export interface CachedFile extends Omit<CachedPackage, "folder"> {
  /** The path of the package's folder, relative to the folder of the cache. */
  place: string;
  /** The path of the file, relative to the folder of the package. */
  path: string;
}

/** Parses a path of Deno's cache, absolute or relative; `undefined` for other paths. */
export function readCachedPath(written: string): CachedFile | undefined {
  const [, registry, name, version, path] = CACHED.exec(written) ?? [];
  if (name === undefined || version === undefined || path === undefined) return undefined;
  return { name, version, path, place: `${registry}/${name}/${version}` };
}

/**
 * Finds a package of deno.json's import map in Deno's cache.
 *
 * @returns `undefined` if deno.json doesn't name the package.
 * @throws {Error} If the cache lacks the package.
 */
export async function findPackage(name: string): Promise<CachedPackage | undefined> {
  const imports: Record<string, string> = configuration.imports;
  const version = /.@(\d[^@/]*)(?:\/.*)?$/.exec(imports[name] ?? imports[`${name}/`] ?? "")?.[1];
  if (version === undefined) return undefined;
  const cache = await npmCache();
  for await (const registry of Deno.readDir(cache)) {
    const folder = `${cache}/${registry.name}/${name}/${version}`;
    if (await Deno.stat(folder).then(() => true, () => false)) return { name, version, folder };
  }
  throw new Error(`Deno's cache has no ${name} ${version}: run \`deno install\`.`);
}

let cache: Promise<string> | undefined;

/** The folder `npm` of Deno's cache, which has a folder for each registry. */
export function npmCache(): Promise<string> {
  cache ??= readNpmCache();
  return cache;
}

async function readNpmCache(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"], stderr: "null" }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout)) as { npmCache: string };
  return npmCache;
}
