/**
 * Makes the packages that are published: npm's into dist/npm/, Python's into dist/pypi/. `deno task package`.
 *
 * `--executables FOLDER` takes the executables that `deno task compile` has made; without it one is made for this
 * machine's platform.
 *
 * @module
 */

// The command prints.
// deno-lint-ignore-file no-console

import { messageOf } from "../lib/http/message.ts";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { buildPackages } from "./package/build.ts";

if (import.meta.main) {
  try {
    const { values } = parseArgs({ args: Deno.args, options: { executables: { type: "string" } } });
    for (const path of await buildPackages(values.executables)) console.log(`Made ${relative(Deno.cwd(), path)}`);
  } catch (error) {
    console.error(messageOf(error));
    Deno.exit(1);
  }
}
