import assert from "node:assert/strict";
import type { Rule } from "../../../../lib/openapi/extension/rule.ts";
import { RuleBase } from "../../../../lib/mock/rules/rule_base.ts";
import { StateFullError } from "../../../../lib/mock/state/store/limits.ts";
import { createRuleList } from "../../../../lib/mock/rules/session_rules.ts";
import { createRandom } from "../../../../lib/mock/generate/random.ts";
import { rulesOfPets } from "./pets.ts";

const TARGETS: readonly { operation: string; applies: readonly string[] }[] = [
  { operation: "GET /pets", applies: ["GET /pets"] },
  { operation: "get /pets", applies: ["GET /pets"] },
  { operation: "* /pets", applies: ["GET /pets", "POST /pets"] },
  { operation: "/pets", applies: ["GET /pets", "POST /pets"] },
  { operation: "GET /pets/{petId}", applies: ["GET /pets/7", "GET /pets/8"] },
  { operation: "GET /pets/{id}", applies: ["GET /pets/7", "GET /pets/8"] },
  { operation: "GET /pets/7", applies: ["GET /pets/7"] },
  { operation: "GET *", applies: ["GET /pets", "GET /pets/7", "GET /pets/8"] },
  { operation: "* /pets/*", applies: ["GET /pets/7", "GET /pets/8"] },
  { operation: "* *", applies: ["GET /pets", "POST /pets", "GET /pets/7", "GET /pets/8"] },
  { operation: "*", applies: ["GET /pets", "POST /pets", "GET /pets/7", "GET /pets/8"] },
  { operation: "createPet", applies: ["POST /pets"] },
  { operation: "GET /dogs", applies: [] },
];

for (const { operation, applies } of TARGETS) {
  Deno.test(`a rule for ${operation} applies to ${applies.join(", ") || "nothing"}`, async () => {
    const { choose } = await rulesOfPets({ own: [{ operation, status: 503 }] });
    const lines = ["GET /pets", "POST /pets", "GET /pets/7", "GET /pets/8"];
    assert.deepEqual(lines.filter((line) => choose(line)?.outcome?.status === 503), applies);
  });
}

const CONDITIONS: readonly { match: Record<string, unknown>; line: string; body?: unknown; applies: boolean }[] = [
  { match: { "query.status": "sold" }, line: "GET /pets?status=sold", applies: true },
  { match: { "query.status": "sold" }, line: "GET /pets?status=free", applies: false },
  { match: { "header.X-Tenant": "acme" }, line: "GET /pets", applies: true },
  { match: { "path.petId": 7 }, line: "GET /pets/7", applies: true },
  { match: { "path.petId": 8 }, line: "GET /pets/7", applies: false },
  { match: { "body./name": "Tom" }, line: "POST /pets", body: { name: "Tom" }, applies: true },
  { match: { "body./name": "Tom" }, line: "POST /pets", body: { name: "Kit" }, applies: false },
  { match: { "cookie.sid": "1" }, line: "GET /pets", applies: false },
];

for (const { match, line, body, applies } of CONDITIONS) {
  Deno.test(`a rule with ${JSON.stringify(match)} ${applies ? "applies" : "doesn't apply"} to ${line}`, async () => {
    const { choose } = await rulesOfPets({ own: [{ operation: "* *", match, status: 503 }] });
    assert.equal(choose(line, body) !== undefined, applies);
  });
}

Deno.test("a session's newest rule takes precedence, then the rules of the command line, then the definition's", async () => {
  const { list, choose } = await rulesOfPets({
    shared: [{ operation: "* *", status: 500 }, { operation: "* *", status: 501 }],
    declared: [{ operation: "* *", status: 502 }],
  });
  assert.equal(choose("GET /pets")?.outcome?.status, 500);
  const first = list.add({ operation: "* *", status: 503 });
  const second = list.add({ operation: "* *", status: 504 });
  assert.equal(choose("GET /pets")?.outcome?.status, 504);
  assert.equal(list.remove(second.id), true);
  assert.equal(choose("GET /pets")?.outcome?.status, 503);
  assert.equal(list.remove(first.id), true);
  assert.equal(list.remove(first.id), false);
  assert.equal(choose("GET /pets")?.outcome?.status, 500);
});

Deno.test("one rule can set the answer and another the delay", async () => {
  const { choose } = await rulesOfPets({
    own: [{ operation: "* *", delay: 50 }, { operation: "GET /pets", status: 503 }],
  });
  assert.deepEqual(choose("GET /pets"), {
    ids: ["r2", "r1"],
    outcome: { operation: "GET /pets", status: 503 },
    delay: 50,
    fault: undefined,
  });
  assert.deepEqual(choose("POST /pets"), { ids: ["r1"], outcome: undefined, delay: 50, fault: undefined });
});

Deno.test("a rule applies at most `times` times", async () => {
  const { list, choose } = await rulesOfPets({ own: [{ operation: "GET /pets", status: 503, times: 2 }] });
  const statuses = [1, 2, 3].map(() => choose("GET /pets")?.outcome?.status);
  assert.deepEqual(statuses, [503, 503, undefined]);
  assert.deepEqual(list.list().map(({ applied }) => applied), [2]);
});

const SEQUENCES: readonly { rule: Omit<Rule, "operation">; statuses: readonly (number | undefined)[] }[] = [
  { rule: { sequence: [{ status: 503 }, { status: 429 }] }, statuses: [503, 429, undefined, undefined] },
  { rule: { sequence: [{ status: 503 }, {}], times: 2 }, statuses: [503, undefined, 503, undefined, undefined] },
];

