/**
 * Bundles the program into dist/: one small file for each part that a command loads on its own, so that a command
 * reads only what it needs.
 *
 * @module
 */

const ROOT = `${import.meta.dirname}/..`;

/**
 * Bundles main.ts.
 *
 * @param folder Where the files go; emptied first.
 * @returns The path of the bundle's main file.
 * @throws {Error} If bundling fails.
 */
export async function bundle(folder = `${ROOT}/dist`): Promise<string> {
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--minify", "--code-splitting", "--outdir", folder, "main.ts"],
    cwd: ROOT,
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`Cannot bundle main.ts: ${new TextDecoder().decode(stderr)}`);
  return `${folder}/main.js`;
}

if (import.meta.main) {
  // The command prints.
  // deno-lint-ignore no-console
  console.log(await bundle());
}
