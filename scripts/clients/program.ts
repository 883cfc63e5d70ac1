/** How a program is run. */
export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that aren't a failure of the program. Default: 0. */
  readonly codes?: readonly number[];
}

/**
 * Runs a program to its end.
 *
 * @returns What it wrote to standard output.
 * @throws {Error} If it isn't there, or ends with another code; with the end of what it wrote.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env = {}, codes = [0] }: RunOptions,
): Promise<string> {
  const command = new Deno.Command(program, {
    args: [...args],
    cwd,
    env: { ...env },
    stdout: "piped",
    stderr: "piped",
  });
  const output = await command.output().catch((error: unknown) => {
    if (error instanceof Deno.errors.NotFound) throw new Error(`Cannot find ${program}, which the tests run with`);
    throw error;
  });
  const stdout = new TextDecoder().decode(output.stdout);
  if (codes.includes(output.code)) return stdout;
  const told = `${stdout}\n${new TextDecoder().decode(output.stderr)}`.trim().split("\n").slice(-40).join("\n");
  throw new Error(`${program} ${args.join(" ")} ended with code ${output.code}:\n${told}`);
}
