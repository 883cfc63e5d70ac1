/**
 * Writes the npm packages: the main package with the command, and for each platform a package with its executable.
 *
 * @module
 */
import { bundle } from "../bundle.ts";
import { RUN_FLAGS } from "../executable.ts";
import { COMMAND, NPM_NAME, npmNameOf, OLDEST_NODE, type Platform, PLATFORMS } from "./names.ts";
import { findCommit, VERSION } from "./stamp.ts";

const ROOT = `${import.meta.dirname}/../..`;

/** The version of Deno for a platform without an executable, where Deno runs the bundle. */
const DENO = { "@deno/win32-arm64": "2.9.5" };

/** The test tools that the adapters are for, as optional peer dependencies. */
const PEERS = { "@playwright/test": ">=1.40", deno: ">=2.9", jest: ">=29", msw: ">=2.11", vitest: ">=1" };

/** The fields that every package.json has. */
const COMMON = { version: VERSION, license: "Apache-2.0", ...repository() };

/** The repository of a release. npm compares it with the provenance of the package. */
function repository(): Manifest {
  const name = Deno.env.get("GITHUB_REPOSITORY");
  return name === undefined ? {} : { repository: { type: "git", url: `git+https://github.com/${name}.git` } };
}

/** A package.json. */
export type Manifest = Readonly<Record<string, unknown>>;

/**
 * Writes the files of the command: the launcher, and the bundle for platforms without an executable.
 *
 * @param folder The folder of the package.
 * @returns Fields for its package.json.
 */
export async function writeCommand(folder: string): Promise<Manifest> {
  const bin = `${folder}/bin`;
  await Deno.mkdir(bin, { recursive: true });
  await bundle(`${bin}/bundle`);
  await Deno.copyFile(`${ROOT}/packages/npm/gw.js`, `${bin}/gw.js`);
  await Deno.chmod(`${bin}/gw.js`, 0o755);
  await Deno.writeTextFile(
    `${bin}/launch.json`,
    JSON.stringify({
      name: NPM_NAME,
      version: VERSION,
      platforms: PLATFORMS.map(({ os, cpu }) => `${os}-${cpu}`),
      denoFlags: RUN_FLAGS,
    }),
  );
  for (const file of ["packages/npm/README.md", "LICENSE"]) {
    await Deno.copyFile(`${ROOT}/${file}`, `${folder}/${file.split("/").at(-1)}`);
  }
  return {
    name: NPM_NAME,
    ...COMMON,
    description: "Mock server and gateway for OpenAPI definitions",
    keywords: ["openapi", "mock", "mock-server", "gateway", "swagger"],
    type: "module",
    bin: { [COMMAND]: "bin/gw.js", [NPM_NAME]: "bin/gw.js" },
    engines: { node: `>=${OLDEST_NODE}` },
    optionalDependencies: {
      ...Object.fromEntries(PLATFORMS.map((platform) => [npmNameOf(platform), VERSION])),
      ...DENO,
    },
    peerDependencies: PEERS,
    peerDependenciesMeta: Object.fromEntries(Object.keys(PEERS).map((name) => [name, { optional: true }])),
  };
}

/**
 * Writes the package with an executable.
 *
 * @param folder The folder of the package.
 * @param executable The path of the executable.
 */
export async function writeExecutablePackage(folder: string, platform: Platform, executable: string): Promise<void> {
  const file = `${folder}/bin/${COMMAND}${platform.os === "win32" ? ".exe" : ""}`;
  await Deno.mkdir(`${folder}/bin`, { recursive: true });
  await Deno.copyFile(executable, file);
  await Deno.chmod(file, 0o755);
  await Deno.copyFile(`${ROOT}/LICENSE`, `${folder}/LICENSE`);
  await writeManifest(folder, executableManifest(platform));
}

export function executableManifest(platform: Platform): Manifest & { name: string; version: string } {
  const { os, cpu } = platform;
  return {
    name: npmNameOf(platform),
    ...COMMON,
    description: `The executable of ${NPM_NAME} for ${os} ${cpu}`,
    os: [os],
    cpu: [cpu],
    ...(os === "linux" ? { libc: ["glibc"] } : {}),
    preferUnplugged: true,
    files: ["bin"],
  };
}

/** Writes a package.json, stamped with the commit in the field that npm has for it. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const gitHead = await findCommit();
  await Deno.writeTextFile(`${folder}/package.json`, `${JSON.stringify({ ...manifest, gitHead }, null, 2)}\n`);
}
