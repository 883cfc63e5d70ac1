/**
 * Fleets with `allowedNamespaces`, through all parts: webhook, controller, Envoy Gateway, Envoy.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import type { ApiServer } from "../support/api_server.ts";
import { ask } from "../support/ask.ts";
import { apiObject, deployApi, deployFleet, type Deployment, untilTrue } from "../support/deploy.ts";
import { startIntruder } from "../support/intruder.ts";
import { takeStack } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { serviceObjects, startUpstream } from "../support/upstream.ts";

const TEAM_A = { matchLabels: { team: "a" } };
const PASS = { authorization: "Bearer good" };
/** Milliseconds that closing, opening and draining routes may take. */
const TIMEOUT = 60_000;

Deno.test("A fleet serves the namespaces that it admits, and closes routes of namespaces that it no longer admits", async (t) => {
  await using stack = await takeStack();
  await using upstream = startUpstream("secrets");
  await using authz = startUpstream("authz", ({ headers }) => {
    return new Response(null, { status: headers.get("authorization") === PASS.authorization ? 200 : 401 });
  });
  await stack.installGw();
  const { api } = stack;
  const [home, team, stranger] = [
    await api.createNamespace(),
    await api.createNamespace(),
    await api.createNamespace(),
  ];
  await label(api, team, "a");
  await api.apply(
    ...serviceObjects({ namespace: team, name: "secrets", endpoints: [upstream] }),
    ...serviceObjects({ namespace: team, name: "authz", endpoints: [authz] }),
  );
  const { port, ...fleet } = await deployFleet(stack, home, {
    allowedNamespaces: { from: "Selector", selector: TEAM_A },
  });
  const secrets = deployment(team, "secrets", fleet);

  await t.step("an admitted namespace: mocked, proxied, protected and checked operations are served", async () => {
    await deployApi(api, secrets, TIMEOUT);
    assert.equal(await statusOf(port, "/mocked"), 200);
    assert.equal(await statusOf(port, "/open"), 200);
    assert.equal(await statusOf(port, "/secret"), 401);
    assert.equal(await statusOf(port, "/secret", PASS), 200);
    assert.equal(await statusOf(port, "/checked"), 400);
    assert.equal(await statusOf(port, "/checked?n=1"), 200);
    // Envoy itself answers requests that no route matches.
    assert.equal(await statusOf(port, "/nowhere"), 404);
  });

  await t.step("another namespace: the webhook refuses", async () => {
    const refused = await until(() =>
      api.apply(apiObject(deployment(stranger, "secrets", fleet))).then(() => "", String)
    );
    assert.match(refused, /denied the request: The fleet .*\/edge doesn't admit the namespace/);
  });

  await t.step(
    "a label that goes takes all routes along, and nobody gets past protection when it comes back",
    async () => {
      const intruder = startIntruder(port, "api.example.com", "/secret");
      try {
        await label(api, team, "b");
        await until(async () => conditionOf(await api.read(apiObject(secrets))) === "False NotAllowedByFleet", {
          within: TIMEOUT,
          what: async () => JSON.stringify((await api.read(apiObject(secrets)))?.status),
        });
        await until(async () => await statusOf(port, "/mocked") === 404 && await statusOf(port, "/open") === 404);
        assert.equal(await statusOf(port, "/secret", PASS), 404);
        await until(async () => (await routesIn(api, team)).length === 0);
        await label(api, team, "a");
        await untilTrue(api, apiObject(secrets), "Programmed", TIMEOUT);
        assert.equal(await statusOf(port, "/secret", PASS), 200);
        assert.equal(await statusOf(port, "/mocked"), 200);
      } finally {
        await intruder.stop();
      }
      const statuses = new Set(intruder.answers.map(({ status }) => status));
      assert.ok(intruder.answers.length > 100 && statuses.has(401), [...statuses].join());
      assert.ok(!statuses.has(200), [...statuses].join());
    },
  );

  await t.step("a fleet that comes to admit its own namespace only serves that", async () => {
    await deployFleetAgain(api, home, port, { from: "Same" });
    await until(async () => await statusOf(port, "/mocked") === 404, { within: TIMEOUT });
    await until(async () => (await routesIn(api, team)).length === 0, { within: TIMEOUT });
    await api.delete(apiObject(secrets));
    await deployApi(api, { ...deployment(home, "own", fleet), definition: MOCKED }, TIMEOUT);
    assert.equal(await statusOf(port, "/mocked"), 200);
  });

  await t.step("Envoy has taken each configuration", async () => {
    assert.doesNotMatch(await stack.logOfEnvoys(), /rejected/);
  });
});

const FINE = { 200: { description: "Fine." } };
const MOCK = { mocking: { enabled: true } };
const ROOT = { openapi: "3.1.0", info: { title: "Secrets", version: "1" } };
const MOCKED = {
  ...ROOT,
  "x-svc": { hosts: ["api.example.com"] },
  paths: { "/mocked": { get: { "x-svc": MOCK, responses: FINE } } },
};

function deployment(namespace: string, name: string, fleet: { namespace: string; name: string }): Deployment {
  const parameters = [{ name: "n", in: "query", required: true, schema: { type: "integer" } }];
  const definition = {
    ...ROOT,
    "x-svc": { hosts: ["api.example.com"], upstream: { service: { name: "secrets" } } },
    paths: {
      "/mocked": { get: { "x-svc": MOCK, responses: FINE } },
      "/open": { get: { responses: FINE } },
      "/secret": { get: { "x-svc": { auth: { custom: { service: { name: "authz" }, path: "/" } } }, responses: FINE } },
      "/checked": { get: { "x-svc": { validation: { request: { enabled: true } } }, parameters, responses: FINE } },
    },
  };
  return { namespace, name, fleet, definition };
}

async function deployFleetAgain(
  api: ApiServer,
  namespace: string,
  port: number,
  allowedNamespaces: object,
): Promise<void> {
  const service = { type: "ClusterIP", ports: [{ name: "http", port }] };
  await api.apply({
    apiVersion: "gateway.x-svc.io/v1alpha1",
    kind: "Fleet",
    metadata: { namespace, name: "edge" },
    spec: { service, allowedNamespaces },
  });
}

async function label(api: ApiServer, name: string, team: string): Promise<void> {
  await api.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { team } } });
}

async function statusOf(port: number, path: string, headers: Record<string, string> = {}): Promise<number> {
  return (await ask(port, { host: "api.example.com", path, headers })).status;
}

/** The names of the HTTPRoutes that gw made for APIs in a namespace. */
async function routesIn(api: ApiServer, namespace: string): Promise<string[]> {
  const { items } = await api.request("GET", `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/httproutes`);
  const routes: KubernetesObject[] = Array.isArray(items) ? items : [];
  return routes.map(({ metadata: { name } }) => name);
}

function conditionOf(object: KubernetesObject | undefined): string | undefined {
  const conditions: { type: string; status: string; reason: string }[] = Object(object?.status).conditions ?? [];
  const accepted = conditions.find(({ type }) => type === "Accepted");
  return accepted && `${accepted.status} ${accepted.reason}`;
}
