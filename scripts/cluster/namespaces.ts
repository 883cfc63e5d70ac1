/**
 * Runs commands in Linux namespaces of their own (network, mounts and processes), as containers do.
 *
 * @module
 */
import { MissingProgramError } from "./tools.ts";

/**
 * Flags of `unshare` for new namespaces. Users other than root also need a user namespace.
 *
 * @throws {MissingProgramError} If namespaces can't be created.
 */
export async function namespaceFlags(): Promise<string[]> {
  const common = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  for (const tried of [common, ["--map-root-user", ...common]]) {
    if (await succeeds(["unshare", ...tried, "ip", "link", "set", "lo", "up"])) return tried;
  }
  throw new MissingProgramError(
    "Cannot make Linux namespaces: unshare (util-linux) and ip (iproute2) are needed, and either root or user namespaces",
  );
}

/**
 * Runs a command in new namespaces, with this process's input and output. When the command ends, so do all processes
 * that it has started.
 *
 * @returns The exit code of the command.
 */
export async function enterNamespaces(command: readonly string[]): Promise<number> {
  const { code } = await new Deno.Command("unshare", {
    args: [...(await namespaceFlags()), ...command],
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  return code;
}

async function succeeds([program = "", ...args]: readonly string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(program, { args, stdout: "null", stderr: "null" }).output();
    return success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
