import assert from "node:assert/strict";
import {
  ENVOY_PROXY,
  HTTP_ROUTE,
  OWNED_TYPES,
  RESOURCE_TYPES,
  SECURITY_POLICY,
} from "../../../../cmd/cluster/controller/kinds.ts";
import { KubeError, type ResourceType } from "../../../../cmd/cluster/client.ts";
import type { KubernetesObject } from "../../../../lib/cluster/object.ts";
import { planRoutes } from "../../../../lib/gateway/plan_routes.ts";
import { renderFleet } from "../../../../lib/cluster/translate/fleet.ts";
import { renderGatewayApi } from "../../../../lib/cluster/translate/render.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { LABELS } from "../../../../lib/cluster/names.ts";
import { APPLIED_ANNOTATION, nextState } from "../../../../lib/cluster/owned_object.ts";
import { CONTROLLER_REVISION } from "../../../../lib/cluster/accepted_revision.ts";
import { CLOSED, protectionOf } from "../../../../lib/cluster/protection/protected_objects.ts";
import { apiOf, conditionOf, fleetOf, messageOf, startController } from "../../../cluster/support/controller.ts";
import { until } from "../../../cluster/support/until.ts";
import { createFakeInformer } from "../fake_informer.ts";
import {
  backendsOf,
  createSetup,
  CUSTOM,
  definition,
  giveLease,
  OTHER,
  reconcileAll,
  REFUSED,
  type Setup,
  start,
  untilUnchanged,
} from "./setup.ts";

Deno.test("A protected route is closed until its policy was accepted for the drain time", async () => {
  using setup = await createSetup();
  await using _running = start(setup);
  setup.gateway.setSilent(true);
  await setup.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  const closed = await until(() => setup.routes("todo").get(CLOSED));
  assert.deepEqual(backendsOf(closed), ["gw-mock"]);
  await until(() =>
    setup.cluster.list("SecurityPolicy").some(({ metadata }) => metadata.name === closed.metadata.name)
  );
  // This route has the open operation only. Another one sends undeclared methods to gw, which answers 405.
  assert.deepEqual(pathsOf(setup.routes("todo").get("")), ["Exact /"]);

  const start_ = performance.now();
  setup.gateway.setSilent(false);
  await until(() => setup.says("todo", "Programmed") === "False WaitingForProtection");
  const open = await until(() => setup.routes("todo").get("open"));
  assert.ok(performance.now() - start_ >= 250);
  assert.deepEqual(backendsOf(open), ["secrets"]);
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
});

Deno.test("Another replica goes on where the first one stopped: open routes stay open, waiting routes stay closed", async () => {
  using setup = await createSetup();
  const first = start(setup);
  await setup.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  setup.gateway.setSilent(true);
  await setup.deploy("next", definition(`{auth: ${CUSTOM}}`, "/next").replace("secrets.example", "next.example"));
  await until(() => setup.routes("next").has(CLOSED));
  await first.stop();
  setup.cluster.takeWrites();
  await using second = start(setup);
  await until(() => second.controller.isLeader && second.controller.isReady);
  await reconcileAll(setup);
  assert.deepEqual(setup.cluster.takeWrites().filter((write) => write.includes("todo")), []);
  assert.ok(setup.routes("next").has(CLOSED));
  setup.gateway.setSilent(false);
  await until(() => setup.routes("next").has("open"));
});

Deno.test("Objects of an earlier version of gw get a record each, and open routes stay open", async () => {
  using setup = await createSetup();
  const first = start(setup);
  await setup.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  await setup.deploy("checked", definition("{validation: {request: {enabled: true}}}").replace("secrets.", "checked."));
  for (const name of ["todo", "checked"]) await until(() => setup.says(name, "Programmed") === "True Programmed");
  await first.stop();
  const earlier = [HTTP_ROUTE, SECURITY_POLICY].flatMap((type) =>
    setup.cluster.list(type.kind).map((object) => ({ type, object }))
  );
  for (const { type, object: { metadata, ...rest } } of earlier) {
    const annotations = { ...metadata.annotations, [APPLIED_ANNOTATION]: "c2hhMjU2LW9mLWFsbC1vZi" };
    await setup.client.replace(type, { ...rest, metadata: { ...metadata, annotations } });
  }
  setup.cluster.takeWrites();
  await using second = start(setup);
  await until(() => second.controller.isLeader && second.controller.isReady);
  await reconcileAll(setup);
  const writes = setup.cluster.takeWrites().filter((write) => /HTTPRoute|SecurityPolicy/.test(write));
  // Each object was written once: closing a route and opening it again would be two writes.
  for (const { object: { kind, metadata: { namespace, name } } } of earlier) {
    assert.deepEqual(writes.filter((write) => write.endsWith(` ${kind} ${namespace}/${name}`)), [
      `replace ${kind} ${namespace}/${name}`,
    ]);
  }
  assert.ok(setup.routes("todo").has("open") && setup.routes("checked").has("open"));
});

