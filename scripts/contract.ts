/**
 * Compares the management API with its own OpenAPI description, by schemathesis:
 * `deno task contract [--examples N] [--seed N]`. Installs schemathesis with pip into the cache, and starts a
 * `gw serve`.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { parseArgs } from "node:util";
import { startServe } from "../tests/cmd/serve_process.ts";
import { installSchemathesis } from "./schemathesis/install.ts";

/**
 * Checks of schemathesis that are left out. The first two don't hold if several clients make changes, or if names are
 * reused. The third expects that any text is accepted as a definition.
 */
const EXCLUDED = "use_after_free,ensure_resource_availability,positive_data_acceptance";

const { values: { examples, seed } } = parseArgs({
  options: { examples: { type: "string", default: "50" }, seed: { type: "string", default: "1" } },
});

const packages = await installSchemathesis();
await using gw = await startServe();
// schemathesis writes its database into the working directory.
const folder = await Deno.makeTempDir();
const { code } = await new Deno.Command("python3", {
  args: [
    ...["-m", "schemathesis.cli", "run", `${gw.api}/openapi.json`],
    ...["--checks", "all", "--exclude-checks", EXCLUDED],
    ...["--max-examples", examples, "--seed", seed, "--no-color"],
  ],
  env: { PYTHONPATH: packages },
  cwd: folder,
}).spawn().status;
await Deno.remove(folder, { recursive: true });
console.log(code === 0 ? "The management API keeps its description." : "The management API breaks its description.");
Deno.exitCode = code;
