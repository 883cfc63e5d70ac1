import assert from "node:assert/strict";
import { Coverage } from "../../../../lib/observe/report/coverage.ts";
import type { Summary } from "../../../../lib/observe/report/summary.ts";
import type { Document } from "../../../../lib/openapi/document.ts";
import { exchange, type Given, parseTodo, TODO, violation } from "./exchanges.ts";

const LIMIT = violation("query.limit", "maximum", "Request query parameter limit must be <= 100.");

function summarize(document: Document, given: readonly Given[], after = document): Summary {
  const coverage = new Coverage();
  for (const one of given) coverage.observe(exchange(one.document ?? document, one));
  return coverage.summarize([{ name: "todo.yaml", document: after }]);
}

Deno.test("Coverage counts requests, responses and violations of each operation", async () => {
  const document = await parseTodo();
  const { operations, unmatched, totals } = summarize(document, [
    { operation: "GET /todos", body: [] },
    { operation: "GET /todos", body: [] },
    { operation: "GET /todos", request: "GET /todos?limit=500", body: [], requestViolations: [LIMIT] },
    { operation: "GET /todos", request: "GET /todos?limit=600", body: [], requestViolations: [LIMIT] },
    { operation: "POST /todos", status: 201, unchecked: "It has more than 10 MiB." },
    { request: "GET /todoz", status: 404 },
    { request: "GET /todoz", status: 404 },
  ]);
  assert.deepEqual(totals, {
    operations: 3,
    asked: 2,
    requests: 7,
    unmatched: 2,
    invalidRequests: 2,
    invalidResponses: 0,
    unanswered: 0,
  });
  assert.deepEqual(unmatched, [{ method: "GET", path: "/todoz", status: 404, count: 2 }]);
  const [todos, post, reset] = operations;
  assert.deepEqual(todos, {
    definition: "todo.yaml",
    method: "GET",
    path: "/todos",
    isRemoved: false,
    requests: 4,
    responses: [{ status: 200, mediaType: "application/json", count: 4 }],
    unseen: ["404", "4XX"],
    violations: [{
      side: "request",
      severity: "Error",
      code: "maximum",
      location: "query.limit",
      message: "Request query parameter limit must be <= 100.",
      count: 2,
      first: { method: "GET", url: "/todos?limit=500", status: 200, excerpt: "limit=500" },
    }],
    unlisted: 0,
    unchecked: 0,
    unanswered: 0,
  });
  assert.deepEqual([post?.unchecked, post?.uncheckedReason, post?.unseen], [1, "It has more than 10 MiB.", [
    "default",
  ]]);
  assert.deepEqual([reset?.requests, reset?.unseen], [0, ["204"]]);
});

Deno.test("Coverage counts a status for its own key, else for its range, else for default", async (t) => {
  const cases: { operation: string; status: number; unseen: string[] }[] = [
    { operation: "GET /todos", status: 404, unseen: ["200", "4XX"] },
    { operation: "GET /todos", status: 418, unseen: ["200", "404"] },
    { operation: "GET /todos", status: 500, unseen: ["200", "404", "4XX"] },
    { operation: "POST /todos", status: 500, unseen: ["201"] },
  ];
  const document = await parseTodo();
  for (const { operation, status, unseen } of cases) {
    await t.step(`${operation} ${status}`, () => {
      const found = summarize(document, [{ operation, status }]).operations.find(({ requests }) => requests > 0);
      assert.deepEqual(found?.unseen.toSorted(), unseen.toSorted());
    });
  }
});

Deno.test("Coverage counts violations of all items of an array together", async () => {
  const document = await parseTodo();
  const body = [{ id: "a" }, { id: 2 }, { id: "c" }];
  const { operations } = summarize(document, [{
    operation: "GET /todos",
    body,
    responseViolations: [
      violation("response.body.0.id", "type", "Response body property 0.id must be integer."),
      violation("response.body.2.id", "type", "Response body property 2.id must be integer."),
    ],
  }]);
  const [found, ...others] = operations[0]?.violations ?? [];
  assert.deepEqual(others, []);
  assert.deepEqual(found, {
    side: "response",
    severity: "Error",
    code: "type",
    location: "response.body.*.id",
    message: "Response body property *.id must be integer.",
    count: 2,
    first: { method: "GET", url: "/todos", status: 200, excerpt: '"a"' },
  });
});