Deno.test("The deletion of a policy closes its route until the policy is there again, and in force", async () => {
  using setup = await createSetup();
  await using _running = start(setup);
  await setup.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  const route = await until(() => setup.routes("todo").get("open"));
  const { name } = route.metadata;
  const { uid } = setup.cluster.find("SecurityPolicy", name)?.metadata ?? {};
  setup.cluster.takeWrites();
  await setup.client.delete(SECURITY_POLICY, "shop", name);
  await until(() => setup.routes("todo").has(CLOSED));
  await until(() => setup.routes("todo").has("open"));
  assert.notEqual(setup.cluster.find("SecurityPolicy", name)?.metadata.uid, uid);
  // The policy's finalizer is removed only after its route was closed.
  const writes = setup.cluster.takeWrites();
  assert.ok(writes.indexOf(`replace HTTPRoute shop/${name}`) < writes.indexOf(`patch SecurityPolicy shop/${name}`));
});

Deno.test("A route is closed while the kind of its protection changes", async () => {
  using setup = await createSetup();
  await using _running = start(setup);
  await setup.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  const { metadata: { name } } = await until(() => setup.routes("todo").get("open"));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  setup.cluster.takeWrites();
  await setup.deploy("todo", definition(`{auth: ${jwtOf("a")}}`));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  assert.deepEqual(
    setup.cluster.takeWrites().filter((write) => /^(create|replace|delete) (HTTPRoute|SecurityPolicy)/.test(write)),
    [
      `replace HTTPRoute shop/${name}`,
      `replace SecurityPolicy shop/${name}`,
      `replace HTTPRoute shop/${name}`,
    ],
  );
});

Deno.test("An edit that leaves the kind of protection closes nothing", async (t) => {
  const cases: Record<string, readonly [before: string, after: string]> = {
    "one more audience": [jwtOf("a"), jwtOf("a, b")],
    "an audience less": [jwtOf("a, b"), jwtOf("b")],
    "another path of the authorization server": [CUSTOM, OTHER],
  };
  for (const [name, [before, after]] of Object.entries(cases)) {
    await t.step(name, async () => {
      using setup = await createSetup();
      await using _running = start(setup);
      await setup.deploy("todo", definition(`{auth: ${before}}`));
      await until(() => setup.says("todo", "Programmed") === "True Programmed");
      const [policy] = setup.cluster.list("SecurityPolicy");
      // The gateway reports nothing about the new policy: the operation is served all the same.
      setup.gateway.setSilent(true);
      setup.cluster.takeWrites();
      const states = new Set<string>();
      await setup.deploy("todo", definition(`{auth: ${after}}`));
      await until(() => {
        for (const state of setup.routes("todo").keys()) states.add(state);
        const [present] = setup.cluster.list("SecurityPolicy");
        return present?.metadata.generation !== policy?.metadata.generation;
      });
      await untilUnchanged(() => setup.resources.api.revision);
      for (const state of setup.routes("todo").keys()) states.add(state);
      assert.deepEqual([...states].sort(), ["", "open"]);
    });
  }
  await t.step("but somebody else's change of the policy does", async () => {
    using setup = await createSetup();
    await using _running = start(setup);
    await setup.deploy("todo", definition(`{auth: ${jwtOf("a")}}`));
    await until(() => setup.says("todo", "Programmed") === "True Programmed");
    const [policy] = setup.cluster.list("SecurityPolicy");
    assert.ok(policy);
    const { jwt: { providers: [provider] } } = Object(policy.spec);
    const spec = { ...Object(policy.spec), jwt: { providers: [{ ...provider, audiences: ["theirs"] }] } };
    await setup.client.apply(SECURITY_POLICY, { ...policy, spec });
    await until(() => setup.routes("todo").has(CLOSED));
    await until(() => setup.routes("todo").has("open"));
    assert.deepEqual(setup.cluster.find("SecurityPolicy", policy.metadata.name)?.spec, policy.spec);
  });
});

function jwtOf(audiences: string): string {
  return `{jwt: {providers: [{name: main, audiences: [${audiences}], jwks_uri: https://login.example.com/keys}]}}`;
}

