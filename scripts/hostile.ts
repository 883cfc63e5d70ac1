/**
 * Measures the CPU time and memory that hostile texts cause:
 * `deno task hostile [--program FILE] [--only WORDS] [--command NAME]`. Each text of the tests is given to three
 * commands, each in a new process:
 *
 * - `gw validate` runs once.
 * - `gw mock --validate error` starts, answers a GET with a generated body, and validates a POST.
 * - `gw serve` deploys the text, and answers the same two requests. Meanwhile it must answer requests for its health.
 *
 * Time is the CPU time of the process until it is idle. For `gw validate` and `gw mock`, the time for a harmless
 * definition is subtracted: the least of three runs. For `gw serve`, the time before it is idle after its start isn't
 * counted.
 *
 * Memory is the largest resident set size of the process (`VmHWM` in Linux's /proc). It includes garbage, whose amount
 * depends on other work of the machine. So a text that exceeds a limit is run again, alone, and fails only if it
 * exceeds the limit each time.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { parseArgs } from "node:util";
import { HOSTILE_TEXTS } from "../tests/lib/openapi/hostile_texts.ts";
import { PATTERN_TEXTS } from "../tests/lib/openapi/pattern_texts.ts";
import { SHARING_TEXTS } from "../tests/lib/openapi/sharing_texts.ts";
import { HOSTILE_CONTENTS } from "../tests/lib/management/hostile_contents.ts";
import { printTable } from "./bench/table.ts";
import { bundle } from "./bundle.ts";
import { COMMANDS, type Hostile, type Outcome } from "./hostile/commands.ts";
import { postContent } from "./hostile/content.ts";

const MOST_SECONDS = 1;
const MOST_MEGABYTES = 300;
/** A text fails if it exceeds the limits in each of this many runs. */
const TRIES = 3;
/** The number of processes that run at the same time. */
const AT_A_TIME = Math.min(2, navigator.hardwareConcurrency);

/** A harmless definition. The CPU time for it is subtracted from that for each hostile text. */
const HARMLESS: Hostile = {
  name: "harmless",
  text: () =>
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Harmless", version: "1" },
      paths: { "/a": { get: { responses: { 200: { description: "" } } } } },
    }),
};

/** A hostile text, and the command that it is given to. */
interface Case {
  readonly name: string;
  readonly command: string;
  readonly run: () => Promise<Outcome>;
}

const { values } = parseArgs({
  options: {
    program: { type: "string" },
    only: { type: "string", default: "" },
    command: { type: "string", default: "" },
  },
});
const program = values.program ?? await bundle();
const begin = performance.now();

// Starts each command once without measuring, so that V8's code cache is filled.
for (const run of Object.values(COMMANDS)) await run(program, HARMLESS);
const bare = { validate: await secondsOfHarmless("validate"), mock: await secondsOfHarmless("mock"), serve: 0 };
const names = ["validate", "mock", "serve"] as const;
const cases: Case[] = [
  ...[...HOSTILE_TEXTS, ...PATTERN_TEXTS, ...SHARING_TEXTS].flatMap((hostile) =>
    names.map((command) => ({
      name: hostile.name,
      command,
      run: async () => {
        const outcome = await COMMANDS[command](program, hostile);
        return { ...outcome, cpuSeconds: Math.max(0, outcome.cpuSeconds - bare[command]) };
      },
    }))
  ),
  ...HOSTILE_CONTENTS.map(([name, content]) => ({
    name: `content: ${name}`,
    command: "serve",
    run: () => postContent(program, content()),
  })),
].filter(({ name, command }) => name.includes(values.only) && command.includes(values.command));

const outcomes = new Map<Case, Outcome>();
const waiting = [...cases];
await Promise.all(Array.from({ length: AT_A_TIME }, async () => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) outcomes.set(next, await next.run());
}));
for (const one of cases) {
  for (let again = 1; again < TRIES && isOver(outcomes.get(one)); again++) outcomes.set(one, await one.run());
}

const rows = [["hostile text", "command", "answers", "CPU s", "peak MB", ""]];
for (
  const [one, { status, cpuSeconds, megabytes }] of [...outcomes].sort(([a], [b]) =>
    cases.indexOf(a) - cases.indexOf(b)
  )
) {
  const verdict = isOver(outcomes.get(one)) ? "over" : "";
  rows.push([one.name, one.command, status, cpuSeconds.toFixed(2), megabytes.toFixed(0), verdict]);
}
printTable(rows);
const over = cases.filter((one) => isOver(outcomes.get(one))).length;
console.log(
  `${cases.length} runs in ${
    ((performance.now() - begin) / 1000).toFixed(0)
  } s, ${over} over ${MOST_SECONDS} s of CPU ` +
    `time or ${MOST_MEGABYTES} MB, or broken. Subtracted: ${bare.validate.toFixed(2)} s of gw validate, ` +
    `${bare.mock.toFixed(2)} s of gw mock.`,
);
Deno.exit(over === 0 && cases.length > 0 ? 0 : 1);

function isOver(outcome: Outcome | undefined): boolean {
  if (outcome === undefined) return true;
  return outcome.isBroken || outcome.cpuSeconds > MOST_SECONDS || outcome.megabytes > MOST_MEGABYTES;
}

async function secondsOfHarmless(command: "validate" | "mock"): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) times.push((await COMMANDS[command](program, HARMLESS)).cpuSeconds);
  return Math.min(...times);
}
