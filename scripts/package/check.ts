/**
 * Checks that the packages read nothing of the source tree at run time: runs them with an empty environment, in a mount
 * namespace that hides the tree behind an empty file system. Needs Linux, and root or user namespaces.
 *
 * @module
 */
import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { checkProgram } from "../program_check.ts";
import { emptyFolder, npmInstall } from "./install.ts";
import { NPM_NAME, npmNameOf, PLATFORMS, PYTHON_MODULE } from "./names.ts";

const ROOT = realpathSync(fileURLToPath(import.meta.resolve("../..")));

/** A program that reads a definition with the npm library, and answers a request. */
const LIBRARY_PROGRAM = String.raw`
import { createMock, parseDocument } from "${NPM_NAME}";
const text = "openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths: {/a: {get: {responses: {'200': {description: A}}}}}";
const { status } = await createMock(await parseDocument(text))(new Request("http://a.test/a"));
console.log(status);
`;

/**
 * Installs the packages into empty folders, and runs them without the source tree.
 *
 * @param paths The packages, as `buildPackages()` returns them.
 * @returns What was checked.
 * @throws {Error} If a package doesn't work without the source tree.
 */
export async function checkPackages(paths: readonly string[]): Promise<string[]> {
  await using folder = await emptyFolder();
  const own = PLATFORMS.find(({ target }) => target === Deno.build.target);
  const tarballs = paths.filter((path) => path.endsWith(".tgz"));
  const wheel = paths.find((path) => path.includes("linux") && path.endsWith(`${Deno.build.arch}.whl`));
  if (own === undefined || wheel === undefined) throw new Error("There are no packages for this machine's platform.");

  await checkHidden();
  await npmInstall(folder.path, [NPM_NAME], { tarballs });
  const packageFolder = `${folder.path}/node_modules/${NPM_NAME}`;
  const [node, python] = [await ask(["node", "-p", "process.execPath"]), await ask(["python3", "-c", PYTHON_PATH])];
  const site = `${folder.path}/python`;
  await ask([python, "-m", "pip", "install", "--quiet", "--no-index", "--target", site, wheel]);

  const launcher = [node, `${packageFolder}/bin/gw.js`];
  const executable = `${folder.path}/node_modules/${npmNameOf(own)}`;
  const version = await checkProgram(hidden(launcher));
  const wheelVersion = await checkProgram(hidden(["/usr/bin/env", `PYTHONPATH=${site}`, python, "-m", PYTHON_MODULE]));
  const library = hidden([node, "--input-type=module", "--eval", LIBRARY_PROGRAM]);
  assert.equal(await ask(library, folder.path), "200");
  const stamp = JSON.parse(await Deno.readTextFile(`${packageFolder}/package.json`));
  const libraryVersion = stamp.gitHead === undefined ? `gw ${stamp.version}` : `gw ${stamp.version} (${stamp.gitHead})`;
  await Deno.remove(executable, { recursive: true });
  const denoVersion = await checkProgram(
    hidden(["/usr/bin/env", `PATH=${Deno.execPath().replace(/\/[^/]+$/, "")}`, ...launcher]),
  );
  assert.deepEqual(
    [wheelVersion, libraryVersion, denoVersion],
    [version, version, version],
    "One version everywhere",
  );
  return ["npm command", "wheel", "npm library", "npm command on Deno"].map((name) => `${name}, ${version}`);
}

const PYTHON_PATH = "import sys; print(sys.executable)";

/** Wraps a command so that it runs in a mount namespace that hides the source tree. */
function hidden(command: readonly string[]): string[] {
  const namespace = ["unshare", "--mount", ...(Deno.uid() === 0 ? [] : ["--user", "--map-root-user"])];
  // The path of the tree is an argument of sh, and not part of the script, since it may contain any character.
  return [...namespace, "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', ROOT, ...command];
}

/** Checks that the tree is really hidden. Otherwise the check of the packages could never fail. */
async function checkHidden(): Promise<void> {
  assert.equal(await ask(["ls", `${ROOT}/deno.json`]), `${ROOT}/deno.json`);
  assert.equal(await ask(hidden(["ls", "-A", ROOT])), "", `${ROOT} can be read in the namespace`);
}

async function ask([program = "", ...args]: readonly string[], cwd = "/"): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, cwd }).output();
  if (!success) throw new Error(`${program} ${args.join(" ")} failed:\n${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout).trim();
}
