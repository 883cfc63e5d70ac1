/**
 * A small world of its own on this machine: network, mounts and processes, as a container has them.
 *
 * @module
 */
import { MissingProgramError } from "./tools.ts";

/**
 * Flags of `unshare` for namespaces of its own; a user who isn't root gets a user namespace too.
 *
 * @throws {MissingProgramError} If none can be made.
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
 * Runs a command in namespaces of its own, with this process's input and output. All its child processes end with it.
 *
 * @returns Its exit code.
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