Deno.test("On deletion protected routes are closed, then all routes go, open ones first, then policies", async () => {
  using setup = await createSetup();
  await using _running = start(setup);
  await setup.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  const guarded = await until(() => setup.routes("todo").get("open"));
  const open = await until(() => setup.routes("todo").get(""));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  setup.cluster.takeWrites();
  await setup.client.delete(RESOURCE_TYPES.api, "shop", "todo");
  await until(() => setup.cluster.find("API", "todo") === undefined);
  const { name } = guarded.metadata;
  assert.deepEqual(setup.cluster.takeWrites().filter((write) => !/Fleet|^status/.test(write)), [
    "delete API shop/todo",
    `replace HTTPRoute shop/${name}`,
    `delete HTTPRoute shop/${open.metadata.name}`,
    `delete HTTPRoute shop/${name}`,
    `patch SecurityPolicy shop/${name}`,
    `delete SecurityPolicy shop/${name}`,
    "patch API shop/todo",
  ]);
});

Deno.test("A route whose requests are checked waits for the policy that all of its namespace share, and only once", async () => {
  using setup = await createSetup();
  await using _running = start(setup);
  setup.gateway.setSilent(true);
  const checked = "{validation: {request: {enabled: true}}}";
  await setup.deploy("todo", definition(checked));
  const closed = await until(() => setup.routes("todo").get(CLOSED));
  assert.deepEqual(backendsOf(closed), ["gw-mock"]);
  setup.gateway.setSilent(false);
  await until(() => setup.routes("todo").has("open"));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  await setup.deploy("next", definition(checked, "/next").replace("secrets.example", "next.example"));
  await until(() => setup.says("next", "Programmed") === "True Programmed");
  assert.ok(!setup.cluster.list("HTTPRoute").some((route) => protectionOf(route) === CLOSED));
});

Deno.test("A deleted policy that has requests checked stays in force until all routes that depend on it are closed", async () => {
  using setup = await createSetup();
  await using _running = start(setup);
  const checked = "{validation: {request: {enabled: true}}}";
  await setup.deploy("todo", definition(checked));
  await setup.deploy("next", definition(checked, "/next").replace("secrets.example", "next.example"));
  for (const name of ["todo", "next"]) await until(() => setup.says(name, "Programmed") === "True Programmed");
  const [policy] = setup.cluster.list("SecurityPolicy");
  assert.ok(policy);
  const { namespace = "", name, uid } = policy.metadata;
  const states: string[] = [];
  const { patch } = setup.client;
  // Note the open routes at the time when the policy's finalizer is removed.
  setup.client.patch = (type, ...rest) => {
    if (type.kind === SECURITY_POLICY.kind) {
      states.push(...["todo", "next"].map((api) => [...setup.routes(api).keys()].sort().join()));
    }
    return patch(type, ...rest);
  };
  await setup.client.delete(SECURITY_POLICY, namespace, name);
  assert.equal(setup.cluster.find("SecurityPolicy", name)?.metadata.uid, uid);
  await until(() => setup.routes("todo").has(CLOSED) && setup.routes("next").has(CLOSED));
  await until(() => setup.routes("todo").has("open") && setup.routes("next").has("open"));
  assert.notEqual(setup.cluster.find("SecurityPolicy", name)?.metadata.uid, uid);
  assert.deepEqual(states, [`,${CLOSED}`, `,${CLOSED}`]);
});

Deno.test("Routes whose requests are checked are closed while their policy is changed by somebody else", async () => {
  using setup = await createSetup();
  await using _running = start(setup);
  await setup.deploy("todo", definition("{validation: {request: {enabled: true}}}"));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  const [policy] = setup.cluster.list("SecurityPolicy");
  assert.ok(policy);
  const spec = { ...Object(policy.spec), extAuth: { ...Object(policy.spec).extAuth, failOpen: true } };
  await setup.client.apply(SECURITY_POLICY, { ...policy, spec });
  await until(() => setup.routes("todo").has(CLOSED));
  await until(() => setup.routes("todo").has("open"));
  assert.deepEqual(setup.cluster.find("SecurityPolicy", policy.metadata.name)?.spec, policy.spec);
});

Deno.test("A replica that leads again doesn't take the writes of another leader for foreign changes", async () => {
  using setup = await createSetup();
  await using running = start(setup);
  await setup.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  const { metadata: { name } } = await until(() => setup.routes("todo").get("open"));
  await giveLease(setup, "another");
  await until(() => !running.controller.isLeader);
  const policy = setup.cluster.find("SecurityPolicy", name);
  assert.ok(policy);
  for (const spec of [{}, policy.spec]) {
    await until(async () => {
      const present = setup.cluster.find("SecurityPolicy", name);
      return present && await setup.client.replace(SECURITY_POLICY, nextState(present, { ...policy, spec }));
    });
  }
  const { generation } = policy.metadata;
  assert.notEqual(setup.cluster.find("SecurityPolicy", name)?.metadata.generation, generation);
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  setup.cluster.takeWrites();
  await giveLease(setup, "");
  await until(() => running.controller.isLeader);
  await reconcileAll(setup);
  assert.deepEqual(setup.cluster.takeWrites().filter((write) => !/^status|marker/.test(write)), []);
});