for (const { rule, statuses } of SEQUENCES) {
  Deno.test(`the sequence ${JSON.stringify(rule)} answers one request after the other`, async () => {
    const { choose } = await rulesOfPets({ own: [{ operation: "GET /pets", ...rule }] });
    assert.deepEqual(statuses.map(() => choose("GET /pets")?.outcome?.status), statuses);
  });
}

Deno.test("a share of the requests gets the answer of the rule", async () => {
  const { choose } = await rulesOfPets({ own: [{ operation: "* *", status: 503, share: 0.1 }] });
  const count = Array.from({ length: 2000 }, () => choose("GET /pets")).filter((chosen) => chosen !== undefined).length;
  assert.ok(count > 150 && count < 250, `${count} of 2000`);
});

Deno.test("each session counts the applications of shared rules separately", async () => {
  const base = new RuleBase([{ operation: "* *", status: 503, times: 1 }]);
  const { choose } = await rulesOfPets({ shared: [{ operation: "* *", status: 503, times: 1 }] });
  assert.equal(choose("GET /pets")?.outcome?.status, 503);
  assert.equal(choose("GET /pets"), undefined);
  const lists = [1, 2].map((seed) => createRuleList(base, createRandom(seed)));
  assert.deepEqual(lists.map((list) => list.list()[0]?.applied), [0, 0]);
});

Deno.test("reset() removes the session's rules, and resets the counts of shared rules", async () => {
  const { list, choose } = await rulesOfPets({
    shared: [{ operation: "* *", status: 503, times: 1 }],
    own: [{ operation: "* *", status: 504, times: 1 }],
  });
  assert.deepEqual([1, 2, 3].map(() => choose("GET /pets")?.outcome?.status), [504, 503, undefined]);
  list.reset();
  assert.deepEqual([1, 2].map(() => choose("GET /pets")?.outcome?.status), [503, undefined]);
});

Deno.test("rules beyond a limit are refused with its name, and a session that ends releases its memory", () => {
  const rule: Rule = { operation: "* *", status: 503 };
  const base = new RuleBase([], { limits: { rules: 2, allRules: 3, allRuleBytes: 10_000 } });
  const [first, second] = [createRuleList(base, Math.random), createRuleList(base, Math.random)];
  first.add(rule);
  first.add(rule);
  assert.throws(() => first.add(rule), (error) => error instanceof StateFullError && error.limit === "rules");
  second.add(rule);
  assert.throws(() => second.add(rule), { limit: "allRules", most: 3 });
  assert.equal(second.replace("r1", { ...rule, status: 504 })?.rule.status, 504);
  assert.throws(() => second.replace("r1", { ...rule, body: "x".repeat(10_000) }), { limit: "allRuleBytes" });
  first.release();
  assert.throws(() => second.add({ ...rule, body: "x".repeat(10_000) }), { limit: "allRuleBytes" });
  assert.equal(second.add(rule).id, "r2");
});

Deno.test("usesBody() is true if a condition depends on the body", async () => {
  const { list } = await rulesOfPets({
    own: [{ operation: "createPet", match: { "body./name": "Tom" }, status: 409 }],
  });
  const operations = await (await import("./pets.ts")).petOperations();
  const reading = operations.filter((operation) => list.usesBody({ operation, declaredRules: [] }));
  assert.deepEqual(reading.map(({ method, path }) => `${method} ${path}`), ["POST /pets"]);
});

Deno.test("a thousand rules with an index apply to the same requests as without", async () => {
  const many = Array.from({ length: 990 }, (_, index) => ({ "query.status": `s${index}` }));
  const cases: readonly { match: Record<string, unknown>; line: string; body?: unknown }[] = [
    { match: { "query.status": "sold" }, line: "GET /pets?status=sold" },
    { match: { "query.limit": 10, "query.status": "sold" }, line: "GET /pets?limit=10&status=sold" },
    { match: { "header.X-Tenant": "acme" }, line: "GET /pets" },
    { match: { "path.petId": "7" }, line: "GET /pets/7" },
    { match: { "path.petId": 7 }, line: "GET /pets/7" },
    { match: { "body./pet/name": "Tom" }, line: "POST /pets", body: { pet: { name: "Tom" } } },
    { match: { "body./id": 5 }, line: "POST /pets", body: { id: "5" } },
    { match: { "body": [1, 2] }, line: "POST /pets", body: [1, 2] },
    { match: {}, line: "GET /pets?status=x" },
  ];
  for (const { match, line, body } of cases) {
    const { list, choose } = await rulesOfPets({ own: [{ operation: "* *", match, status: 404 }] });
    for (const other of many) list.add({ operation: "* *", match: other, status: 503 });
    list.add({ operation: "* *", match, delay: 7 });
    assert.deepEqual(choose(line, body)?.ids, ["r992", "r1"], JSON.stringify(match));
    assert.equal(choose("GET /pets?status=s5")?.outcome?.status, 503);
  }
});

Deno.test("with an index, rules apply in the order of the list", async () => {
  const own = Array.from({ length: 40 }, (_, index) => ({
    operation: "* *",
    status: 400 + index,
    times: 1,
    ...(index % 3 === 0 ? {} : { match: { [index % 3 === 1 ? "query.status" : "header.x-tenant"]: "acme" } }),
  }));
  const { choose } = await rulesOfPets({ own });
  const statuses = own.map(() => choose("GET /pets?status=acme")?.outcome?.status);
  assert.deepEqual(statuses, own.map(({ status }) => status).reverse());
});
