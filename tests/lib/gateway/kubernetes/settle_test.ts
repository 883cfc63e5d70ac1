import assert from "node:assert/strict";
import { settle } from "../../../../lib/gateway/kubernetes/settle.ts";
import { planRoutes, type RoutePlan } from "../../../../lib/gateway/route.ts";
import { conflictOf } from "../../../../lib/management/deployment.ts";
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

async function withLogin(name: string, host: string, oauth2: Record<string, unknown>): Promise<RoutePlan> {
  const settings = {
    issuer: "https://id.example.com",
    client_secret_ref: { name: "s", key: "client-secret" },
    ...oauth2,
  };
  const document = await parseDocument(JSON.stringify({
    openapi: "3.1.0",
    info: { title: name, version: "1" },
    "x-svc": { hosts: [host], path: { prefix: `/${name}` }, mocking: { enabled: true }, auth: { oauth2: settings } },
    paths: { "/a": { get: { responses: { 204: { description: "None." } } } } },
  }));
  return planRoutes({ namespace: "shop", name, fleet: { namespace: "default", name: "default" }, document });
}

Deno.test("settle() leaves out younger logins whose sessions would be those of older ones", async (t) => {
  const cases: { name: string; host?: string; oauth2: Record<string, unknown>; isLeftOut: boolean }[] = [
    { name: "the same client", oauth2: { client_id: "a", scopes: ["email"] }, isLeftOut: false },
    { name: "another client", oauth2: { client_id: "b" }, isLeftOut: true },
    { name: "another issuer", oauth2: { client_id: "a", issuer: "https://other.example.com" }, isLeftOut: true },
    { name: "another client on a host that is meant too", host: "*", oauth2: { client_id: "b" }, isLeftOut: true },
    { name: "another client on hosts below", host: "*.example.com", oauth2: { client_id: "b" }, isLeftOut: true },
    { name: "another client on hosts beside", host: "*.a.example.com", oauth2: { client_id: "b" }, isLeftOut: false },
    { name: "another client on another host", host: "b.example.com", oauth2: { client_id: "b" }, isLeftOut: false },
    {
      name: "a path that the older comes back to",
      oauth2: { client_id: "a", redirect_url: "https://a.example.com/old/oauth2/callback" },
      isLeftOut: true,
    },
    { name: "a path of the older", oauth2: { client_id: "a", logout_path: "/old/a" }, isLeftOut: true },
  ];
  const old = await withLogin("old", "a.example.com", { client_id: "a" });
  await t.step("another client on a host that the older means too", async () => {
    const [all, one] = await Promise.all([
      withLogin("all", "*.example.com", { client_id: "a" }),
      withLogin("one", "a.b.example.com", { client_id: "b" }),
    ]);
    const settled = settle([all, one].map((plan, age) => ({ key: plan.name, age: `${age}`, plans: [plan] })));
    assert.deepEqual(settled.get("one"), { plan: undefined, conflict: all });
  });
  for (const { name, host = "a.example.com", oauth2, isLeftOut } of cases) {
    await t.step(name, async () => {
      const young = await withLogin("young", host, oauth2);
      const settled = settle([{ key: "young", age: "2", plans: [young] }, { key: "old", age: "1", plans: [old] }]);
      assert.deepEqual(settled.get("old"), { plan: old });
      assert.deepEqual(settled.get("young"), isLeftOut ? { plan: undefined, conflict: old } : { plan: young });
      const message = conflictOf(young, [old]);
      if (isLeftOut) assert.match(message ?? "", /the API shop\/old/);
      else assert.equal(message, undefined);
    });
  }
});