Deno.test("A replica that leads again waits for the drain time of policies that were re-created under another leader", async (t) => {
  const drain = 1_500;
  const cases = {
    "an operation with auth": `{auth: ${CUSTOM}}`,
    "a checked one": "{validation: {request: {enabled: true}}}",
  };
  for (const [name, settings] of Object.entries(cases)) {
    await t.step(name, async () => {
      using setup = await createSetup();
      const proxy = setup.cluster.find("EnvoyProxy", "edge") ?? assert.fail();
      await setup.client.apply(ENVOY_PROXY, { ...proxy, spec: { shutdown: { drainTimeout: `${drain}ms` } } });
      const leaseTimes = { duration: 1_000, renewDeadline: 600, retryPeriod: 100 };
      await using first = start(setup, { identity: "first", leaseTimes });
      await until(() => first.controller.isLeader);
      await using second = start(setup, { identity: "second", leaseTimes });
      await setup.deploy("todo", definition(settings));
      await until(() => messageOf(setup.cluster.find("API", "todo"), "Programmed").includes("drained"));

      await giveLease(setup, "second");
      await until(() => setup.routes("todo").has("open"));
      assert.ok(second.controller.isLeader);
      await setup.client.delete(RESOURCE_TYPES.api, "shop", "todo");
      await until(() => setup.cluster.find("API", "todo") === undefined);
      await until(() => setup.cluster.list("SecurityPolicy").length === 0);
      await setup.deploy("todo", definition(settings));
      await until(() => setup.routes("todo").has(CLOSED) && setup.cluster.list("SecurityPolicy").length > 0);

      const given = performance.now();
      await giveLease(setup, "first");
      await until(() => setup.routes("todo").has("open"));
      assert.ok(first.controller.isLeader);
      assert.ok(performance.now() - given >= 50 + drain);
    });
  }
});

Deno.test("Routes wait anew for the policy that has requests checked when it was deleted and created again", async () => {
  using setup = await createSetup();
  await using _running = start(setup);
  const checked = definition("{validation: {request: {enabled: true}}}");
  await setup.deploy("todo", checked);
  await until(() => setup.routes("todo").has("open"));
  await setup.client.delete(RESOURCE_TYPES.api, "shop", "todo");
  await until(() => setup.cluster.list("SecurityPolicy").length === 0);
  const deployed = performance.now();
  await setup.deploy("todo", checked);
  await until(() => setup.routes("todo").has("open"));
  assert.ok(performance.now() - deployed >= 250);
});

Deno.test("One more API on a fleet, or a new status of the fleet, has no other API reconciled", async () => {
  using setup = await createSetup();
  const asked = new Set<string>();
  let lookups = 0;
  const { api } = setup.resources;
  const recording: typeof api = {
    get(namespace, name) {
      lookups++;
      asked.add(name);
      return api.get(namespace, name);
    },
    list: () => api.list(),
    onChange: (listener) => api.onChange(listener),
    synced: api.synced,
    get isSynced() {
      return api.isSynced;
    },
    get revision() {
      return api.revision;
    },
    stop: () => api.stop(),
  };
  await using running = startController({ ...setup, resources: { ...setup.resources, api: recording } }, {
    settleTime: 50,
  });
  const deploy = (name: string): Promise<void> =>
    setup.deploy(name, definition("{}", `/${name}`).replace("secrets.example.com", `${name}.example.com`));
  const counted = (count: number): boolean => Object(setup.cluster.find("Fleet", "edge")?.status).apis === count;
  const names = Array.from({ length: 20 }, (_, index) => `api-${index}`);
  for (const name of names) await deploy(name);
  await until(() => names.every((name) => setup.says(name, "Programmed") === "True Programmed") && counted(20));
  await untilUnchanged(() => lookups);

  asked.clear();
  await deploy("more");
  await until(() => setup.says("more", "Programmed") === "True Programmed" && counted(21));
  await untilUnchanged(() => lookups);
  assert.deepEqual([...asked], ["more"]);

  const fleet = setup.cluster.find("Fleet", "edge") ?? assert.fail();
  asked.clear();
  await setup.client.applyStatus(RESOURCE_TYPES.fleet, { ...fleet, status: { apis: 5 } });
  await until(() => counted(21));
  assert.deepEqual([...asked], []);

  // A change of the fleet's spec affects all APIs of the fleet.
  await setup.client.apply(RESOURCE_TYPES.fleet, { ...fleet, spec: { ...Object(fleet.spec), profile: "portable" } });
  await until(() => asked.size === 21);
  assert.deepEqual(running.complaints, []);
});

