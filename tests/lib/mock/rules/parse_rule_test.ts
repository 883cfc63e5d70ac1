import assert from "node:assert/strict";
import { parseRule } from "../../../../lib/mock/rules/parse_rule.ts";
import { createRuleReader } from "../../../../lib/mock/rules/read_rule.ts";
import type { Rule } from "../../../../lib/openapi/extension/rule.ts";

const TEXTS: readonly { text: string; rule: Rule }[] = [
  { text: "GET /pets: 503 10%", rule: { operation: "GET /pets", status: 503, share: 0.1 } },
  { text: "POST /orders: delay 200-400", rule: { operation: "POST /orders", delay: { min: 200, max: 400 } } },
  { text: "POST /orders: delay 200", rule: { operation: "POST /orders", delay: 200 } },
  { text: "* *: delay 200~0.5", rule: { operation: "* *", delay: { median: 200, sigma: 0.5 } } },
  { text: "* *: reset 1%", rule: { operation: "* *", fault: "reset", share: 0.01 } },
  { text: "GET /pets: example none", rule: { operation: "GET /pets", example: "none" } },
  { text: "GET /pets: 503,503", rule: { operation: "GET /pets", sequence: [{ status: 503 }, { status: 503 }] } },
  {
    text: "GET /pets: 503, reset , ok x3",
    rule: { operation: "GET /pets", sequence: [{ status: 503 }, { fault: "reset" }, {}], times: 3 },
  },
  { text: "GET /pets: 503 x3", rule: { operation: "GET /pets", status: 503, times: 3 } },
  { text: "GET /pets: truncated", rule: { operation: "GET /pets", fault: "truncated" } },
  { text: "GET /pets: truncated 10 5%", rule: { operation: "GET /pets", fault: "truncated", bytes: 10, share: 0.05 } },
  { text: "GET /pets: slow 100", rule: { operation: "GET /pets", fault: "slow", rate: 100 } },
  { text: "GET /pets: time-out", rule: { operation: "GET /pets", fault: "time-out" } },
  { text: "listPets: empty", rule: { operation: "listPets", fault: "empty" } },
  { text: "POST /v1/{name}:cancel: 409", rule: { operation: "POST /v1/{name}:cancel", status: 409 } },
  {
    text: "GET /pets: 503 if query.status=sold and header.x-tenant=acme",
    rule: { operation: "GET /pets", status: 503, match: { "query.status": "sold", "header.x-tenant": "acme" } },
  },
  {
    text: 'GET /pets: 200 force body [{"name": "a, b"}]',
    rule: { operation: "GET /pets", status: 200, force: true, body: [{ name: "a, b" }] },
  },
];

for (const { text, rule } of TEXTS) {
  Deno.test(`parseRule() reads ${text}`, async () => {
    assert.deepEqual(parseRule(text), { kind: "rule", rule });
    const reader = await createRuleReader();
    assert.deepEqual(reader.read(rule), { kind: "rule", rule });
  });
}

Deno.test("parseRule() reads a text of spaces, commas or conditions in time that grows with its length", () => {
  const conditions = Array.from({ length: 4_000 }, (_, index) => `if query.${index.toString(36)}=`).join(" ");
  const texts = [
    [`* *:${" ".repeat(65_000)}503`, "rule"],
    [`* *: ${":,".repeat(32_000)}`, "refused"],
    [`* *: ${conditions}`, "rule"],
  ];
  for (const [text, kind] of texts) assert.equal(parseRule(text ?? "").kind, kind);
});

Deno.test("parseRule() keeps the last of equal conditions, and one on a name of Object's prototype", () => {
  assert.deepEqual(parseRule("* *: 503 if query.a=1 and __proto__=2 and query.a=3"), {
    kind: "rule",
    rule: { operation: "* *", status: 503, match: { "query.a": "3", ["__proto__"]: "2" } },
  });
});

const REFUSED: readonly { text: string; message: RegExp }[] = [
  { text: "", message: /OPERATION: WHAT/ },
  { text: "GET /pets", message: /OPERATION: WHAT/ },
  { text: "GET /pets:", message: /OPERATION: WHAT/ },
  { text: "GET /pets: 50%3", message: /`50%3` is no part of a rule/ },
  { text: "GET /pets: delay", message: /Milliseconds are missing after `delay`/ },
  { text: "GET /pets: delay soon", message: /Milliseconds are missing after `delay`/ },
  { text: "GET /pets: 503,no", message: /`503,no` is no part of a rule/ },
  { text: "GET /pets: example", message: /name of an example is missing/ },
  { text: "GET /pets: 503 if status", message: /condition is missing after `if`/ },
  { text: "GET /pets: body {", message: /What follows `body` must be JSON/ },
  { text: `GET /pets: ${"x".repeat(70_000)}`, message: /at most 65536 characters/ },
];

for (const { text, message } of REFUSED) {
  Deno.test(`parseRule() refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
    const read = parseRule(text);
    assert.ok(read.kind === "refused");
    assert.match(read.problems[0]?.message ?? "", message);
  });
}

const SHAPES: readonly { value: unknown; pointer: string; message: RegExp }[] = [
  { value: "GET /pets: 503", pointer: "", message: /The rule must be object/ },
  { value: {}, pointer: "", message: /operation/ },
  { value: { operation: "* *" }, pointer: "", message: /doesn't say what happens/ },
  { value: { operation: "* *", stauts: 503 }, pointer: "/stauts", message: /Did you mean `?"?status/ },
  { value: { operation: "* *", status: 42 }, pointer: "/status", message: /200/ },
  { value: { operation: "* *", status: 503, share: 2 }, pointer: "/share", message: /1/ },
  { value: { operation: "* *", delay: -1 }, pointer: "/delay", message: /delay/ },
  { value: { operation: "* *", delay: { min: 3, max: 2 } }, pointer: "/delay", message: /`max`/ },
  { value: { operation: "* *", fault: "explode" }, pointer: "/fault", message: /reset/ },
  { value: { operation: "* *", status: 503, match: { pet: 1 } }, pointer: "/match/pet", message: /pet/ },
  { value: { operation: "* *", headers: { "a b": "c" } }, pointer: "/headers", message: /./ },
  { value: { operation: "* *", headers: { a: "b\r\nc: d" } }, pointer: "/headers/a", message: /./ },
  { value: { operation: "* *", sequence: [] }, pointer: "/sequence", message: /./ },
  {
    value: { operation: "* *", sequence: [{ delay: { min: 3, max: 2 } }] },
    pointer: "/sequence/0/delay",
    message: /./,
  },
  { value: { operation: "* *", status: 200, bytes: 3 }, pointer: "", message: /fault/ },
];

for (const { value, pointer, message } of SHAPES) {
  Deno.test(`a rule of the shape ${JSON.stringify(value)} is refused`, async () => {
    const read = (await createRuleReader()).read(value);
    assert.ok(read.kind === "refused");
    const [problem] = read.problems;
    assert.equal(problem?.pointer, pointer, JSON.stringify(read.problems));
    assert.match(problem?.message ?? "", message);
  });
}
