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
import { MissingProgramError, provideTools } from "./tools.ts";

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

/** Whether the tools are there; with `CI=true` they must be. */
async function hasTools(): Promise<boolean> {
  try {
    await provideTools();
    return true;
  } catch (error) {
    if (!(error instanceof MissingProgramError)) throw error;
    console.error(error.message);
    if (Deno.env.get("CI") === "true") throw error;
    console.error("The tests of the cluster are left out.");
    return false;
  }
}

if (import.meta.main && (await hasTools())) Deno.exit(await main(Deno.args));
