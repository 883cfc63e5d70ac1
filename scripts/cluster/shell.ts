/**
 * A cluster to look at by hand: `deno task cluster` starts one and opens a shell in it, in which `kubectl` and
 * `KUBECONFIG` are set, and ends it with the shell. `deno task cluster COMMAND…` runs a command instead.
 *
 * @module
 */

// The command prints.
// deno-lint-ignore-file no-console

import { dirname } from "node:path/posix";
import { startStack } from "../../tests/cluster/support/stack.ts";
import { enterNamespaces } from "./namespaces.ts";
import { MissingProgramError, provideKubernetes } from "./tools.ts";

const INSIDE = "--inside";

/** Enters the namespaces, or does there what is to be done; the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const { kubectl } = await provideKubernetes();
  if (args[0] !== INSIDE) {
    return await enterNamespaces([Deno.execPath(), "run", "-A", import.meta.filename ?? "", INSIDE, ...args]);
  }
  await using stack = await startStack();
  const [program = "bash", ...rest] = args.slice(1);
  console.error("The GatewayClass is eg; a Gateway listens at 127.0.0.1; pods have addresses in 10.77.0.0/16.");
  const { code } = await new Deno.Command(program, {
    args: rest,
    env: {
      ...stack.env,
      KUBECONFIG: stack.api.kubeconfig,
      PATH: `${dirname(kubectl)}:${Deno.env.get("PATH") ?? ""}`,
    },
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  return code;
}

if (import.meta.main) {
  try {
    Deno.exit(await main(Deno.args));
  } catch (error) {
    if (!(error instanceof MissingProgramError)) throw error;
    console.error(error.message);
    Deno.exit(1);
  }
}
