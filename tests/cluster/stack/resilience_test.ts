/**
 * Changes and failures in the cluster don't affect clients of an API.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MOCKS } from "../../../lib/cluster/names.ts";
import type { ApiServer } from "../support/api_server.ts";
import { ask } from "../support/ask.ts";
import { apiObject, deployApi, deployFleet, type Deployment, untilTrue } from "../support/deploy.ts";
import { isFrom, isLike, startLoad } from "../support/load.ts";
import { takeStack } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { serviceObjects, startUpstream } from "../support/upstream.ts";

const HOST = "resilience.example.com";

Deno.test("changes fail no request, whoever goes away", async (t) => {
  await using stack = await takeStack();
  await stack.installGw();
  const { api } = stack;
  await using upstream = startUpstream("todo");
  const namespace = await api.createNamespace();
  await api.apply(...serviceObjects({ namespace, name: "todo", endpoints: [upstream] }));
  const { port } = await deployFleet(stack, namespace);
  const versions = counter();
  await deployApi(api, version(namespace, versions.next()), 60_000);
  await served(port, versions.current);

  await t.step("changes of the definition", async () => {
    const loads = [
      startLoad(port, { host: HOST, path: "/mocked" }, isLike(/^version \d+$/)),
      startLoad(port, { host: HOST, path: "/proxied" }, isFrom("todo")),
    ];
    for (let change = 0; change < 10; change++) {
      await api.apply(apiObject(version(namespace, versions.next())));
      await served(port, versions.current);
    }
    await fine(loads);
  });

  await t.step("a pod of the mocks is taken away, and another comes", async () => {
    const load = startLoad(port, { host: HOST, path: "/mocked" }, isLike(/^version \d+$/));
    await scale(api, "gw-mock", 1);
    const isOne = async (): Promise<boolean> =>
      (await stack.pods()).filter(({ deployment }) => deployment === "gw-mock").length === 1;
    await until(isOne, { within: 40_000, what: "the end of a pod" });
    await scale(api, "gw-mock", 2);
    await stack.installGw();
    await fine([load]);
  });

  await t.step("the API server is away, and gw goes on where it was", async () => {
    const loads = [
      startLoad(port, { host: HOST, path: "/mocked" }, isLike(/^version \d+$/)),
      startLoad(port, { host: HOST, path: "/proxied" }, isFrom("todo")),
    ];
    await stack.order("api-server", "stop");
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await stack.order("api-server", "start");
    await api.apply(apiObject(version(namespace, versions.next())));
    await served(port, versions.current, 60_000);
    await fine(loads);
  });

  await t.step("the leader is killed, and the other one takes over", async () => {
    const load = startLoad(port, { host: HOST, path: "/proxied" }, isFrom("todo"));
    const leader = await leaderOf(api);
    await stack.killPod(leader.pod);
    const killed = performance.now();
    const isOther = async (): Promise<boolean> => (await leaderOf(api)).process !== leader.process;
    await until(isOther, { within: 20_000, what: `a leader after ${leader.pod}` });
    assert(performance.now() - killed < 15_000, `${performance.now() - killed} ms until another leads`);
    await api.apply(apiObject(version(namespace, versions.next())));
    await served(port, versions.current);
    await fine([load]);
    await stack.installGw();
  });

  await t.step("without any controller the API is served as it was", async () => {
    const load = startLoad(port, { host: HOST, path: "/proxied" }, isFrom("todo"));
    await scale(api, "gw-serve", 0);
    await until(async () => (await stack.pods()).every(({ deployment }) => deployment !== "gw-serve"));
    await fine([load]);
    await stack.installGw();
    await api.apply(apiObject(version(namespace, versions.next())));
    await served(port, versions.current, 30_000);
  });

  await t.step("an API is deleted and deployed again before the gateway has noticed", async () => {
    const again = apiObject({ ...version(namespace, versions.next()), name: "again" });
    await api.delete(apiObject(version(namespace, 0)));
    await api.apply(again);
    await untilTrue(api, again, "Programmed", 30_000);
    await stack.order("envoy-gateway", "pause");
    try {
      await api.delete(again);
      await until(async () => await api.read(again) === undefined);
      await api.apply(again);
      await until(async () => (await routesIn(api, namespace)).includes("httproute"));
    } finally {
      await stack.order("envoy-gateway", "resume");
    }
    await untilTrue(api, again, "Programmed", 30_000);
    await served(port, versions.current);
  });

  await t.step("a deleted API leaves nothing behind", async () => {
    await api.delete(apiObject({ ...version(namespace, 0), name: "again" }));
    await until(async () => (await ask(port, { host: HOST, path: "/proxied" })).status === 404);
    let left = "";
    await until(async () => (left = await routesIn(api, namespace)) === "", { what: () => `the end of ${left}` });
  });
});

/** A definition with a version number: in the answer of a mocked operation, and in the path of a proxied one. */
function version(namespace: string, number: number): Deployment {
  const content = { "text/plain": { schema: { type: "string" }, example: `version ${number}` } };
  const proxied = { responses: { 200: { description: "" } } };
  return {
    namespace,
    name: "versions",
    definition: {
      openapi: "3.1.0",
      info: { title: "versions", version: String(number) },
      "x-svc": { hosts: [HOST], upstream: { service: { name: "todo" } } },
      paths: {
        "/mocked": {
          get: { "x-svc": { mocking: { enabled: true } }, responses: { 200: { description: "", content } } },
        },
        "/proxied": { get: proxied },
        [`/version/${number}`]: { get: proxied },
      },
    },
  };
}

/** Waits until mocks and proxies serve a version of the definition. */
async function served(port: number, number: number, within = 15_000): Promise<void> {
  await until(async () => (await ask(port, { host: HOST, path: "/mocked" })).text === `version ${number}`, {
    within,
    what: `mocks of version ${number}`,
  });
  await until(async () => (await ask(port, { host: HOST, path: `/version/${number}` })).status === 200, {
    within,
    what: `routes of version ${number}`,
  });
}

async function fine(loads: readonly { stop: ReturnType<typeof startLoad>["stop"] }[]): Promise<void> {
  for (const load of loads) {
    const { total, failed } = await load.stop();
    assert.deepEqual(failed, {}, `of ${total}`);
    assert(total > 10, `only ${total} requests`);
  }
}

async function scale(api: ApiServer, deployment: string, replicas: number): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${MOCKS.namespace}/deployments/${deployment}/scale`;
  await api.request("PATCH", path, { spec: { replicas } }, "application/merge-patch+json");
}

/** The holder of the controllers' Lease: its pod, and the identity of its process. */
async function leaderOf(api: ApiServer): Promise<{ pod: string; process: string }> {
  const { items } = await api.request("GET", `/apis/coordination.k8s.io/v1/namespaces/${MOCKS.namespace}/leases`);
  const holders = (Array.isArray(items) ? items : []).map(({ spec }) => String(spec.holderIdentity ?? ""));
  const [pod = "", process = ""] = (holders.find((holder) => holder.startsWith("gw-serve")) ?? "").split("_");
  return { pod, process };
}

async function routesIn(api: ApiServer, namespace: string): Promise<string> {
  return await api.kubectl([
    "get",
    "httproutes,backendtrafficpolicies,securitypolicies",
    "-n",
    namespace,
    "-o",
    "name",
  ]);
}

function counter(): { readonly current: number; next(): number } {
  let current = 0;
  return {
    get current() {
      return current;
    },
    next: () => ++current,
  };
}