Deno.test("With the last API whose requests are checked, the policy that has them checked goes", async () => {
  using setup = await createSetup();
  await using _running = start(setup);
  await setup.deploy("todo", definition("{validation: {request: {enabled: true}}}"));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  assert.equal(setup.cluster.list("SecurityPolicy").length, 1);
  await setup.client.delete(RESOURCE_TYPES.api, "shop", "todo");
  await until(() => setup.cluster.find("API", "todo") === undefined);
  await until(() => setup.cluster.list("SecurityPolicy").length === 0 && setup.cluster.list("HTTPRoute").length === 0);
});

Deno.test("One API that can't be written stops no other", async () => {
  using setup = await createSetup();
  await using running = start(setup);
  const { create } = setup.client;
  setup.client.create = (type, object, options) =>
    type.kind === HTTP_ROUTE.kind && object.metadata.labels?.[LABELS.api] === "broken"
      ? Promise.reject(new Error("It can't be written."))
      : create(type, object, options);
  await setup.deploy("broken", definition("{}", "/broken").replace("secrets.example", "broken.example"));
  for (let index = 0; index < 10; index++) {
    await setup.deploy(`api-${index}`, definition("{}").replace("secrets.example", `host${index}.example`));
  }
  await until(() =>
    Array.from({ length: 10 }, (_, index) => setup.says(`api-${index}`, "Programmed")).every((said) =>
      said === "True Programmed"
    )
  );
  assert.equal(setup.says("broken", "Programmed"), undefined);
  assert.deepEqual(running.complaints, ["API shop/broken: It can't be written."]);
});

Deno.test("While the API server is away nothing is lost, and the work goes on when it answers again", async () => {
  using setup = await createSetup();
  await using running = start(setup);
  await setup.deploy("todo", definition("{}"));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  setup.cluster.setDown(true);
  await until(() => !running.controller.isLeader);
  assert.equal(running.controller.plansOf({ namespace: "edge", name: "edge" }).length, 1);
  setup.cluster.setDown(false);
  await setup.deploy("todo", definition("{disabled: true}"));
  await until(() => Object(setup.cluster.find("API", "todo")?.status).operations?.disabled === 1);
});

Deno.test("A host that is a Service of a namespace to the proxies' resolver is refused", async () => {
  using setup = await createSetup();
  const namespaces = createFakeInformer();
  namespaces.set({ apiVersion: "v1", kind: "Namespace", metadata: { name: "vault" } });
  namespaces.sync();
  await using running = startController(setup, { namespaces });
  const text = definition("{upstream: {host: {hostname: secrets.vault}}}");
  await setup.deploy("todo", text);
  await until(() => setup.says("todo", "Accepted") === "False Unsupported");
  assert.match(messageOf(setup.cluster.find("API", "todo"), "Accepted"), /Service of the namespace `vault`/);
  assert.deepEqual(running.takeWrites().filter((write) => write.includes("Backend")), []);
});

Deno.test("A namespace that is created later doesn't affect what was accepted", async (t) => {
  const jwt = "{jwt: {providers: [{name: main, issuer: https://a.vault, jwks_uri: https://a.vault/keys}]}}";
  const cases = {
    "the host of an upstream": "{upstream: {host: {hostname: secrets.vault}}}",
    "the host of an authorization server": "{auth: {custom: {host: {hostname: secrets.vault}}}}",
    "the URL of keys": `{auth: ${jwt}}`,
  };
  for (const [name, settings] of Object.entries(cases)) {
    await t.step(name, async () => {
      using setup = await createSetup();
      const namespaces = createFakeInformer();
      namespaces.sync();
      const state = (): string =>
        JSON.stringify(
          ["HTTPRoute", "Backend", "SecurityPolicy"].flatMap((kind) => setup.cluster.list(kind)).map(({ spec }) =>
            spec
          ),
        );
      let before: string;
      {
        await using running = start(setup, { namespaces });
        await setup.deploy("todo", definition(settings));
        await until(() => setup.says("todo", "Programmed") === "True Programmed", { within: 60_000 });
        before = state();
        namespaces.set({ apiVersion: "v1", kind: "Namespace", metadata: { name: "vault" } });
        await untilUnchanged(() => setup.resources.api.revision);
        await running.stop();
      }
      await using _next = start(setup, { namespaces });
      await reconcileAll(setup);
      await setup.client.delete(RESOURCE_TYPES.api, "shop", "marker");
      await until(() => setup.routes("marker").size === 0, { within: 60_000 });
      assert.equal(setup.says("todo", "Accepted"), "True Accepted");
      assert.equal(setup.says("todo", "Programmed"), "True Programmed");
      assert.equal(state(), before);

      // A new edit is refused whole, and what was accepted stays in force.
      await setup.deploy("todo", definition(settings, "/more"));
      await until(() => setup.says("todo", "Accepted") === "False Unsupported");
      await untilUnchanged(() => setup.resources.api.revision);
      assert.equal(state(), before);
    });
  }
});

