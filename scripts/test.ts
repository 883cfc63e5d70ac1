/**
 * Runs the fast tests and the examples of doc comments: `deno task test [FLAG…]`. The flags go to `deno test`.
 *
 * `deno test` gives each file a worker of its own, which loads the modules of the program anew. For most test files that
 * takes longer than their tests, so this script writes files that import a dozen test files each, and runs those.
 *
 * @module
 */

import { glob, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { emptyFolder } from "./package/install.ts";

const ROOT = `${import.meta.dirname}/..`;

/** The folders of tests/ with a task of their own. */
const OTHER_SUITES = [
  "attack",
  "browser",
  "cluster",
  "directory",
  "disk",
  "editors",
  "encoders",
  "flows",
  "migration",
  "package",
  "state",
  "terminal",
  "tour",
];

/** Test files in one worker. Larger groups load fewer modules, but spread the work less evenly over the processors. */
const GROUP_SIZE = 12;

async function main(flags: readonly string[]): Promise<number> {
  await using folder = await emptyFolder();
  const files = await fastTests();
  const groups: string[] = [];
  for (let start = 0; start < files.length; start += GROUP_SIZE) {
    const group = `${folder.path}/group_${groups.length + 1}_test.js`;
    await writeFile(group, importsOf(files.slice(start, start + GROUP_SIZE)));
    groups.push(group);
  }
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--parallel", "--doc", ...flags, "lib", "adapters", "mod.ts", ...groups],
    cwd: ROOT,
  }).spawn().status;
  return code;
}

/** The paths of the fast tests, relative to the root, in order. */
async function fastTests(): Promise<string[]> {
  const others = new RegExp(`^tests[/\\\\](${OTHER_SUITES.join("|")})[/\\\\]`);
  const files: string[] = [];
  for await (const file of glob("tests/**/*_test.ts", { cwd: ROOT })) {
    if (!others.test(file)) files.push(file);
  }
  return files.sort();
}

function importsOf(files: readonly string[]): string {
  return files.map((file) => `import "${pathToFileURL(`${ROOT}/${file}`)}";\n`).join("");
}

if (import.meta.main) Deno.exit(await main(Deno.args));
