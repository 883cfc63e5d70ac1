/**
 * Installs packages as a new user does: into empty folders, with empty caches, from a registry that has the packages of
 * this source tree.
 *
 * @module
 */
import { exists } from "../cache.ts";
import { startRegistry } from "./registry.ts";

/** Makes a folder that contains only the given files. It is removed when it is disposed of. */
export async function emptyFolder(
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "gw_package_" });
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${path}/${name}`, text);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The environment of a new user: an empty home, and by default an empty cache of npm.
 *
 * @param home An empty folder.
 * @param registry URL of the registry that has the packages of this source tree.
 */
export function newUser(home: string, registry: string, cache = `${home}/.npm`): Record<string, string> {
  return {
    ...connection(),
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

/** The environment variables by which this machine reaches the registries: proxies and certificates. */
function connection(): Record<string, string> {
  const names = /^(https?_proxy|no_proxy|ssl_cert_(file|dir)|node_extra_ca_certs|deno_(cert|tls_ca_store)|pip_cert)$/i;
  return Object.fromEntries(Object.entries(Deno.env.toObject()).filter(([name]) => names.test(name)));
}

/** Runs a program to its end. Its environment has only the given variables. */
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

export interface NpmOptions {
  /** The tarballs of this source tree's packages. */
  readonly tarballs: readonly string[];
  /** npm's cache folder. Default: an empty one. */
  readonly cache?: string;
}

/**
 * Runs `npm install` in a folder.
 *
 * @param folder The user's project. It gets a package.json if it has none.
 * @param names Names of packages, and flags of npm.
 * @throws {Error} If npm fails.
 */
export async function npmInstall(folder: string, names: readonly string[], options: NpmOptions): Promise<void> {
  await using registry = await startRegistry(options.tarballs);
  await using home = await emptyFolder();
  const project = `${folder}/package.json`;
  // Without a package.json, npm would look for a project in the enclosing folders.
  if (!await exists(project)) await Deno.writeTextFile(project, "{}");
  const { code, stderr } = await run(["npm", "install", ...names], {
    cwd: folder,
    env: newUser(home.path, registry.url, options.cache),
  });
  if (code !== 0) throw new Error(`npm install ${names.join(" ")} failed:\n${stderr}`);
}
