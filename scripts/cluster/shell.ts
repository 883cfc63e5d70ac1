/**
 * Starts a cluster for manual use: `deno task cluster` opens a shell with `kubectl`, `KUBECONFIG` and `gw` from source,
 * and stops the cluster at the end of the shell. `deno task cluster COMMAND…` runs a command instead of a shell.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { dirname, resolve } from "node:path/posix";
import { startStack } from "../../tests/cluster/support/stack.ts";
import { enterNamespaces } from "./namespaces.ts";
import { MissingProgramError, provideKubernetes } from "./tools.ts";

const INSIDE = "--inside";

/**
 * Enters namespaces, and runs this program again there. Inside the namespaces, runs the shell or the command. Returns
 * the exit code.
 */
async function main(args: readonly string[]): Promise<number> {
  const { kubectl } = await provideKubernetes();
  if (args[0] !== INSIDE) {
    return await enterNamespaces([Deno.execPath(), "run", "-A", import.meta.filename ?? "", INSIDE, ...args]);
  }
  await using stack = await startStack();
  const [program = "bash", ...rest] = args.slice(1);
  const programs = await Deno.makeTempDir({ prefix: "gw_cluster_" });
  await Deno.writeTextFile(`${programs}/gw`, `#!/bin/sh\nexec ${GW.map(quoted).join(" ")} "$@"\n`, { mode: 0o755 });
  console.error(WELCOME);
  const { code } = await new Deno.Command(program, {
    args: rest,
    env: {
      ...stack.env,
      KUBECONFIG: stack.api.kubeconfig,
      PATH: `${programs}:${dirname(kubectl)}:${Deno.env.get("PATH") ?? ""}`,
    },
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  await Deno.remove(programs, { recursive: true });
  return code;
}

const ROOT = resolve(import.meta.dirname ?? "", "../..");
const GW = [Deno.execPath(), "run", "-A", "--no-check", "--config", `${ROOT}/deno.json`, `${ROOT}/main.ts`];

const WELCOME = `kubectl and gw are in the path; exit ends the cluster.
  gw manifests --image any | kubectl apply --server-side -f -    installs gw: its pods run from source
  curl localhost:10080                                           port 80 of a Fleet: ports are 10,000 higher here
Pods aren't listed here, and roles aren't aggregated: bind gw-view and gw-edit instead of edit.`;

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
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
