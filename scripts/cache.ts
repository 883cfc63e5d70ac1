/**
 * A cache outside the clone, for npm packages that the project doesn't depend on: real definitions, other mock servers,
 * another Deno.
 *
 * @module
 */

/** The folder of the cache: `GW_CACHE` if set, else a folder in the user's cache folder. */
export function cacheFolder(): string {
  const named = Deno.env.get("GW_CACHE");
  if (named !== undefined && named !== "") return named;
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE") ?? ".";
  const users = {
    darwin: `${home}/Library/Caches`,
    windows: Deno.env.get("LOCALAPPDATA") ?? `${home}/AppData/Local`,
    other: Deno.env.get("XDG_CACHE_HOME") ?? `${home}/.cache`,
  };
  const os = Deno.build.os;
  return `${os === "darwin" || os === "windows" ? users[os] : users.other}/gw`;
}

/**
 * Installs npm packages into the cache if they are missing.
 *
 * @param packages Exact versions by package name.
 * @returns The `node_modules` folder that contains the packages.
 * @throws {Error} If the registry can't be reached, or has no such version.
 */
export async function installPackages(packages: Readonly<Record<string, string>>): Promise<string> {
  const names = Object.keys(packages).sort();
  const label = names.map((name) => `${name.replaceAll(/[@/]+/g, "-").replace(/^-/, "")}-${packages[name]}`).join("_");
  const folder = `${cacheFolder()}/npm/${label}`;
  await fillOnce(folder, `${folder}.lock`, async () => {
    // deno-lint-ignore no-console
    console.error(`Installing ${names.map((name) => `${name}@${packages[name]}`).join(", ")} into ${folder}`);
    await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ dependencies: packages }));
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["install", "--node-modules-dir=auto"],
      cwd: folder,
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw new Error(`Cannot install ${names.join(", ")}: ${new TextDecoder().decode(stderr)}`);
  });
  return `${folder}/node_modules`;
}

/**
 * Returns a folder of the cache, and makes it if it is missing. Concurrent calls for one folder call `make` only once.
 *
 * @param parent The parent folder, relative to the cache: `cluster`.
 * @param name A name for the content of the folder.
 * @param pins Texts with the versions of the content. If one of them changes, a new folder is made.
 * @param make Fills the folder.
 */
export async function makeOnce(
  parent: string,
  name: string,
  pins: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const path = `${cacheFolder()}/${parent}/${name}`;
  const folder = `${path}-${await digest([Deno.build.target, ...pins])}`;
  await fillOnce(folder, `${path}.lock`, () => make(folder));
  return folder;
}

/** Fills a folder unless a call, also of another process, has filled it before. */
async function fillOnce(folder: string, lockFile: string, fill: () => Promise<void>): Promise<void> {
  if (await exists(`${folder}/made`)) return;
  await Deno.mkdir(folder, { recursive: true });
  using lock = await Deno.open(lockFile, { create: true, write: true });
  await lock.lock(true);
  // Another process may have filled the folder while this call waited for the lock.
  if (await exists(`${folder}/made`)) return;
  await fill();
  await Deno.writeTextFile(`${folder}/made`, "");
}

async function digest(texts: readonly string[]): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(texts.join("\0"))));
  return hash.slice(0, 6).toHex();
}

export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
