export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that count as success. Default: 0. */
  readonly codes?: readonly number[];
}

/**
 * Runs a program to its end.
 *
 * @returns The program's standard output.
 * @throws {Error} If the program isn't installed, or ends with another exit code. The message contains the end of its
 * output.
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
  const messages = `${stdout}\n${new TextDecoder().decode(output.stderr)}`.trim().split("\n").slice(-40).join("\n");
  throw new Error(`${program} ${args.join(" ")} ended with code ${output.code}:\n${messages}`);
}
