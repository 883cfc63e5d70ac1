/**
 * Bundles the program into dist/: one small file for each part that a command loads on its own, so that a command
 * reads only what it needs.
 *
 * @module
 */

const ROOT = `${import.meta.dirname}/..`;

/**
 * What `deno bundle` puts into every bundle so that CommonJS packages can ask for Node's modules, and what does the same
 * without loading `node:module` at each start: that alone takes 20 ms, longer than Deno itself.
 */
const REQUIRE = {
  import: /import\s*\{\s*createRequire as __deno_internal_createRequire\s*\}\s*from\s*"node:module";/,
  call: "__deno_internal_createRequire(import.meta.url)",
  instead: "(name) => process.getBuiltinModule(name)",
};

/**
 * Bundles main.ts.
 *
 * @param folder Where the files go, in place of what is there; that stays until they are made.
 * @returns The path of the bundle's main file.
 * @throws {Error} If bundling fails.
 */
export async function bundle(folder = `${ROOT}/dist`): Promise<string> {
  const fresh = `${folder}.new`;
  await Deno.remove(fresh, { recursive: true }).catch(() => {});
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--minify", "--code-splitting", "--outdir", fresh, "main.ts"],
    cwd: ROOT,
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`Cannot bundle main.ts: ${new TextDecoder().decode(stderr)}`);
  await makeRequireLazy(fresh);
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

if (import.meta.main) {
  // The command prints.
  // deno-lint-ignore no-console
  console.log(await bundle());
}
