import assert from "node:assert/strict";
import {
  ENVOY_PROXY,
  GATEWAY,
  HTTP_ROUTE,
  LEASE,
  RESOURCE_TYPES,
  SECURITY_POLICY,
} from "../../../../cmd/cluster/controller/kinds.ts";
import { type KubeClient, KubeError } from "../../../../cmd/cluster/client.ts";
import type { ControllerOptions } from "../../../../cmd/cluster/controller/contract.ts";
import { createInformer } from "../../../../cmd/cluster/informer.ts";
import type { KubernetesObject } from "../../../../lib/cluster/object.ts";
import { LABELS } from "../../../../lib/cluster/names.ts";
import { nextState } from "../../../../lib/cluster/owned_object.ts";
import { CONTROLLER_REVISION } from "../../../../lib/cluster/accepted_revision.ts";
import { CLOSED, protectionOf } from "../../../../lib/cluster/protection/protected_objects.ts";
import {
  apiOf,
  conditionOf,
  fleetOf,
  messageOf,
  type RunningController,
  startController,
} from "../../../cluster/support/controller.ts";
import { type FakeGateway, startFakeGateway } from "../../../cluster/support/fake_gateway.ts";
import { until } from "../../../cluster/support/until.ts";
import { createFakeCluster, type FakeCluster } from "../fake_client.ts";
import { createFakeInformer } from "../fake_informer.ts";

const CUSTOM = "{custom: {service: {name: judge}, path: /auth}}";
const OTHER = "{custom: {service: {name: judge}, path: /other}}";

/** A definition with an open operation, and one with these settings. */
function definition(settings: string, path = "/secret"): string {
  return [
    "openapi: 3.1.0",
    `info: {title: Secrets, version: 1.0.0}`,
    `x-svc: {hosts: [secrets.example.com], upstream: {service: {name: secrets}}}`,
    "paths:",
    `  /: {get: {responses: {"204": {description: None.}}}}`,
    `  ${path}: {get: {x-svc: ${settings}, responses: {"204": {description: None.}}}}`,
  ].join("\n");
}

interface World extends Disposable {
  cluster: FakeCluster;
  client: KubeClient;
  gateway: FakeGateway;
  resources: Parameters<typeof startController>[0]["resources"];
  deploy(name: string, definition: string): Promise<void>;
  /** What a condition of an API says. */
  says(name: string, type: string): string | undefined;
  /** The HTTPRoutes of an API, by what they say of their protection. */
  routes(name: string): Map<string, KubernetesObject>;
}

/** A cluster with a gateway that drains its connections fast, and a fleet on it. */
async function createWorld(): Promise<World> {
  const cluster = createFakeCluster();
  const { client } = cluster;
  const gateway = startFakeGateway(client);
  const resources = {
    api: createInformer(client, RESOURCE_TYPES.api),
    fleet: createInformer(client, RESOURCE_TYPES.fleet),
    staticroute: createInformer(client, RESOURCE_TYPES.staticroute),
  };
  const at = (type: { apiVersion: string; kind: string }, spec: unknown): KubernetesObject => ({
    apiVersion: type.apiVersion,
    kind: type.kind,
    metadata: { namespace: "edge", name: "edge" },
    spec,
  });
  const parametersRef = { group: "gateway.envoyproxy.io", kind: "EnvoyProxy", name: "edge" };
  await client.create(ENVOY_PROXY, at(ENVOY_PROXY, { shutdown: { drainTimeout: "200ms" } }));
  await client.create(GATEWAY, at(GATEWAY, { gatewayClassName: "eg", infrastructure: { parametersRef } }));
  await client.create(RESOURCE_TYPES.fleet, fleetOf({ gateway: { name: "edge", namespace: "edge" } }));
  cluster.takeWrites();
  return {
    cluster,
    client,
    gateway,
    resources,
    deploy: async (name, definition) => void await client.apply(RESOURCE_TYPES.api, apiOf(name, definition)),
    says: (name, type) => conditionOf(cluster.find("API", name), type),
    routes: (name) =>
      new Map(
        cluster.list("HTTPRoute").filter(({ metadata }) => metadata.labels?.[LABELS.api] === name)
          .map((route) => [(protectionOf(route) ?? "").split(" ")[0] ?? "", route]),
      ),
    [Symbol.dispose]() {
      gateway[Symbol.dispose]();
      for (const informer of Object.values(resources)) informer.stop();
    },
  };
}

