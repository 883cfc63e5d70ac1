/**
 * What the tests of packages share: the packages of this source tree, empty folders, and installations from nothing.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { exists } from "../../scripts/cache.ts";
import { buildPackages, DIST } from "../../scripts/package/build.ts";
import { startRegistry } from "../../scripts/package/registry.ts";

const ROOT = `${import.meta.dirname}/../..`;

/** Everything that packages are made of. */
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

/** Builds the packages into dist/, unless those there are of the same sources. Concurrent callers share one build. */
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

/** A folder that holds nothing but the files that are given by name; removed in the end. */
export async function emptyFolder(
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "gw_package_" });
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${path}/${name}`, text);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** A program that ended. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The environment of a new user: an empty home, and an empty cache of npm unless another is named.
 *
 * @param home An empty folder.
 * @param registry URL of the registry that has the packages of this tree.
 */
export function newUser(home: string, registry: string, cache = `${home}/.npm`): Record<string, string> {
  return {
    PATH: Deno.env.get("PATH") ?? "",
    HOME: home,
    NO_COLOR: "1",
    npm_config_registry: registry,
    npm_config_cache: cache,
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
    npm_config_fund: "false",
  };
}

/** Runs a program to its end, with nothing in its environment but what is given. */
export async function run(
  [program, ...args]: readonly [string, ...string[]],
  options: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<Ran> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    ...options,
    args,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return { code, stdout: decode(stdout), stderr: decode(stderr) };
}

/**
 * Installs npm packages into a folder by `npm install`, with an empty cache. This tree's packages are had by the names
 * under which they are published (`openapi-gw`), others (`msw@2.11.0`) from npm's registry.
 *
 * @param folder The user's project; it gets a package.json if it has none.
 * @param names The packages, and flags of npm.
 * @param options.cache npm's cache, to share downloads of big tools.
 * @throws {Error} If npm fails.
 */
export async function installFrom(
  folder: string,
  names: readonly string[],
  options: { cache?: string } = {},
): Promise<void> {
  await using registry = await startRegistry((await packages()).npm);
  await using home = await emptyFolder();
  const project = `${folder}/package.json`;
  // Without one, npm would look for a project in the folders above.
  if (!await exists(project)) await Deno.writeTextFile(project, "{}");
  const { code, stderr } = await run(["npm", "install", ...names], {
    cwd: folder,
    env: newUser(home.path, registry.url, options.cache),
  });
  if (code !== 0) throw new Error(`npm install ${names.join(" ")} failed:\n${stderr}`);
}

async function digestOf(names: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const name of names) await add(name);
  return hash.digest("hex");

  async function add(name: string): Promise<void> {
    const path = `${ROOT}/${name}`;
    if (!await exists(path)) return;
    hash.update(`\0${name}\0`);
    if ((await Deno.stat(path)).isDirectory) {
      const names = Array.from(Deno.readDirSync(path), (entry) => entry.name).sort();
      for (const entry of names) await add(`${name}/${entry}`);
    } else hash.update(await Deno.readFile(path));
  }
}

async function filesOf(folder: string, end: string): Promise<string[]> {
  if (!await exists(folder)) return [];
  return Array.from(Deno.readDirSync(folder), ({ name }) => `${folder}/${name}`).filter((path) => path.endsWith(end));
}