Deno.test("Coverage keeps the counts of an operation over a reload, and those of a removed operation", async () => {
  const before = await parseTodo();
  const after = await parseTodo(TODO.replace("    post:\n", "    patch:\n"));
  const given = [
    { operation: "GET /todos" },
    { operation: "POST /todos", status: 201 },
    { operation: "GET /todos", document: after },
  ];
  const { operations, totals } = summarize(before, given, after);
  assert.deepEqual(operations.map(({ method, requests, isRemoved }) => [method, requests, isRemoved]), [
    ["GET", 2, false],
    ["PATCH", 0, false],
    ["PUT", 0, false],
    ["POST", 1, true],
  ]);
  assert.equal(totals.asked, 2);
});

Deno.test("Coverage bounds its lists and counts what it doesn't list", async () => {
  const document = await parseTodo();
  const given = Array.from({ length: 300 }, (_, index): Given[] => [
    {
      operation: "GET /todos",
      request: `GET /todos?q=${"x".repeat(5_000)}`,
      status: 200 + index,
      requestViolations: [
        violation(`body.key-${index}`, "x", `Request body property key-${index} is ${"x".repeat(1e4)}`),
      ],
    },
    { request: `GET /${index}/${"y".repeat(5_000)}`, status: 404 },
  ]).flat();
  const summary = summarize(document, given);
  const [todos] = summary.operations;
  assert.equal(todos?.requests, 300);
  assert.equal(todos?.responses.length, 50);
  assert.equal(todos?.violations.length, 50);
  assert.equal(todos?.unlisted, 250);
  assert.equal(summary.unmatched.length, 200);
  assert.equal(summary.totals.unmatched, 300);
  assert.ok(JSON.stringify(summary).length < 200_000);
});

Deno.test("Coverage lists errors before warnings, the most frequent first", async () => {
  const document = await parseTodo();
  const [a, b] = ["a", "b"].map((name) => violation(`query.${name}`, "type", `${name} is wrong.`));
  const warning = { ...violation("query.c", "deprecated", "c is deprecated."), severity: "Warning" as const };
  assert.ok(a !== undefined && b !== undefined);
  const { operations, totals } = summarize(document, [
    { operation: "GET /todos", requestViolations: [warning] },
    { operation: "GET /todos", requestViolations: [warning] },
    { operation: "GET /todos", requestViolations: [warning, a, b] },
    { operation: "GET /todos", requestViolations: [b] },
  ]);
  assert.deepEqual(operations[0]?.violations.map(({ message, count }) => [message, count]), [
    ["b is wrong.", 2],
    ["a is wrong.", 1],
    ["c is deprecated.", 3],
  ]);
  assert.equal(totals.invalidRequests, 2);
});

Deno.test("Coverage counts requests without a response of the upstream, whose problem isn't a response", async () => {
  const document = await parseTodo();
  const failure = "The upstream http://h can't be reached: k-123456 refused";
  const { operations: [todos, post], totals, unansweredReason } = summarize(document, [
    { request: "GET /todoz", status: 502, failure: "The upstream has not answered within 60 s." },
    { operation: "POST /todos", request: "POST /todos?k=k-123456", status: 502, failure },
    { operation: "POST /todos", status: 504, failure: "Another." },
    { operation: "GET /todos", body: [] },
  ]);
  assert.equal(totals.unanswered, 3);
  assert.equal(unansweredReason, "The upstream has not answered within 60 s.");
  assert.equal(todos?.unanswered, 0);
  assert.deepEqual([post?.requests, post?.unanswered, post?.responses, post?.unseen], [2, 2, [], ["201", "default"]]);
  assert.equal(post?.unansweredReason, "The upstream http://h can't be reached: REDACTED refused");
});