function start(world: World, options: Partial<ControllerOptions> = {}): RunningController {
  return startController(world, {
    settleTime: 50,
    leaseTimes: { duration: 3_000, actsFor: 2_000, every: 200 },
    ...options,
  });
}

/** Writes a holder into the Lease; without one it is given back, so that the next leader doesn't wait. */
async function giveLease(world: World, holderIdentity: string): Promise<void> {
  await until(async () => {
    const [lease] = world.cluster.list(LEASE.kind);
    const spec = { ...Object(lease?.spec), holderIdentity, leaseDurationSeconds: 1 };
    return lease && await world.client.replace(LEASE, { ...lease, spec });
  });
}

/**
 * Has the work queue come to its end once: an API that is deployed now is reconciled after the keys that a leader begins
 * with.
 */
async function reconcileAll(world: World): Promise<void> {
  await world.deploy("marker", definition("{}", "/marker").replace("secrets.example", "marker.example"));
  await until(() => world.routes("marker").size > 0);
  await untilUnchanged(() => world.resources.api.revision);
}

/** Waits until a value stays the same for many turns of the event loop, in which a cluster in memory does all its work. */
async function untilUnchanged(value: () => number, turns = 50): Promise<void> {
  for (let last = value(), left = turns; left > 0; left--) {
    await new Promise((resolve) => setTimeout(resolve));
    if (value() === last) continue;
    last = value();
    left = turns;
  }
}

/** The backends of a route's rules. */
function backendsOf(route: KubernetesObject | undefined): string[] {
  const rules: { backendRefs?: { name: string }[] }[] = Object(route?.spec).rules ?? [];
  return rules.flatMap(({ backendRefs = [] }) => backendRefs.map(({ name }) => name));
}

Deno.test("A protected route is closed until its policy was accepted for the drain time", async () => {
  using world = await createWorld();
  await using _running = start(world);
  world.gateway.setSilent(true);
  await world.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  const closed = await until(() => world.routes("todo").get(CLOSED));
  assert.deepEqual(backendsOf(closed), ["gw-mock"]);
  await until(() =>
    world.cluster.list("SecurityPolicy").some(({ metadata }) => metadata.name === closed.metadata.name)
  );
  // The open operation; other methods of all paths are answered by gw.
  assert.deepEqual(pathsOf(world.routes("todo").get("")), ["Exact /"]);

  const start_ = performance.now();
  world.gateway.setSilent(false);
  await until(() => world.says("todo", "Programmed") === "False WaitingForProtection");
  const open = await until(() => world.routes("todo").get("open"));
  assert.ok(performance.now() - start_ >= 250);
  assert.deepEqual(backendsOf(open), ["secrets"]);
  await until(() => world.says("todo", "Programmed") === "True Programmed");
});

Deno.test("Another replica goes on where the first one stopped: what is open stays open, what waits stays closed", async () => {
  using world = await createWorld();
  const first = start(world);
  await world.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  world.gateway.setSilent(true);
  await world.deploy("next", definition(`{auth: ${CUSTOM}}`, "/next").replace("secrets.example", "next.example"));
  await until(() => world.routes("next").has(CLOSED));
  await first.stop();
  world.cluster.takeWrites();
  await using second = start(world);
  await until(() => second.controller.isLeader && second.controller.isReady);
  await reconcileAll(world);
  assert.deepEqual(world.cluster.takeWrites().filter((write) => write.includes("todo")), []);
  assert.ok(world.routes("next").has(CLOSED));
  world.gateway.setSilent(false);
  await until(() => world.routes("next").has("open"));
});

