/**
 * Runs the tests that need a cluster: `deno task test:cluster`.
 *
 * Suites: `api` (a real API server), `stack` (the whole path through Envoy Gateway and Envoy, in Linux namespaces of its
 * own), `all`. Further arguments go to `deno test`: names of files, `--filter`.
 *
 * @module
 */

// The command prints.
// deno-lint-ignore-file no-console

import { SHARED_SERVER, startApiServer } from "../../tests/cluster/support/api_server.ts";
import { startStack } from "../../tests/cluster/support/stack.ts";
import { enterNamespaces } from "./namespaces.ts";
import { MissingProgramError, provideGateway, provideKubernetes } from "./tools.ts";

/** Runs the suites that the arguments name; the exit code. */
async function main([suite = "all", ...args]: readonly string[]): Promise<number> {
  switch (suite) {
    case "all":
      return Math.max(await main(["api", ...args]), await main(["stack", ...args]));
    case "api": {
      await using api = await startApiServer();
      return await runTests("api", args, { [SHARED_SERVER]: api.folder });
    }
    case "stack":
      await provideKubernetes();
      await provideGateway();
      // What isn't downloaded yet can't be downloaded inside, where there is no network.
      await runTests("stack", ["--no-run", ...args.filter((arg) => !arg.startsWith("-"))], {});
      return await enterNamespaces([Deno.execPath(), "run", "-A", import.meta.filename ?? "", "stack-inside", ...args]);
    case "stack-inside": {
      await using stack = await startStack();
      return await runTests("stack", args, stack.env);
    }
    default:
      console.error(`No suite ${suite}: api, stack or all`);
      return 2;
  }
}

/** Runs the tests of a folder, or those that the arguments name. */
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

/** Runs them, unless a program is missing: with `CI=true` that is a failure, else they are left out. */
async function mainWithTools(args: readonly string[]): Promise<number> {
  try {
    return await main(args);
  } catch (error) {
    if (!(error instanceof MissingProgramError)) throw error;
    console.error(`The tests of the cluster are left out. ${error.message}`);
    return Deno.env.get("CI") === "true" ? 1 : 0;
  }
}

if (import.meta.main) Deno.exit(await mainWithTools(Deno.args));
