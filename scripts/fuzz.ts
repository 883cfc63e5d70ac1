/**
 * Runs the property tests with new random values, until the time is over or a test fails. Prints the command that
 * repeats the failure.
 *
 *     deno task fuzz [--seconds N] [--times N] [--seed N] [--only TEXT]
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { glob, readFile } from "node:fs/promises";
import { parseArgs } from "node:util";

const HELP = `deno task fuzz [options]

  --seconds N   begin no more rounds after that time; default 60
  --times N     values of a round, as a multiple of what the test suite tries; default 10
  --seed N      seed of the first round, each other one has the next; default: a random one
  --only TEXT   test files whose path contains the text
`;

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "60" },
      times: { type: "string", default: "10" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
      only: { type: "string", default: "" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const files = (await propertyTests()).filter((file) => file.includes(values.only));
  const end = performance.now() + Number(values.seconds) * 1000;
  let rounds = 0;
  for (let seed = Number(values.seed); rounds === 0 || performance.now() < end; seed++) {
    const failure = await runRound(files, seed, values.times);
    rounds++;
    if (failure === undefined) continue;
    console.log(failure);
    console.log(`A property fails with seed ${seed}. Again, and with other values after that:`);
    console.log(`  deno task fuzz --seed ${seed} --times ${values.times}`);
    return 1;
  }
  console.log(
    `${files.length} files of properties hold for seeds from ${values.seed}: ${rounds} rounds of ${values.times} times ` +
      "what the test suite tries",
  );
  return 0;
}

/** The paths of the tests that check properties with random values. */
async function propertyTests(): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob("tests/**/*_test.ts")) {
    if (/\bruns\(/.test(await readFile(file, "utf8"))) files.push(file);
  }
  return files.sort();
}

async function runRound(files: readonly string[], seed: number, times: string): Promise<string | undefined> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--parallel", ...files],
    env: { GW_TEST_SEED: String(seed), GW_TEST_TIMES: times },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return success ? undefined : decoder.decode(stdout) + decoder.decode(stderr);
}

if (import.meta.main) Deno.exit(await main(Deno.args));