Deno.test("Objects that gw render has printed are left alone, whoever applies them", async () => {
  using setup = await createSetup();
  await using running = start(setup);
  await setup.deploy("todo", definition("{}"));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  const fleet = { namespace: "edge", name: "edge" };
  const text = definition(`{validation: {request: {enabled: true}}}`).replace("secrets.example", "git.example");
  const plan = planRoutes({ namespace: "shop", name: "rendered", fleet, document: await parseDocument(text) });
  const objects = [
    ...renderFleet({ ...fleet, spec: { gateway: fleet } }, { plans: [plan] }),
    ...renderGatewayApi(plan, { gateway: fleet, profile: "envoy-gateway" }).objects,
  ].filter(({ kind }) => kind !== "ReferenceGrant");
  const typeOf = (object: KubernetesObject): ResourceType =>
    OWNED_TYPES.find(({ kind }) => kind === object.kind) ?? assert.fail(object.kind);
  for (const object of objects) await setup.client.create(typeOf(object), object);
  running.takeWrites();
  // The objects of a deployed API of the same name are in the way of nobody else.
  await reconcileAll(setup);
  for (const { kind, metadata: { name } } of objects) assert.ok(setup.cluster.find(kind, name), `${kind} ${name}`);
  assert.deepEqual(running.takeWrites().filter((write) => write.includes("rendered")), []);
});

Deno.test("The policy that has requests checked stays as long as routes depend on it", async (t) => {
  const checked = definition("{validation: {request: {enabled: true}}}");
  const touched = { annotations: { touched: "yes" } };
  const cases = [
    {
      name: "whose API wants to a fleet that there isn't",
      async change({ client, says }: Setup) {
        const api = apiOf("todo", checked);
        await client.apply(RESOURCE_TYPES.api, { ...api, spec: { openapi: checked, fleet: { name: "nowhere" } } });
        await until(() => says("todo", "Accepted") === "False FleetNotFound");
      },
      spec: { gateway: { name: "edge", namespace: "edge" }, service: touched },
      said: "False FleetNotFound",
    },
    {
      name: "whose fleet takes no checks any more",
      change: () => Promise.resolve(),
      spec: { gateway: { name: "edge", namespace: "edge" }, profile: "portable" },
      said: "False Unsupported",
    },
  ];
  for (const { name, change, spec, said } of cases) {
    await t.step(name, async () => {
      using setup = await createSetup();
      await using _running = start(setup);
      await setup.deploy("todo", checked);
      await until(() => setup.says("todo", "Programmed") === "True Programmed");
      await change(setup);
      const { metadata: { generation } } = await setup.client.apply(RESOURCE_TYPES.fleet, fleetOf(spec));
      await until(() => Object(setup.cluster.find("Fleet", "edge")?.status).observedGeneration === generation);
      await until(() => setup.says("todo", "Accepted") === said);
      assert.deepEqual(backendsOf(setup.routes("todo").get("open")), ["secrets"]);
      assert.deepEqual(setup.cluster.list("SecurityPolicy").map(({ metadata }) => metadata.namespace), ["shop"]);
      assert.deepEqual(setup.cluster.list("ReferenceGrant").length, 1);
    });
  }
});

Deno.test("A newly protected operation is closed when its policy can't be written", async (t) => {
  const settings = `{auth: ${CUSTOM}}`;
  const cases = {
    "one of its operations": { openapi: definition(settings), open: ["Exact /"] },
    "all of it": { openapi: definition("{}").replace("x-svc: {", `x-svc: {auth: ${CUSTOM}, `), open: [] },
  };
  for (const [name, { openapi, open }] of Object.entries(cases)) {
    await t.step(name, async () => {
      using setup = await createSetup();
      await using _running = start(setup);
      await setup.deploy("todo", definition("{}"));
      await until(() => setup.says("todo", "Programmed") === "True Programmed");
      const { create } = setup.client;
      setup.client.create = (type, object, options) =>
        type.kind === SECURITY_POLICY.kind && object.metadata.name.startsWith("todo.auth")
          ? Promise.reject(new KubeError(403, "Forbidden", "It is forbidden."))
          : create(type, object, options);
      await setup.deploy("todo", openapi);
      await until(() => setup.says("todo", "Programmed") === "False NotWritten");
      assert.deepEqual([...new Set(backendsOf(setup.routes("todo").get(CLOSED)))], ["gw-mock"]);
      await until(() => pathsOf(setup.routes("todo").get("")).join() === open.join());
    });
  }
});

