import assert from "node:assert/strict";
import { layOut } from "../../../../cmd/io/terminal/dashboard_page.ts";
import { columnsOf, createPaint } from "../../../../cmd/io/terminal/terminal.ts";
import { Coverage } from "../../../../lib/observe/report/coverage.ts";
import type { Summary } from "../../../../lib/observe/report/summary.ts";
import { exchange, type Given, parseTodo, violation } from "../../../lib/observe/report/exchanges.ts";

const KEYS = "q or Ctrl+C ends.";
const TITLE = "gw proxy: http://127.0.0.1:8080 to https://api.example.com/";
const LOG = Array.from({ length: 20 }, (_, index) => `12:06:10.${100 + index} GET /todos 200 upstream 1 ms`);
const PLAIN = createPaint(false);

async function summarize(given: readonly Given[]): Promise<Summary> {
  const document = await parseTodo();
  const coverage = new Coverage();
  for (const one of given) coverage.observe(exchange(document, one));
  return coverage.summarize([{ name: "todo.yaml", document }]);
}

const GIVEN: readonly Given[] = [
  ...Array.from({ length: 12 }, () => ({ operation: "GET /todos", body: [] })),
  {
    operation: "POST /todos",
    status: 201,
    requestBody: { title: 3 },
    requestViolations: [violation("body.title", "type", "Request body property title must be string.")],
  },
];

Deno.test("layOut() shows figures, operations, violations and the end of the log", async () => {
  const page = { title: TITLE, keys: KEYS, summary: await summarize(GIVEN), log: LOG };
  assert.deepEqual(layOut(page, { columns: 80, rows: 24 }, PLAIN), [
    TITLE,
    "13 requests, to 2 of 3 operations. 1 request violates the definition.",
    "",
    "requests   wrong  operation    responses",
    "       1       1  POST /todos  201 (1)",
    "      12          GET /todos   200 application/json (12)",
    "                  1 not asked",
    "",
    "! once: Request body property title must be string.",
    "  first: POST /todos 201: 3",
    "",
    ...LOG.slice(-6),
    "",
    KEYS,
  ]);
});

Deno.test("layOut() fits any terminal", async () => {
  const wide = Array.from({ length: 40 }, (_, index): Given => ({
    operation: "GET /todos",
    request: `GET /todos?q=${"日本".repeat(100)}`,
    status: 200 + index,
    responseViolations: [
      violation(`response.body.k${index}`, "type", `k${index} \u001b[2J${"語".repeat(100)} is wrong.`),
    ],
  }));
  const page = {
    title: `${TITLE} \u001b]0;x\u0007`,
    keys: KEYS,
    summary: await summarize([...GIVEN, ...wide]),
    log: LOG,
  };
  for (const columns of [1, 7, 20, 40, 80, 200]) {
    for (const rows of [1, 2, 5, 8, 12, 24, 100]) {
      const lines = layOut(page, { columns, rows }, PLAIN);
      assert.ok(lines.length <= rows, `${columns}x${rows}: ${lines.length} lines`);
      for (const line of lines) {
        assert.ok(columnsOf(line) <= columns, `${columns}x${rows}: ${JSON.stringify(line)}`);
        assert.match(line, /^\P{Cc}*$/u);
      }
    }
  }
});

Deno.test("layOut() has colours on a terminal with colours", async () => {
  const page = { title: TITLE, keys: KEYS, summary: await summarize(GIVEN), log: LOG };
  const text = layOut(page, { columns: 80, rows: 24 }, createPaint(true)).join("\n");
  assert.ok(text.includes(`\u001b[31m       1\u001b[39m`));
  assert.equal(text.replaceAll(/\p{Cc}\[\d+m/gu, ""), layOut(page, { columns: 80, rows: 24 }, PLAIN).join("\n"));
});
