/**
 * Measures the npm library in Node.js 24: CPU time per request of `createMock` behind `node:http`, against a bare
 * `node:http` server that sends the same bytes and headers. Requests are sent in rounds, as compare.ts describes.
 *
 * @module
 */
import { nodeBinary } from "../node_binary.ts";
import { buildLibrary } from "../package/library.ts";
import { compare, COMPARISON_HEADS, comparisonCells } from "./compare.ts";
import * as definitions from "./definitions.ts";
import type { BenchOptions } from "./options.ts";
import { startServer } from "./server.ts";
import { printTable } from "./table.ts";

/** The goal: the mock server's CPU time, divided by that of the bare server, is at most this. */
const GOAL = 1.6;

/** The program of the mock server. Its arguments are the port and the file of the definition. */
const MOCK = `
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createMock, parseDocument } from "./library/mod.js";
import { createListener } from "./library/adapters/node.js";
const [port, file] = process.argv.slice(2);
createServer(createListener(createMock(await parseDocument(readFileSync(file))))).listen(port, "127.0.0.1");
`;

/** The program of the bare server. Its arguments are the port, the file of the body, and the headers as JSON. */
const BARE = `
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
const [port, file, headers] = process.argv.slice(2);
const body = readFileSync(file);
const pairs = JSON.parse(headers).flat();
createServer((_, response) => response.writeHead(200, pairs).end(body)).listen(port, "127.0.0.1");
`;

/** The requests of a row, which are all alike. */
interface Case {
  readonly name: string;
  /** The definition. */
  readonly file: string;
  readonly path: string;
  readonly method: string;
  /** A JSON text. */
  readonly body?: string;
}

export async function benchNode(options: BenchOptions): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gw_bench_" });
  try {
    const node = await nodeBinary(24);
    await buildLibrary(folder);
    await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ type: "module" }));
    await Deno.writeTextFile(`${folder}/mock.js`, MOCK);
    await Deno.writeTextFile(`${folder}/bare.js`, BARE);
    const rows = [["createMock behind node:http", ...COMPARISON_HEADS.with(1, "bare µs")]];
    const { file, path } = definitions.todo;
    const post = { method: "POST", body: JSON.stringify({ title: "Buy milk" }) };
    const cases: Case[] = [
      { name: "example body", file, path },
      { ...await definitions.todoWithoutExamples(), name: "generated body" },
      { name: "with a query", file, path: `${path}?limit=3` },
      { name: "POST with JSON", file, path, ...post },
    ].map((requested) => ({ method: "GET", ...requested }));
    for (const { name, ...requested } of cases) {
      const result = await measure(node, folder, requested, options);
      rows.push([name, ...comparisonCells(result, GOAL)]);
    }
    printTable(rows);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function measure(
  node: string,
  folder: string,
  { file, path, method, body }: Omit<Case, "name">,
  { rounds, seconds }: BenchOptions,
): ReturnType<typeof compare> {
  const headers: [string, string][] = body === undefined ? [] : [["content-type", "application/json"]];
  const script = `${folder}/requests.lua`;
  await Deno.writeTextFile(
    script,
    `wrk.method = "${method}"\nwrk.body = ${body === undefined ? "nil" : `[[${body}]]`}\n`,
  );
  const mock = await startServer((port) => [node, `${folder}/mock.js`, String(port), file], { path });
  try {
    const model = await fetch(`http://127.0.0.1:${mock.port}${path}`, { method, headers, body: body ?? null });
    await Deno.writeFile(`${folder}/body`, await model.bytes());
    // Leaves out the headers that node:http adds to each response.
    const own = [...model.headers].filter(([name]) => !["connection", "date", "keep-alive"].includes(name));
    const bare = await startServer(
      (port) => [node, `${folder}/bare.js`, String(port), `${folder}/body`, JSON.stringify(own)],
      { path },
    );
    try {
      return await compare(mock, bare, { path, headers, script, seconds }, rounds);
    } finally {
      await bare.stop();
    }
  } finally {
    await mock.stop();
  }
}
