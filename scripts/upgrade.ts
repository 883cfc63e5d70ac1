/**
 * Makes the data of `tests/upgrade`: a store and the objects of a cluster, written by the code of an old commit.
 * The tests of upgrades open them with today's code.
 *
 * ```text
 * deno task upgrade store      # tests/upgrade/data/gw.db
 * deno task upgrade cluster    # tests/upgrade/data/cluster.yaml
 * ```
 *
 * @module
 */

// The command prints.
// deno-lint-ignore-file no-console

import { fileURLToPath } from "node:url";
import { makeCluster } from "./upgrade/make_cluster.ts";
import { makeStore } from "./upgrade/make_store.ts";
import { COMMIT, unpackOldProgram } from "./upgrade/old_program.ts";

const DATA = fileURLToPath(import.meta.resolve("../tests/upgrade/data"));

/** The parts, each with the function that makes it. */
const PARTS: Readonly<Record<string, { file: string; make: (folder: string, target: string) => Promise<void> }>> = {
  store: { file: "gw.db", make: makeStore },
  cluster: { file: "cluster.yaml", make: makeCluster },
};

async function main([part = ""]: readonly string[]): Promise<number> {
  const wanted = PARTS[part];
  if (wanted === undefined) {
    console.error(`No part ${part}: ${Object.keys(PARTS).join(", ")}`);
    return 2;
  }
  const folder = await Deno.makeTempDir({ prefix: "gw-old-" });
  try {
    await unpackOldProgram(folder);
    await Deno.mkdir(DATA, { recursive: true });
    await wanted.make(folder, `${DATA}/${wanted.file}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  console.log(`${DATA}/${wanted.file}: made by ${COMMIT}`);
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
