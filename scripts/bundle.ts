/**
 * Bundles the program into dist/bundle/. Each part that is imported dynamically becomes a file of its own, so that a
 * command reads only the code that it needs.
 *
 * @module
 */

import { dirname } from "node:path";
import { findCommit } from "./package/stamp.ts";

const ROOT = `${import.meta.dirname}/..`;

/** The flags of `deno bundle`. */
export const FLAGS: readonly string[] = ["--minify", "--code-splitting"];

/**
 * Code that `deno bundle` adds for CommonJS packages that require modules of Node.js, and its replacement. The added
 * code imports `node:module` at each start, which takes 20 ms, longer than the start of Deno itself.
 */
const REQUIRE = {
  import: /import\s*\{\s*createRequire as __deno_internal_createRequire\s*\}\s*from\s*"node:module";/,
  call: "__deno_internal_createRequire(import.meta.url)",
  instead: "(name) => process.getBuiltinModule(name)",
};

/** The placeholder for the commit in cmd/commands/version.ts. */
const COMMIT_PLACE = "@commit@";

/**
 * Bundles main.ts.
 *
 * @param folder Folder for the bundle. Its old content is replaced when the new one is complete.
 * @param options `isCompiled`: whether the bundle is for `deno compile`, not for `deno run`. Default: `false`.
 * @returns The path of the bundle's main file.
 * @throws {Error} If bundling fails.
 */
export async function bundle(folder = `${ROOT}/dist/bundle`, { isCompiled = false } = {}): Promise<string> {
  const fresh = `${folder}.new`;
  await Deno.remove(fresh, { recursive: true }).catch(() => {});
  await Deno.mkdir(dirname(folder), { recursive: true });
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", ...FLAGS, "--outdir", fresh, "main.ts"],
    cwd: ROOT,
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`Cannot bundle main.ts: ${new TextDecoder().decode(stderr)}`);
  await makeRequireLazy(fresh);
  if (!isCompiled) await hideImports(fresh);
  await stampCommit(fresh);
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.rename(fresh, folder);
  return `${folder}/main.js`;
}

async function makeRequireLazy(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    const file = `${folder}/${name}`;
    const text = await Deno.readTextFile(file);
    if (!REQUIRE.import.test(text)) continue;
    await Deno.writeTextFile(file, text.replace(REQUIRE.import, "").replace(REQUIRE.call, REQUIRE.instead));
  }
}

/**
 * Replaces the specifiers of dynamic imports by expressions. Before a program starts, `deno run` reads and parses all
 * files that are imported by literals, also those of commands that aren't run, which takes 12 MB of memory. `deno
 * compile` needs the literals: it prepares the files that they name.
 */
async function hideImports(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    const file = `${folder}/${name}`;
    const text = await Deno.readTextFile(file);
    const lazy = text.replaceAll(/\bimport\(("\.\/[^"]+\.js")\)/g, "import((0,$1))");
    if (lazy !== text) await Deno.writeTextFile(file, lazy);
  }
}

async function stampCommit(folder: string): Promise<void> {
  const commit = await findCommit();
  if (commit === undefined) return;
  for await (const { name } of Deno.readDir(folder)) {
    const file = `${folder}/${name}`;
    const text = await Deno.readTextFile(file);
    if (text.includes(COMMIT_PLACE)) await Deno.writeTextFile(file, text.replaceAll(COMMIT_PLACE, commit));
  }
}

if (import.meta.main) {
  // deno-lint-ignore no-console -- This command prints its results.
  console.log(await bundle());
}
