/**
 * npm packages in Deno's cache.
 *
 * @module
 */
import configuration from "../../deno.json" with { type: "json" };

/** A package and its version in a path of Deno's cache: `…/npm/HOST/@scope/name/1.0.0/dist/index.js`. */
const CACHED = /(?:^|\/)npm\/([^/]+)\/((?:@[^/]+\/)?[^/]+)\/(\d[^/]*)\/(.+)$/;

/** A package in the cache. */
export interface CachedPackage {
  /** `yaml`. */
  name: string;
  /** `2.9.1`. */
  version: string;
  /** The path of the package's folder. */
  folder: string;
}

/** A package of which a file is named. */
export interface CachedFile extends Omit<CachedPackage, "folder"> {
  /** The path of the package's folder, from the cache's folder. */
  place: string;
  /** The path of the file inside the package. */
  path: string;
}

/** Reads which file of a package a path names, absolute or relative; `undefined` for paths outside Deno's cache. */
export function readCachedPath(written: string): CachedFile | undefined {
  const [, registry, name, version, path] = CACHED.exec(written) ?? [];
  if (name === undefined || version === undefined || path === undefined) return undefined;
  return { name, version, path, place: `${registry}/${name}/${version}` };
}

/**
 * Finds a package of deno.json's import map in Deno's cache.
 *
 * @returns `undefined` if deno.json doesn't name the package.
 * @throws {Error} If the cache doesn't have it.
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

/** The folder of Deno's cache that has a folder for each registry of npm packages. */
export function npmCache(): Promise<string> {
  cache ??= readNpmCache();
  return cache;
}

async function readNpmCache(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"], stderr: "null" }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout)) as { npmCache: string };
  return npmCache;
}