Deno.test("A policy that somebody deletes closes its route until it is there again, and in force", async () => {
  using world = await createWorld();
  await using _running = start(world);
  await world.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  const route = await until(() => world.routes("todo").get("open"));
  const { name } = route.metadata;
  const { uid } = world.cluster.find("SecurityPolicy", name)?.metadata ?? {};
  world.cluster.takeWrites();
  await world.client.delete(SECURITY_POLICY, "shop", name);
  await until(() => world.routes("todo").has(CLOSED));
  await until(() => world.routes("todo").has("open"));
  assert.notEqual(world.cluster.find("SecurityPolicy", name)?.metadata.uid, uid);
  // It stays in force until nothing depends on it.
  const writes = world.cluster.takeWrites();
  assert.ok(writes.indexOf(`replace HTTPRoute shop/${name}`) < writes.indexOf(`patch SecurityPolicy shop/${name}`));
});

Deno.test("What protects a route changes while it is closed", async () => {
  using world = await createWorld();
  await using _running = start(world);
  await world.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  const { metadata: { name } } = await until(() => world.routes("todo").get("open"));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  world.cluster.takeWrites();
  await world.deploy("todo", definition(`{auth: ${OTHER}}`));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  assert.deepEqual(
    world.cluster.takeWrites().filter((write) => /^(create|replace|delete) (HTTPRoute|SecurityPolicy)/.test(write)),
    [
      `replace HTTPRoute shop/${name}`,
      `replace SecurityPolicy shop/${name}`,
      `replace HTTPRoute shop/${name}`,
    ],
  );
});

