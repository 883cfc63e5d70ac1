/**
 * Programs that the tests of packages start.
 *
 * @module
 */
import { createFolder } from "../cmd/definitions.ts";

/**
 * Makes a folder with links to programs, and a search path that begins with this folder.
 *
 * @param programs The programs by their names in the folder: paths, or names in the current search path.
 */
export async function folderOf(
  programs: Readonly<Record<string, string>>,
): Promise<{ searchPath: string } & AsyncDisposable> {
  const folder = await createFolder();
  for (const [name, program] of Object.entries(programs)) {
    if (program.includes("/")) await Deno.symlink(program, `${folder.path}/${name}`);
  }
  return {
    searchPath: `${folder.path}:${Deno.env.get("PATH")}`,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/**
 * Runs a program to its end. Returns its standard output.
 *
 * @throws {Error} If the program fails, with its output.
 */
export async function run(program: string, args: readonly string[], cwd?: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    ...(cwd === undefined ? {} : { cwd }),
  }).output();
  const [output = "", messages = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (!success) throw new Error(`${program} ${args.join(" ")} failed:\n${output}${messages}`);
  return output;
}