interface Rule {
  matches: { path: { type: string; value: string }; headers?: { name: string }[] }[];
  backendRefs?: { name: string }[];
}

/** The paths of a route's rules that lead to the upstream. CORS preflights are left out, which pass all policies. */
function pathsOf(route: KubernetesObject | undefined): string[] {
  const rules: Rule[] = Object(route?.spec).rules ?? [];
  const upstream = rules.filter(({ backendRefs = [] }) => backendRefs.some(({ name }) => name === "secrets"));
  const matches = upstream.flatMap(({ matches }) => matches)
    .filter(({ headers = [] }) => !headers.some(({ name }) => name === "access-control-request-method"));
  return [...new Set(matches.map(({ path: { type, value } }) => `${type} ${value}`))];
}

Deno.test("The last accepted spec is persisted before a status says that an edit is refused, and deleted before an edit is accepted", async () => {
  using setup = await createSetup();
  await using _running = start(setup);
  await setup.deploy("todo", definition("{}"));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  setup.cluster.takeWrites();
  await setup.deploy("todo", REFUSED);
  await until(() => setup.says("todo", "Accepted") === "False Invalid");
  await setup.deploy("todo", definition("{disabled: true}"));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  const writes = setup.cluster.takeWrites().filter((write) => /ControllerRevision|status API/.test(write));
  assert.deepEqual(writes.slice(0, 4), [
    "create ControllerRevision shop/gw-api.todo",
    "status API shop/todo",
    "delete ControllerRevision shop/gw-api.todo",
    "status API shop/todo",
  ]);
});

Deno.test("Revisions are not read while all edits are accepted", async () => {
  using setup = await createSetup();
  const asked: string[] = [];
  const { get } = setup.client;
  setup.client.get = (type, ...rest) => {
    asked.push(type.kind);
    return get(type, ...rest);
  };
  const first = start(setup);
  await setup.deploy("todo", definition("{}"));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  await setup.deploy("todo", definition("{disabled: true}"));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  await first.stop();
  await using second = start(setup);
  await until(() => second.controller.isLeader && second.controller.isReady);
  assert.ok(asked.length > 0);
  assert.ok(!asked.includes(CONTROLLER_REVISION.kind));
});

Deno.test("The status says when the last accepted spec can't be persisted, and lasts until a restart", async () => {
  using setup = await createSetup();
  const { create } = setup.client;
  setup.client.create = (type, object, options) =>
    type.kind === "ControllerRevision"
      ? Promise.reject(new KubeError(413, "RequestEntityTooLarge", "It is too large."))
      : create(type, object, options);
  await using running = start(setup);
  await setup.deploy("todo", definition("{}"));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  await setup.deploy("todo", REFUSED);
  await until(() => setup.says("todo", "Accepted") === "False Invalid");
  assert.match(
    messageOf(setup.cluster.find("API", "todo"), "Accepted"),
    /What was deployed before stays in force until gw restarts: It is too large\.$/,
  );
  assert.deepEqual(running.complaints, [
    "The last accepted state of API shop/todo can't be kept or deleted: It is too large.",
  ]);
});

Deno.test("An edit is accepted also where revisions may not be read", async () => {
  using setup = await createSetup();
  const { get } = setup.client;
  setup.client.get = (type, ...rest) =>
    type.kind === CONTROLLER_REVISION.kind
      ? Promise.reject(new KubeError(403, "Forbidden", "It is forbidden."))
      : get(type, ...rest);
  await using _running = start(setup);
  await setup.deploy("todo", definition("{}"));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  await setup.deploy("todo", REFUSED);
  await until(() => setup.says("todo", "Accepted") === "False Invalid");
  await setup.deploy("todo", definition("{disabled: true}"));
  await until(() => setup.says("todo", "Accepted") === "True Accepted");
});

