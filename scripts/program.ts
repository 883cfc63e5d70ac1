/** The path of an installed program; `undefined` if the search path has no program of this name. */
export function findProgram(name: string): string | undefined {
  const command = new Deno.Command("sh", { args: ["-c", `command -v ${name}`], stderr: "null" });
  const { success, stdout } = command.outputSync();
  return success ? new TextDecoder().decode(stdout).trim() : undefined;
}

export function hasProgram(name: string): boolean {
  return findProgram(name) !== undefined;
}
