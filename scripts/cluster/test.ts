/**
 * Runs the tests that need a cluster: `deno task test:cluster [SUITE] [ARGUMENT…]`.
 *
 * The suite `api` has a real API server only. The suite `stack` has Envoy Gateway and Envoy too, in Linux namespaces.
 * Default: `all`. Further arguments are passed to `deno test`: names of files, `--filter`.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { SHARED_SERVER, startApiServer } from "../../tests/cluster/support/api_server.ts";
import { startStack } from "../../tests/cluster/support/stack.ts";
import { enterNamespaces } from "./namespaces.ts";
import { MissingProgramError, provideGateway, provideKubernetes } from "./tools.ts";

/** The argument by which this program runs the suite `stack` inside the namespaces. */
const INSIDE = "stack-inside";

async function main([suite = "all", ...args]: readonly string[]): Promise<number> {
  const suites = suite === "all" ? ["api", "stack"] : [suite];
  let code = 0;
  for (const suite of suites) code = Math.max(code, await runOrLeaveOut(suite, args));
  return code;
}

/** Runs a suite. If a program is missing, the suite is skipped; with `CI=true` it fails. */
async function runOrLeaveOut(suite: string, args: readonly string[]): Promise<number> {
  try {
    return await runSuite(suite, args);
  } catch (error) {
    if (!(error instanceof MissingProgramError)) throw error;
    const mustRun = Deno.env.get("CI") === "true";
    console.error(`The ${suite} tests of the cluster ${mustRun ? "can't be run" : "are left out"}. ${error.message}`);
    return mustRun ? 1 : 0;
  }
}

async function runSuite(suite: string, args: readonly string[]): Promise<number> {
  switch (suite) {
    case "api": {
      await using api = await startApiServer();
      return await runTests("api", args, { [SHARED_SERVER]: api.folder });
    }
    case "stack":
      await provideKubernetes();
      await provideGateway();
      // Compiles the tests before entering the namespaces: compiling may download packages, and the namespaces have no
      // network.
      await runTests("stack", ["--no-run", ...args.filter((arg) => !arg.startsWith("-"))], {});
      return await enterNamespaces([Deno.execPath(), "run", "-A", import.meta.filename ?? "", INSIDE, ...args]);
    case INSIDE: {
      await using stack = await startStack();
      return await runTests("stack", args, stack.env);
    }
    default:
      console.error(`No suite ${suite}: api, stack or all`);
      return 2;
  }
}

async function runTests(folder: string, args: readonly string[], env: Record<string, string>): Promise<number> {
  const files = args.some((arg) => !arg.startsWith("-")) ? [] : [`tests/cluster/${folder}`];
  const parallel = folder === "api" ? ["--parallel"] : [];
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", ...parallel, ...args, ...files],
    env,
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  return code;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
