import assert from "node:assert/strict";
import { Coverage } from "../../../../lib/observe/report/coverage.ts";
import { formatText } from "../../../../lib/observe/report/format_text.ts";
import { exchange, parseTodo, violation } from "./exchanges.ts";

Deno.test("formatText() is brief without requests or without violations", async () => {
  const document = await parseTodo();
  const coverage = new Coverage();
  const lines = () => formatText(coverage.summarize([{ name: "todo.yaml", document }]));
  assert.deepEqual(lines(), ["0 requests, to 0 of 3 operations. No violations."]);
  coverage.observe(exchange(document, { operation: "GET /todos" }));
  assert.deepEqual(lines(), [
    "1 request, to 1 of 3 operations. No violations.",
    "Not asked: POST /todos, PUT /resets/{token}.",
  ]);
});

Deno.test("formatText() doesn't call a run without responses valid and gives the reason", async () => {
  const document = await parseTodo();
  const coverage = new Coverage();
  coverage.observe(exchange(document, { operation: "GET /todos", status: 502, failure: "The upstream is away." }));
  assert.deepEqual(formatText(coverage.summarize([{ name: "todo.yaml", document }])), [
    "1 request, to 1 of 3 operations. 1 request got no response of the upstream.",
    "  first: The upstream is away.",
    "Not asked: POST /todos, PUT /resets/{token}.",
  ]);
});

Deno.test("formatText() bounds its length", async () => {
  const paths = Array.from({ length: 200 }, (_, index) => `  /p${index}: { get: { responses: {} } }\n`);
  const document = await parseTodo(`openapi: 3.1.0\ninfo: { title: T, version: "1" }\npaths:\n${paths.join("")}`);
  const coverage = new Coverage();
  for (let index = 0; index < 100; index++) {
    const requestViolations = Array.from(
      { length: 60 },
      (_, at) => violation(`query.q${at}`, "type", `q${at} is wrong.`),
    );
    coverage.observe(exchange(document, { operation: `GET /p${index}`, requestViolations }));
  }
  const lines = formatText(coverage.summarize([{ name: "t.yaml", document }]));
  assert.equal(lines.length, 1 + 20 * (1 + 5 * 2 + 1) + 2);
  assert.ok(lines.includes("  and 55 more"));
  assert.equal(lines.at(-2), "and 80 operations more with violations");
  assert.match(lines.at(-1) ?? "", /^Not asked: GET \/p100, .* and 80 more\.$/);
});
