/**
 * Builds the packages for npm and PyPI.
 *
 * @module
 */
import { resolve } from "node:path";
import { exists } from "../cache.ts";
import { bundle } from "../bundle.ts";
import { makeExecutable } from "../compile.ts";
import { buildLibrary } from "./library.ts";
import { executableOf, NPM_NAME, npmNameOf, type Platform, PLATFORMS } from "./names.ts";
import { writeCommand, writeExecutablePackage, writeManifest } from "./npm_command.ts";
import { findCommit, VERSION } from "./stamp.ts";
import { makeWheel } from "./wheel.ts";

export const DIST = resolve(`${import.meta.dirname}/../../dist`);

export interface Executable {
  readonly platform: Platform;
  readonly path: string;
}

/**
 * Builds the packages from the source tree:
 *
 * - `dist/npm/NAME/`: the folder of each npm package; `dist/npm/*.tgz`: its tarball.
 * - `dist/pypi/*.whl`: the wheels for Python.
 *
 * @param given A folder with executables, as `deno task compile` makes them. Default: one is made for this machine.
 * @returns The paths of the packages.
 */
export async function buildPackages(given?: string): Promise<string[]> {
  const npm = `${DIST}/npm`;
  const pypi = `${DIST}/pypi`;
  for (const folder of [npm, pypi]) await Deno.remove(folder, { recursive: true }).catch(() => {});
  const main = `${npm}/${NPM_NAME}`;
  const manifest = await writeCommand(main);
  const { modules } = await buildLibrary(main);
  const exports = { ...modules.exports, "./package.json": "./package.json" };
  await writeManifest(main, { ...manifest, ...modules, exports });
  const executables = await findExecutables(given);
  for (const { platform, path } of executables) {
    await writeExecutablePackage(`${npm}/${npmNameOf(platform)}`, platform, path);
  }
  const names = [NPM_NAME, ...executables.map(({ platform }) => npmNameOf(platform))];
  const tarballs = await Promise.all(names.map((name) => pack(npm, name)));
  const commit = await findCommit() ?? "";
  const wheels = await Promise.all(
    executables.map(({ platform, path }) =>
      makeWheel({ executable: path, platform: platform.name, version: VERSION, commit, folder: pypi })
    ),
  );
  return [...tarballs, ...wheels];
}

/** The given executables, or one that is made for this machine's platform. */
async function findExecutables(given: string | undefined): Promise<Executable[]> {
  const found: Executable[] = [];
  for (const platform of PLATFORMS) {
    const path = `${given ?? DIST}/${executableOf(platform)}`;
    if (given === undefined) {
      if (platform.target !== Deno.build.target) continue;
      await makeExecutable(await bundle(undefined, { isCompiled: true }), platform);
    } else if (!await exists(path)) continue;
    found.push({ platform, path });
  }
  if (found.length === 0) throw new Error(`There is no executable in ${given ?? DIST}. Run deno task compile.`);
  return found;
}

async function pack(npm: string, name: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("npm", {
    args: ["pack", "--json", "--pack-destination", npm, `${npm}/${name}`],
    cwd: npm,
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`Cannot pack ${name}: ${new TextDecoder().decode(stderr)}`);
  const [{ filename }] = JSON.parse(new TextDecoder().decode(stdout));
  return `${npm}/${filename}`;
}
