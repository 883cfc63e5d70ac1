/**
 * Support for tests of packages: builds the packages of these sources, and installs them into empty folders with empty
 * caches.
 *
 * @module
 */
import { exists } from "../../scripts/cache.ts";
import { buildPackages, DIST } from "../../scripts/package/build.ts";
import { npmInstall } from "../../scripts/package/install.ts";
import { digestOf } from "./sources.ts";

export { emptyFolder, newUser, run } from "../../scripts/package/install.ts";

/** The files and folders that the packages are made from. */
const SOURCES = [
  "adapters",
  "cmd",
  "lib",
  "packages",
  "scripts/package",
  "main.ts",
  "mod.ts",
  "deno.json",
  "deno.lock",
];

/** Builds the packages into dist/, unless dist/ has those of the current sources. Concurrent calls share one build. */
export async function packages(): Promise<{ npm: string[]; pypi: string[] }> {
  await Deno.mkdir(DIST, { recursive: true });
  using lock = await Deno.open(`${DIST}/packages.lock`, { create: true, write: true });
  await lock.lock(true);
  const stamp = `${DIST}/packages.digest`;
  const digest = await digestOf(SOURCES);
  if (!await exists(stamp) || await Deno.readTextFile(stamp) !== digest) {
    await Deno.remove(stamp).catch(() => {});
    await buildPackages();
    await Deno.writeTextFile(stamp, digest);
  }
  return { npm: await filesOf(`${DIST}/npm`, ".tgz"), pypi: await filesOf(`${DIST}/pypi`, ".whl") };
}

/**
 * Installs npm packages into a folder by `npm install`, with an empty cache. Packages of these sources are named as
 * they are published (`openapi-gw`); others, such as `msw@2.11.0`, come from npm's registry.
 *
 * @param folder The folder of the project. It gets a package.json if it has none.
 * @param names The packages, and flags of npm.
 * @param options.cache A cache that several installations share, for large downloads. Default: an empty one.
 * @throws {Error} If npm fails.
 */
export async function installFrom(
  folder: string,
  names: readonly string[],
  options: { cache?: string } = {},
): Promise<void> {
  await npmInstall(folder, names, { tarballs: (await packages()).npm, ...options });
}

async function filesOf(folder: string, end: string): Promise<string[]> {
  if (!await exists(folder)) return [];
  return Array.from(Deno.readDirSync(folder), ({ name }) => `${folder}/${name}`).filter((path) => path.endsWith(end));
}
