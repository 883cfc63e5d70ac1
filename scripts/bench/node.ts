/**
 * CPU time of `createMock` behind `node:http` in Node.js 24 for one request, against a bare `node:http` server that
 * answers the same bytes and headers: the npm library as it is published, in rounds like those of request.ts.
 *
 * @module
 */
import { nodeBinary } from "../node_binary.ts";
import { buildLibrary } from "../package/library.ts";
import { compare } from "./compare.ts";
import * as definitions from "./definitions.ts";
import type { BenchOptions } from "./options.ts";
import { startServer } from "./server.ts";
import { printTable } from "./table.ts";

/** The goal for the ratio. */
const REACH = 1.6;

/** The mock server: its arguments are the port and the file with the definition. */
const MOCK = `
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createMock, parseDocument } from "./library/mod.js";
import { createListener } from "./library/adapters/node.js";
const [port, file] = process.argv.slice(2);
createServer(createListener(createMock(await parseDocument(readFileSync(file))))).listen(port, "127.0.0.1");
`;

/** The bare server: its arguments are the port, the file with the body, and the headers as JSON. */
const BARE = `
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
const [port, file, headers] = process.argv.slice(2);
const body = readFileSync(file);
const pairs = JSON.parse(headers).flat();
createServer((_, response) => response.writeHead(200, pairs).end(body)).listen(port, "127.0.0.1");
`;

/** Measures and prints. */
export async function benchNode(options: BenchOptions): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gw_bench_" });
  try {
    const node = await nodeBinary(24);
    await buildLibrary(folder);
    await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ type: "module" }));
    await Deno.writeTextFile(`${folder}/mock.js`, MOCK);
    await Deno.writeTextFile(`${folder}/bare.js`, BARE);
    const rows = [["createMock behind node:http", "µs", "bare µs", "ratio", "to reach", "requests/s", "failures"]];
    const cases = [
      { name: "example body", definition: definitions.todo },
      { name: "generated body", definition: await definitions.todoWithoutExamples() },
    ];
    for (const { name, definition } of cases) {
      const result = await measure(node, folder, definition, options);
      rows.push([
        name,
        result.microseconds.toFixed(1),
        result.bareMicroseconds.toFixed(1),
        result.ratio.toFixed(2),
        REACH.toFixed(1),
        Math.round(result.requestsPerSecond).toLocaleString("en"),
        String(result.failures),
      ]);
    }
    printTable(rows);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function measure(
  node: string,
  folder: string,
  { file, path }: definitions.Definition,
  { rounds, seconds }: BenchOptions,
): ReturnType<typeof compare> {
  const mock = await startServer((port) => [node, `${folder}/mock.js`, String(port), file], { path });
  try {
    const model = await fetch(`http://127.0.0.1:${mock.port}${path}`);
    await Deno.writeFile(`${folder}/body`, await model.bytes());
    // node:http adds these by itself.
    const own = [...model.headers].filter(([name]) => !["connection", "date", "keep-alive"].includes(name));
    const bare = await startServer(
      (port) => [node, `${folder}/bare.js`, String(port), `${folder}/body`, JSON.stringify(own)],
      { path },
    );
    try {
      return await compare(mock, bare, { path, seconds }, rounds);
    } finally {
      await bare.stop();
    }
  } finally {
    await mock.stop();
  }
}
