import assert from "node:assert/strict";
import {
  type Candidate,
  ConflictResolver,
  resolveConflicts,
} from "../../../../lib/gateway/conflicts/resolve_conflicts.ts";
import { planRoutes } from "../../../../lib/gateway/plan_routes.ts";
import type { RoutePlan } from "../../../../lib/gateway/route.ts";
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

Deno.test("resolveConflicts() gives a path to the oldest plan, and names it", async () => {
  const [young, old] = await Promise.all([plan("young", "/a"), plan("old", "/a")]);
  const resolved = resolveConflicts([{ key: "young", age: "2", plans: [young] }, {
    key: "old",
    age: "1",
    plans: [old],
  }]);
  assert.deepEqual(resolved.get("old"), { plan: old });
  assert.deepEqual(resolved.get("young"), { plan: undefined, conflict: old });
});

Deno.test("resolveConflicts() keeps the earlier plan in force if the preferred one conflicts", async () => {
  const [old, before, now] = await Promise.all([plan("old", "/a"), plan("young", "/b"), plan("young", "/a")]);
  const resolved = resolveConflicts([{ key: "old", age: "1", plans: [old] }, {
    key: "young",
    age: "2",
    plans: [now, before],
  }]);
  assert.deepEqual(resolved.get("young"), { plan: before, conflict: old });
});

Deno.test("resolveConflicts() ignores the claims of a plan that isn't in force", async () => {
  const [first, second, third] = await Promise.all([plan("1", "/a"), plan("2", "/a", "/b"), plan("3", "/b")]);
  const resolved = resolveConflicts(
    [first, second, third].map((one) => ({ key: one.name, age: one.name, plans: [one] })),
  );
  assert.deepEqual([...resolved].map(([key, { plan }]) => [key, plan?.name]), [["1", "1"], ["2", undefined], [
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

Deno.test("resolveConflicts() refuses younger logins whose sessions are valid for older ones", async (t) => {
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
    const resolved = resolveConflicts(
      [all, one].map((plan, age) => ({ key: plan.name, age: `${age}`, plans: [plan] })),
    );
    assert.deepEqual(resolved.get("one"), { plan: undefined, conflict: all });
  });
  for (const { name, host = "a.example.com", oauth2, isLeftOut } of cases) {
    await t.step(name, async () => {
      const young = await withLogin("young", host, oauth2);
      const resolved = resolveConflicts([{ key: "young", age: "2", plans: [young] }, {
        key: "old",
        age: "1",
        plans: [old],
      }]);
      assert.deepEqual(resolved.get("old"), { plan: old });
      assert.deepEqual(resolved.get("young"), isLeftOut ? { plan: undefined, conflict: old } : { plan: young });
      const message = conflictOf(young, [old]);
      if (isLeftOut) assert.match(message ?? "", /the API shop\/old/);
      else assert.equal(message, undefined);
    });
  }
});

Deno.test("ConflictResolver comes to the resolutions of resolveConflicts(), in any order of changes", async () => {
  const paths = ["/a", "/b", "/c", "/d"];
  const plain = await Promise.all(
    paths.flatMap((one) => paths.map((other) => plan(`${one}${other}`, ...new Set([one, other])))),
  );
  const logins = await Promise.all(
    ["a", "b", "c"].flatMap((client) =>
      ["a.example.com", "*.example.com", "b.example.com"].map((host) => withLogin(client, host, { client_id: client }))
    ),
  );
  const plans = [...plain, ...logins];
  const resolver = new ConflictResolver();
  const candidates = new Map<string, Candidate>();
  let seed = 1;
  const next = (most: number): number => (seed = seed * 48_271 % 2_147_483_647) % most;
  for (let step = 0; step < 500; step++) {
    const key = `key-${next(12)}`;
    const wanted = Array.from({ length: next(3) }, () => plans[next(plans.length)] ?? assert.fail());
    const candidate = { key, age: `${next(5)} ${key}`, plans: wanted };
    const before = new Map([...candidates.keys()].map((one) => [one, resolver.get(one)]));
    const changed = resolver.set(candidate);
    if (wanted.length === 0) candidates.delete(key);
    else candidates.set(key, candidate);
    const all = resolveConflicts([...candidates.values()]);
    for (const [one, outcome] of all) {
      assert.deepEqual(
        { plan: resolver.get(one)?.plan?.name, conflict: resolver.get(one)?.conflict?.name },
        { plan: outcome.plan?.name, conflict: outcome.conflict?.name },
      );
      const isChanged = before.get(one)?.plan !== outcome.plan || before.get(one)?.conflict !== outcome.conflict;
      assert.equal(changed.includes(one), isChanged);
      const rival = outcome.conflict;
      if (rival !== undefined) {
        assert.ok(resolver.rivalsOf(candidates.get(one)?.plans[0] ?? assert.fail()).length > 1);
      }
    }
    assert.deepEqual([...resolver.keys()].sort(), [...candidates.keys()].sort());
  }
});

Deno.test("ConflictResolver resolves only candidates that share a claim with the changed one", async () => {
  const resolver = new ConflictResolver();
  const all = await Promise.all(Array.from({ length: 50 }, (_, index) => plan(`api-${index}`, `/path-${index}`)));
  for (const one of all) resolver.set({ key: one.name, age: one.name, plans: [one] });
  const more = await plan("more", "/path-7", "/more");
  assert.deepEqual(resolver.rivalsOf(more), ["api-7"]);
  assert.deepEqual(resolver.set({ key: "more", age: "a", plans: [more] }).sort(), ["api-7", "more"]);
  assert.deepEqual(resolver.set({ key: "more", age: "a", plans: [more] }), []);
  assert.deepEqual(resolver.set({ key: "more", age: "z", plans: [] }).sort(), ["api-7", "more"]);
});
