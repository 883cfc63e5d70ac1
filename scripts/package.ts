/**
 * Makes the packages that are published: npm's into dist/npm/, Python's into dist/pypi/. `deno task package`.
 *
 * `--executables FOLDER` takes the executables that `deno task compile` has made; without it one is made for this
 * machine's platform. `--check` installs the packages and checks that they read nothing of the source tree.
 *
 * @module
 */

// The command prints.
// deno-lint-ignore-file no-console

import { messageOf } from "../lib/http/message.ts";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { buildPackages } from "./package/build.ts";
import { checkPackages } from "./package/check.ts";

if (import.meta.main) {
  try {
    const { values } = parseArgs({
      args: Deno.args,
      options: { executables: { type: "string" }, check: { type: "boolean" } },
    });
    const paths = await buildPackages(values.executables);
    for (const path of paths) console.log(`Made ${relative(Deno.cwd(), path)}`);
    if (values.check) {
      for (const name of await checkPackages(paths)) console.log(`Reads nothing of the source tree: ${name}`);
    }
  } catch (error) {
    console.error(messageOf(error));
    Deno.exit(1);
  }
}