Deno.test("On deletion protected routes are closed, then all routes go, open ones first, then policies", async () => {
  using world = await createWorld();
  await using _running = start(world);
  await world.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  const guarded = await until(() => world.routes("todo").get("open"));
  const open = await until(() => world.routes("todo").get(""));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  world.cluster.takeWrites();
  await world.client.delete(RESOURCE_TYPES.api, "shop", "todo");
  await until(() => world.cluster.find("API", "todo") === undefined);
  const { name } = guarded.metadata;
  assert.deepEqual(world.cluster.takeWrites().filter((write) => !/Fleet|^status/.test(write)), [
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
  using world = await createWorld();
  await using _running = start(world);
  world.gateway.setSilent(true);
  const checked = "{validation: {request: {enabled: true}}}";
  await world.deploy("todo", definition(checked));
  const closed = await until(() => world.routes("todo").get(CLOSED));
  assert.deepEqual(backendsOf(closed), ["gw-mock"]);
  world.gateway.setSilent(false);
  await until(() => world.routes("todo").has("open"));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  await world.deploy("next", definition(checked, "/next").replace("secrets.example", "next.example"));
  await until(() => world.says("next", "Programmed") === "True Programmed");
  assert.ok(!world.cluster.list("HTTPRoute").some((route) => protectionOf(route) === CLOSED));
});

Deno.test("The policy that has requests checked stays in force when somebody deletes it, until nothing depends on it", async () => {
  using world = await createWorld();
  await using _running = start(world);
  const checked = "{validation: {request: {enabled: true}}}";
  await world.deploy("todo", definition(checked));
  await world.deploy("next", definition(checked, "/next").replace("secrets.example", "next.example"));
  for (const name of ["todo", "next"]) await until(() => world.says(name, "Programmed") === "True Programmed");
  const [policy] = world.cluster.list("SecurityPolicy");
  assert.ok(policy);
  const { namespace = "", name, uid } = policy.metadata;
  const states: string[] = [];
  const { patch } = world.client;
  // What is open when it is let go.
  world.client.patch = (type, ...rest) => {
    if (type.kind === SECURITY_POLICY.kind) {
      states.push(...["todo", "next"].map((api) => [...world.routes(api).keys()].sort().join()));
    }
    return patch(type, ...rest);
  };
  await world.client.delete(SECURITY_POLICY, namespace, name);
  assert.equal(world.cluster.find("SecurityPolicy", name)?.metadata.uid, uid);
  await until(() => world.routes("todo").has(CLOSED) && world.routes("next").has(CLOSED));
  await until(() => world.routes("todo").has("open") && world.routes("next").has("open"));
  assert.notEqual(world.cluster.find("SecurityPolicy", name)?.metadata.uid, uid);
  assert.deepEqual(states, [`,${CLOSED}`, `,${CLOSED}`]);
});

Deno.test("Routes whose requests are checked close while somebody has changed what has them checked", async () => {
  using world = await createWorld();
  await using _running = start(world);
  await world.deploy("todo", definition("{validation: {request: {enabled: true}}}"));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  const [policy] = world.cluster.list("SecurityPolicy");
  assert.ok(policy);
  const spec = { ...Object(policy.spec), extAuth: { ...Object(policy.spec).extAuth, failOpen: true } };
  await world.client.apply(SECURITY_POLICY, { ...policy, spec });
  await until(() => world.routes("todo").has(CLOSED));
  await until(() => world.routes("todo").has("open"));
  assert.deepEqual(world.cluster.find("SecurityPolicy", policy.metadata.name)?.spec, policy.spec);
});

Deno.test("A replica that leads again doesn't take for somebody's what another leader has written since", async () => {
  using world = await createWorld();
  await using running = start(world);
  await world.deploy("todo", definition(`{auth: ${CUSTOM}}`));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  const { metadata: { name } } = await until(() => world.routes("todo").get("open"));
  await giveLease(world, "another");
  await until(() => !running.controller.isLeader);
  const policy = world.cluster.find("SecurityPolicy", name);
  assert.ok(policy);
  for (const spec of [{}, policy.spec]) {
    await until(async () => {
      const present = world.cluster.find("SecurityPolicy", name);
      return present && await world.client.replace(SECURITY_POLICY, nextState(present, { ...policy, spec }));
    });
  }
  const { generation } = policy.metadata;
  assert.notEqual(world.cluster.find("SecurityPolicy", name)?.metadata.generation, generation);
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  world.cluster.takeWrites();
  await giveLease(world, "");
  await until(() => running.controller.isLeader);
  await reconcileAll(world);
  assert.deepEqual(world.cluster.takeWrites().filter((write) => !/^status|marker/.test(write)), []);
});

Deno.test("A replica that leads again waits for the drain time of what was made again while another one led", async (t) => {
  const drain = 1_500;
  const cases = {
    "an operation with auth": `{auth: ${CUSTOM}}`,
    "a checked one": "{validation: {request: {enabled: true}}}",
  };
  for (const [name, settings] of Object.entries(cases)) {
    await t.step(name, async () => {
      using world = await createWorld();
      const proxy = world.cluster.find("EnvoyProxy", "edge") ?? assert.fail();
      await world.client.apply(ENVOY_PROXY, { ...proxy, spec: { shutdown: { drainTimeout: `${drain}ms` } } });
      const leaseTimes = { duration: 1_000, actsFor: 600, every: 100 };
      await using first = start(world, { identity: "first", leaseTimes });
      await until(() => first.controller.isLeader);
      await using second = start(world, { identity: "second", leaseTimes });
      await world.deploy("todo", definition(settings));
      await until(() => messageOf(world.cluster.find("API", "todo"), "Programmed").includes("drained"));

      await giveLease(world, "second");
      await until(() => world.routes("todo").has("open"));
      assert.ok(second.controller.isLeader);
      await world.client.delete(RESOURCE_TYPES.api, "shop", "todo");
      await until(() => world.cluster.find("API", "todo") === undefined);
      await until(() => world.cluster.list("SecurityPolicy").length === 0);
      await world.deploy("todo", definition(settings));
      await until(() => world.routes("todo").has(CLOSED) && world.cluster.list("SecurityPolicy").length > 0);

      const given = performance.now();
      await giveLease(world, "first");
      await until(() => world.routes("todo").has("open"));
      assert.ok(first.controller.isLeader);
      assert.ok(performance.now() - given >= 50 + drain);
    });
  }
});

Deno.test("What has requests checked is waited for anew when it went and came again", async () => {
  using world = await createWorld();
  await using _running = start(world);
  const checked = definition("{validation: {request: {enabled: true}}}");
  await world.deploy("todo", checked);
  await until(() => world.routes("todo").has("open"));
  await world.client.delete(RESOURCE_TYPES.api, "shop", "todo");
  await until(() => world.cluster.list("SecurityPolicy").length === 0);
  const deployed = performance.now();
  await world.deploy("todo", checked);
  await until(() => world.routes("todo").has("open"));
  assert.ok(performance.now() - deployed >= 250);
});

Deno.test("One more API on a fleet, or a new status of the fleet, has no other API looked at", async () => {
  using world = await createWorld();
  const asked = new Set<string>();
  let lookups = 0;
  const { api } = world.resources;
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
  await using running = startController({ ...world, resources: { ...world.resources, api: recording } }, {
    settleTime: 50,
  });
  const deploy = (name: string): Promise<void> =>
    world.deploy(name, definition("{}", `/${name}`).replace("secrets.example.com", `${name}.example.com`));
  const counted = (count: number): boolean => Object(world.cluster.find("Fleet", "edge")?.status).apis === count;
  const names = Array.from({ length: 20 }, (_, index) => `api-${index}`);
  for (const name of names) await deploy(name);
  await until(() => names.every((name) => world.says(name, "Programmed") === "True Programmed") && counted(20));
  await untilUnchanged(() => lookups);

  asked.clear();
  await deploy("more");
  await until(() => world.says("more", "Programmed") === "True Programmed" && counted(21));
  await untilUnchanged(() => lookups);
  assert.deepEqual([...asked], ["more"]);

  const fleet = world.cluster.find("Fleet", "edge") ?? assert.fail();
  asked.clear();
  await world.client.applyStatus(RESOURCE_TYPES.fleet, { ...fleet, status: { apis: 5 } });
  await until(() => counted(21));
  assert.deepEqual([...asked], []);

  // Its spec bears on all of them.
  await world.client.apply(RESOURCE_TYPES.fleet, { ...fleet, spec: { ...Object(fleet.spec), profile: "portable" } });
  await until(() => asked.size === 21);
  assert.deepEqual(running.complaints, []);
});

Deno.test("With the last API whose requests are checked, what has them checked goes", async () => {
  using world = await createWorld();
  await using _running = start(world);
  await world.deploy("todo", definition("{validation: {request: {enabled: true}}}"));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  assert.equal(world.cluster.list("SecurityPolicy").length, 1);
  await world.client.delete(RESOURCE_TYPES.api, "shop", "todo");
  await until(() => world.cluster.find("API", "todo") === undefined);
  await until(() => world.cluster.list("SecurityPolicy").length === 0 && world.cluster.list("HTTPRoute").length === 0);
});

Deno.test("One API that can't be written stops no other", async () => {
  using world = await createWorld();
  await using running = start(world);
  const { create } = world.client;
  world.client.create = (type, object, options) =>
    type.kind === HTTP_ROUTE.kind && object.metadata.labels?.[LABELS.api] === "broken"
      ? Promise.reject(new Error("It can't be written."))
      : create(type, object, options);
  await world.deploy("broken", definition("{}", "/broken").replace("secrets.example", "broken.example"));
  for (let index = 0; index < 10; index++) {
    await world.deploy(`api-${index}`, definition("{}").replace("secrets.example", `host${index}.example`));
  }
  await until(() =>
    Array.from({ length: 10 }, (_, index) => world.says(`api-${index}`, "Programmed")).every((said) =>
      said === "True Programmed"
    )
  );
  assert.equal(world.says("broken", "Programmed"), undefined);
  assert.deepEqual(running.complaints, ["API shop/broken: It can't be written."]);
});

Deno.test("While the API server is away nothing is lost, and the work goes on when it answers again", async () => {
  using world = await createWorld();
  await using running = start(world);
  await world.deploy("todo", definition("{}"));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  world.cluster.setDown(true);
  await until(() => !running.controller.isLeader);
  assert.equal(running.controller.plansOf({ namespace: "edge", name: "edge" }).length, 1);
  world.cluster.setDown(false);
  await world.deploy("todo", definition("{disabled: true}"));
  await until(() => Object(world.cluster.find("API", "todo")?.status).operations?.disabled === 1);
});

Deno.test("A host that is a Service of a namespace to the proxies' resolver is refused", async () => {
  using world = await createWorld();
  const namespaces = createFakeInformer();
  namespaces.set({ apiVersion: "v1", kind: "Namespace", metadata: { name: "vault" } });
  namespaces.sync();
  await using running = startController(world, { namespaces });
  const text = definition("{upstream: {host: {hostname: secrets.vault}}}");
  await world.deploy("todo", text);
  await until(() => world.says("todo", "Accepted") === "False Unsupported");
  assert.match(messageOf(world.cluster.find("API", "todo"), "Accepted"), /Service of the namespace `vault`/);
  assert.deepEqual(running.takeWrites().filter((write) => write.includes("Backend")), []);
});

Deno.test("What has requests checked stays as long as routes are there that need it", async (t) => {
  const checked = definition("{validation: {request: {enabled: true}}}");
  const touched = { annotations: { touched: "yes" } };
  const cases = [
    {
      name: "whose API wants to a fleet that there isn't",
      async change({ client, says }: World) {
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
      using world = await createWorld();
      await using _running = start(world);
      await world.deploy("todo", checked);
      await until(() => world.says("todo", "Programmed") === "True Programmed");
      await change(world);
      const { metadata: { generation } } = await world.client.apply(RESOURCE_TYPES.fleet, fleetOf(spec));
      await until(() => Object(world.cluster.find("Fleet", "edge")?.status).observedGeneration === generation);
      await until(() => world.says("todo", "Accepted") === said);
      assert.deepEqual(backendsOf(world.routes("todo").get("open")), ["secrets"]);
      assert.deepEqual(world.cluster.list("SecurityPolicy").map(({ metadata }) => metadata.namespace), ["shop"]);
      assert.deepEqual(world.cluster.list("ReferenceGrant").length, 1);
    });
  }
});

Deno.test("What is to be protected from now on is closed where its policy can't be written", async (t) => {
  const settings = `{auth: ${CUSTOM}}`;
  const cases = {
    "one of its operations": { openapi: definition(settings), open: ["Exact /"] },
    "all of it": { openapi: definition("{}").replace("x-svc: {", `x-svc: {auth: ${CUSTOM}, `), open: [] },
  };
  for (const [name, { openapi, open }] of Object.entries(cases)) {
    await t.step(name, async () => {
      using world = await createWorld();
      await using _running = start(world);
      await world.deploy("todo", definition("{}"));
      await until(() => world.says("todo", "Programmed") === "True Programmed");
      const { create } = world.client;
      world.client.create = (type, object, options) =>
        type.kind === SECURITY_POLICY.kind && object.metadata.name.startsWith("todo.auth")
          ? Promise.reject(new KubeError(403, "Forbidden", "It is forbidden."))
          : create(type, object, options);
      await world.deploy("todo", openapi);
      await until(() => world.says("todo", "Programmed") === "False NotWritten");
      assert.deepEqual([...new Set(backendsOf(world.routes("todo").get(CLOSED)))], ["gw-mock"]);
      await until(() => pathsOf(world.routes("todo").get("")).join() === open.join());
    });
  }
});

/** The paths that a route leads to the upstream. */
function pathsOf(route: KubernetesObject | undefined): string[] {
  const rules: { matches: { path: { type: string; value: string } }[]; backendRefs?: { name: string }[] }[] =
    Object(route?.spec).rules ?? [];
  const upstream = rules.filter(({ backendRefs = [] }) => backendRefs.some(({ name }) => name === "secrets"));
  return [
    ...new Set(upstream.flatMap(({ matches }) => matches.map(({ path: { type, value } }) => `${type} ${value}`))),
  ];
}

const REFUSED = definition("{nonsense: 1}");

Deno.test("What stays in force is written down before a status says that an edit is refused, and goes before it is accepted", async () => {
  using world = await createWorld();
  await using _running = start(world);
  await world.deploy("todo", definition("{}"));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  world.cluster.takeWrites();
  await world.deploy("todo", REFUSED);
  await until(() => world.says("todo", "Accepted") === "False Invalid");
  await world.deploy("todo", definition("{disabled: true}"));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  const writes = world.cluster.takeWrites().filter((write) => /ControllerRevision|status API/.test(write));
  assert.deepEqual(writes.slice(0, 4), [
    "create ControllerRevision shop/gw-api.todo",
    "status API shop/todo",
    "delete ControllerRevision shop/gw-api.todo",
    "status API shop/todo",
  ]);
});

Deno.test("Nobody asks for what stays in force while all edits are accepted", async () => {
  using world = await createWorld();
  const asked: string[] = [];
  const { get } = world.client;
  world.client.get = (type, ...rest) => {
    asked.push(type.kind);
    return get(type, ...rest);
  };
  const first = start(world);
  await world.deploy("todo", definition("{}"));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  await world.deploy("todo", definition("{disabled: true}"));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  await first.stop();
  await using second = start(world);
  await until(() => second.controller.isLeader && second.controller.isReady);
  assert.ok(asked.length > 0);
  assert.ok(!asked.includes(CONTROLLER_REVISION.kind));
});

Deno.test("What stays in force and can't be written down is said to last until a restart", async () => {
  using world = await createWorld();
  const { create } = world.client;
  world.client.create = (type, object, options) =>
    type.kind === "ControllerRevision"
      ? Promise.reject(new KubeError(413, "RequestEntityTooLarge", "It is too large."))
      : create(type, object, options);
  await using running = start(world);
  await world.deploy("todo", definition("{}"));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  await world.deploy("todo", REFUSED);
  await until(() => world.says("todo", "Accepted") === "False Invalid");
  assert.match(
    messageOf(world.cluster.find("API", "todo"), "Accepted"),
    /What was deployed before stays in force until gw restarts: It is too large\.$/,
  );
  assert.deepEqual(running.complaints, [
    "The last accepted state of API shop/todo can't be kept or deleted: It is too large.",
  ]);
});

Deno.test("An edit is accepted also where revisions may not be read", async () => {
  using world = await createWorld();
  const { get } = world.client;
  world.client.get = (type, ...rest) =>
    type.kind === CONTROLLER_REVISION.kind
      ? Promise.reject(new KubeError(403, "Forbidden", "It is forbidden."))
      : get(type, ...rest);
  await using _running = start(world);
  await world.deploy("todo", definition("{}"));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  await world.deploy("todo", REFUSED);
  await until(() => world.says("todo", "Accepted") === "False Invalid");
  await world.deploy("todo", definition("{disabled: true}"));
  await until(() => world.says("todo", "Accepted") === "True Accepted");
});

Deno.test("A revision of somebody else's, or of an API that is gone, is not taken for one's own", async (t) => {
  const labels = { [LABELS.managedBy]: "gw", [LABELS.api]: "todo" };
  const cases = {
    "somebody else's stays": { labels: {}, kept: true },
    "that of an API that is gone goes": { labels, kept: false },
  };
  for (const [name, { labels, kept }] of Object.entries(cases)) {
    await t.step(name, async () => {
      using world = await createWorld();
      const metadata = { namespace: "shop", name: "gw-api.todo", labels };
      const { apiVersion, kind } = CONTROLLER_REVISION;
      await world.client.create(CONTROLLER_REVISION, { apiVersion, kind, metadata, data: { spec: {} }, revision: 7 });
      const uid = world.cluster.find(kind, "gw-api.todo")?.metadata.uid;
      await using _running = start(world);
      await world.deploy("todo", definition("{}"));
      await until(() => world.says("todo", "Programmed") === "True Programmed");
      await world.deploy("todo", REFUSED);
      await until(() => world.says("todo", "Accepted") === "False Invalid");
      assert.equal(world.cluster.find(kind, "gw-api.todo")?.metadata.uid === uid, kept);
      const said = messageOf(world.cluster.find("API", "todo"), "Accepted");
      assert.equal(said.includes("which gw has not made"), kept);
    });
  }
});

Deno.test("What stays in force leaves when an older API takes its place", async () => {
  using world = await createWorld();
  await using _running = start(world);
  await world.deploy("older", definition("{}", "/other"));
  await until(() => world.says("older", "Programmed") === "True Programmed");
  await world.deploy("todo", definition("{}").replace("  /: ", "  /todo: "));
  await until(() => world.says("todo", "Programmed") === "True Programmed");
  await world.deploy("todo", REFUSED);
  await until(() => world.says("todo", "Accepted") === "False Invalid");
  assert.ok(world.routes("todo").size > 0);
  await world.deploy("older", definition("{}"));
  await until(() => world.says("older", "Accepted") === "True Accepted");
  await until(() => world.routes("todo").size === 0);
});

Deno.test("What stays in force of a static route is known to a controller that starts later", async () => {
  using world = await createWorld();
  const fleet = { namespace: "edge", name: "edge" };
  const { apiVersion, kind } = RESOURCE_TYPES.staticroute;
  const route = (spec: unknown): KubernetesObject => {
    return { apiVersion, kind, metadata: { namespace: "shop", name: "web" }, spec: { fleet, ...Object(spec) } };
  };
  const says = (): string | undefined => conditionOf(world.cluster.find(kind, "web"), "Accepted");
  const first = start(world);
  await world.client.apply(RESOURCE_TYPES.staticroute, route({ upstream: { service: { name: "web" } } }));
  await until(() => says() === "True Accepted");
  await world.client.apply(RESOURCE_TYPES.staticroute, route({ upstream: { nonsense: 1 } }));
  await until(() => says() === "False Invalid");
  await first.stop();
  await using second = start(world);
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
      using world = await createWorld();
      const other = fleetOf({ gateway: { name: "edge", namespace: "edge" } });
      await world.client.create(RESOURCE_TYPES.fleet, { ...other, metadata: fleet });
      // It plans, and nobody acts.
      await using running = startController(world, { acts: false });
      const api = (version: string, spec: unknown): KubernetesObject => {
        const condition = { type: "Accepted", status: "True", reason: "Accepted", message: "", observedGeneration: 1 };
        const { metadata, ...rest } = apiOf("todo", "");
        return { ...rest, metadata: { ...metadata, labels: { version } }, spec, status: { conditions: [condition] } };
      };
      await world.client.apply(RESOURCE_TYPES.api, api("1", { fleet: home, openapi: definition("{}") }));
      await until(() => running.controller.plansOf(home).length === 1);
      await world.client.apply(RESOURCE_TYPES.api, api("2", { fleet, openapi }));
      await until(() => world.resources.api.get("shop", "todo")?.metadata.generation === 2);
      await running.controller.apply();
      assert.equal(running.controller.plansOf(home).length, want);
      assert.equal(running.controller.plansOf(fleet).length, 1 - want);
    });
  }
});