Deno.test("A revision of somebody else, or of an API that is gone, isn't used", async (t) => {
  const labels = { [LABELS.managedBy]: "gw", [LABELS.api]: "todo" };
  const cases = {
    "somebody else's stays": { labels: {}, kept: true },
    "that of an API that is gone goes": { labels, kept: false },
  };
  for (const [name, { labels, kept }] of Object.entries(cases)) {
    await t.step(name, async () => {
      using setup = await createSetup();
      const metadata = { namespace: "shop", name: "gw-api.todo", labels };
      const { apiVersion, kind } = CONTROLLER_REVISION;
      await setup.client.create(CONTROLLER_REVISION, { apiVersion, kind, metadata, data: { spec: {} }, revision: 7 });
      const uid = setup.cluster.find(kind, "gw-api.todo")?.metadata.uid;
      await using _running = start(setup);
      await setup.deploy("todo", definition("{}"));
      await until(() => setup.says("todo", "Programmed") === "True Programmed");
      await setup.deploy("todo", REFUSED);
      await until(() => setup.says("todo", "Accepted") === "False Invalid");
      assert.equal(setup.cluster.find(kind, "gw-api.todo")?.metadata.uid === uid, kept);
      const said = messageOf(setup.cluster.find("API", "todo"), "Accepted");
      assert.equal(said.includes("which gw has not made"), kept);
    });
  }
});

Deno.test("The last accepted spec leaves when an older API takes its place", async () => {
  using setup = await createSetup();
  await using _running = start(setup);
  await setup.deploy("older", definition("{}", "/other"));
  await until(() => setup.says("older", "Programmed") === "True Programmed");
  await setup.deploy("todo", definition("{}").replace("  /: ", "  /todo: "));
  await until(() => setup.says("todo", "Programmed") === "True Programmed");
  await setup.deploy("todo", REFUSED);
  await until(() => setup.says("todo", "Accepted") === "False Invalid");
  assert.ok(setup.routes("todo").size > 0);
  await setup.deploy("older", definition("{}"));
  await until(() => setup.says("older", "Accepted") === "True Accepted");
  await until(() => setup.routes("todo").size === 0);
});

Deno.test("A controller that starts later knows the last accepted spec of a static route", async () => {
  using setup = await createSetup();
  const fleet = { namespace: "edge", name: "edge" };
  const { apiVersion, kind } = RESOURCE_TYPES.staticroute;
  const route = (spec: unknown): KubernetesObject => {
    return { apiVersion, kind, metadata: { namespace: "shop", name: "web" }, spec: { fleet, ...Object(spec) } };
  };
  const says = (): string | undefined => conditionOf(setup.cluster.find(kind, "web"), "Accepted");
  const first = start(setup);
  await setup.client.apply(RESOURCE_TYPES.staticroute, route({ upstream: { service: { name: "web" } } }));
  await until(() => says() === "True Accepted");
  await setup.client.apply(RESOURCE_TYPES.staticroute, route({ upstream: { nonsense: 1 } }));
  await until(() => says() === "False Invalid");
  await first.stop();
  await using second = start(setup);
  await until(() => second.controller.isLeader && second.controller.isReady);
  const [plan] = second.controller.plansOf(fleet);
  assert.deepEqual(plan?.routes.map(({ settings: { upstream } }) => upstream), [{ service: { name: "web" } }]);
});

Deno.test("An API that moves to another fleet holds its old place only where the move is refused", async (t) => {
  const home = { namespace: "edge", name: "edge" };
  const fleet = { namespace: "edge", name: "other" };
  const cases = { "accepted": { openapi: definition("{}"), want: 0 }, "refused": { openapi: REFUSED, want: 1 } };
  for (const [name, { openapi, want }] of Object.entries(cases)) {
    await t.step(name, async () => {
      using setup = await createSetup();
      const other = fleetOf({ gateway: { name: "edge", namespace: "edge" } });
      await setup.client.create(RESOURCE_TYPES.fleet, { ...other, metadata: fleet });
      // With `acts: false`, a replica plans routes but never becomes the leader.
      await using running = startController(setup, { acts: false });
      const api = (version: string, spec: unknown): KubernetesObject => {
        const condition = { type: "Accepted", status: "True", reason: "Accepted", message: "", observedGeneration: 1 };
        const { metadata, ...rest } = apiOf("todo", "");
        return { ...rest, metadata: { ...metadata, labels: { version } }, spec, status: { conditions: [condition] } };
      };
      await setup.client.apply(RESOURCE_TYPES.api, api("1", { fleet: home, openapi: definition("{}") }));
      await until(() => running.controller.plansOf(home).length === 1);
      await setup.client.apply(RESOURCE_TYPES.api, api("2", { fleet, openapi }));
      await until(() => setup.resources.api.get("shop", "todo")?.metadata.generation === 2);
      await running.controller.apply();
      assert.equal(running.controller.plansOf(home).length, want);
      assert.equal(running.controller.plansOf(fleet).length, 1 - want);
    });
  }
});
