import assert from "node:assert/strict";
import { settle } from "../../../../lib/gateway/kubernetes/settle.ts";
import { planRoutes, type RoutePlan } from "../../../../lib/gateway/route.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

async function plan(name: string, ...paths: string[]): Promise<RoutePlan> {
  const operations = paths.map((path) => `  ${path}: {get: {responses: {"204": {description: None.}}}}`);
  const document = await parseDocument(
    [
      "openapi: 3.1.0",
      `info: {title: ${name}, version: "1"}`,
      "x-svc: {mocking: {enabled: true}}",
      "paths:",
      ...operations,
    ]
      .join("\n"),
  );
  return planRoutes({ namespace: "shop", name, fleet: { namespace: "default", name: "default" }, document });
}

Deno.test("settle() gives a path to the oldest, and says who has it", async () => {
  const [young, old] = await Promise.all([plan("young", "/a"), plan("old", "/a")]);
  const settled = settle([{ key: "young", age: "2", plans: [young] }, { key: "old", age: "1", plans: [old] }]);
  assert.deepEqual(settled.get("old"), { plan: old });
  assert.deepEqual(settled.get("young"), { plan: undefined, conflict: old });
});

Deno.test("settle() leaves in force what was before, where what is wanted now is taken", async () => {
  const [old, before, now] = await Promise.all([plan("old", "/a"), plan("young", "/b"), plan("young", "/a")]);
  const settled = settle([{ key: "old", age: "1", plans: [old] }, { key: "young", age: "2", plans: [now, before] }]);
  assert.deepEqual(settled.get("young"), { plan: before, conflict: old });
});

Deno.test("settle() doesn't let a loser take anything from others", async () => {
  const [first, second, third] = await Promise.all([plan("1", "/a"), plan("2", "/a", "/b"), plan("3", "/b")]);
  const settled = settle([first, second, third].map((one) => ({ key: one.name, age: one.name, plans: [one] })));
  assert.deepEqual([...settled].map(([key, { plan }]) => [key, plan?.name]), [["1", "1"], ["2", undefined], [
    "3",
    "3",
  ]]);
});
