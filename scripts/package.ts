/**
 * Makes the packages for npm (dist/npm/) and PyPI (dist/pypi/): `deno task package [--executables FOLDER] [--check]`.
 *
 * `--executables` takes the executables from a folder, as `deno task compile` makes them. Without it, one is made for
 * this machine's platform. `--check` installs the packages, and checks that they work without the source tree.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

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
