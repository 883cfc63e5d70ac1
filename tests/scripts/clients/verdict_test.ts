import assert from "node:assert/strict";
import { CLIENTS } from "../../../scripts/clients/clients.ts";
import { KNOWN_FAILURES } from "../../../scripts/clients/known_failures.ts";
import type { TestResult } from "../../../scripts/clients/result.ts";
import { evaluate, type KnownFailure } from "../../../scripts/clients/verdict.ts";

const FAILURES: readonly KnownFailure[] = [
  { client: "shop-go", tests: /^TestPdf$/, fault: "client", reason: "It wants the fixtures of its own mock server." },
  { client: "shop-go", mode: "strict", tests: /^TestOld/, message: /422/, fault: "definition", reason: "It is older." },
  { client: "shop-node", tests: /./, fault: "client", reason: "Another client." },
];

function result(name: string, outcome: TestResult["outcome"], message = ""): TestResult {
  return { name, outcome, message };
}

Deno.test("evaluate() counts results, and separates known failures", () => {
  const results = [result("TestGet", "passed"), result("TestPdf", "failed"), result("TestWindows", "skipped")];
  const { known, ...counts } = evaluate("shop-go", "default", results, FAILURES);
  assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 1, total: 2, unknown: [], outdated: [] });
  assert.deepEqual(known.map(({ failure, count }) => [failure.reason, count]), [[FAILURES[0]?.reason, 1]]);
});

Deno.test("evaluate() counts a failure as gw's unless client, mode and message are listed", () => {
  const results = [
    result("TestGet", "failed"),
    result("TestOldGet", "failed", "got 422"),
    result("TestOldPut", "failed"),
  ];
  const unknownIn = (mode: "default" | "strict"): string[] =>
    evaluate("shop-go", mode, results, FAILURES).unknown.map(({ name }) => name);
  assert.deepEqual(unknownIn("default"), ["TestGet", "TestOldGet", "TestOldPut"]);
  assert.deepEqual(unknownIn("strict"), ["TestGet", "TestOldPut"]);
});

Deno.test("evaluate() reports known failures that pass now, if their tests ran", () => {
  const { outdated } = evaluate("shop-go", "strict", [result("TestPdf", "passed")], FAILURES);
  assert.deepEqual(outdated, [FAILURES[0]]);
});

Deno.test("each known failure belongs to a client", () => {
  const names = new Set(CLIENTS.map(({ name }) => name));
  assert.deepEqual(KNOWN_FAILURES.filter(({ client }) => !names.has(client)), []);
});
