/**
 * Makes the data for `tests/upgrade`: a store, and the objects of a cluster, both written by an old version of gw. The
 * tests check that the current version works with them.
 *
 * ```text
 * deno task upgrade store      # tests/upgrade/data/gw.db
 * deno task upgrade cluster    # tests/upgrade/data/cluster.yaml
 * ```
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { fileURLToPath } from "node:url";
import { makeCluster } from "./upgrade/make_cluster.ts";
import { makeStore } from "./upgrade/make_store.ts";
import { COMMIT, unpackOldProgram } from "./upgrade/old_program.ts";

const DATA = fileURLToPath(import.meta.resolve("../tests/upgrade/data"));

/** The kinds of data, each with its file and the function that makes the file. */
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
