/**
 * `gw serve` with a real cluster's store, called through the management API. The controller isn't started; it has its
 * own tests.
 *
 * @module
 */
import assert from "node:assert/strict";
import { createKubeClient } from "../../../cmd/cluster/http_client.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { definition, send } from "../../cmd/serve_process.ts";
import { runGw, type Running, spawn } from "../../cmd/process.ts";
import { type ApiServer, startApiServer } from "../support/api_server.ts";
import { until } from "../support/until.ts";
import { installDefinitions } from "../support/virtual_cluster.ts";

const GROUP = "gateway.x-svc.io";

Deno.test("gw serve in a cluster lets users do what the cluster lets them", async (t) => {
  await using server = await startApiServer();
  const namespace = await prepare(server);
  const author = await createUser(server, namespace, "author", [[GROUP, ["apis"], [
    "get",
    "list",
    "create",
    "update",
  ]]]);
  const token = { admin: server.tokens.admin, nobody: server.tokens.nobody, author, none: "", wrong: "wrong" };
  await using gw = await startServe(server);
  const todo = { namespace, name: "todo", proxyFleetName: "edge", proxyFleetNamespace: namespace };
  const table: [who: keyof typeof token, line: string, content: unknown, status: number][] = [
    ["none", "GET /apis", undefined, 401],
    ["wrong", "GET /apis", undefined, 401],
    ["nobody", "GET /apis", undefined, 403],
    ["nobody", `GET /apis?namespace=${namespace}`, undefined, 403],
    ["nobody", "GET /openapi.json", undefined, 200],
    ["none", "GET /readyz", undefined, 200],
    ["none", "GET /metrics", undefined, 401],
    ["nobody", "GET /metrics", undefined, 403],
    ["admin", "GET /metrics", undefined, 200],
    ["author", "POST /fleets", fleetContent(namespace), 403],
    ["admin", "POST /fleets", fleetContent(namespace), 200],
    ["nobody", "POST /apis", { ...todo, openapi: definition("todo") }, 403],
    ["author", "POST /apis", { ...todo, namespace: "default", openapi: definition("todo") }, 403],
    ["author", "POST /apis", { ...todo, openapi: definition("todo") }, 201],
    ["author", "GET /apis", undefined, 403],
    ["author", `GET /apis?namespace=${namespace}`, undefined, 200],
    ["author", `GET /apis/${namespace}/todo`, undefined, 200],
    ["author", `GET /fleets/${namespace}/edge`, undefined, 403],
    ["author", `PUT /apis/${namespace}/todo`, { openapi: definition("tasks") }, 201],
    ["author", `DELETE /apis/${namespace}/todo`, undefined, 403],
    ["author", "GET /namespaces", undefined, 403],
    ["admin", "GET /namespaces", undefined, 200],
    ["author", `GET /services?namespace=${namespace}`, undefined, 403],
    ["admin", `DELETE /fleets/${namespace}/edge`, undefined, 409],
    ["admin", `DELETE /fleets/${namespace}/edge?cascade=true`, undefined, 204],
    ["admin", `GET /apis/${namespace}/todo`, undefined, 404],
  ];
  for (const [who, line, content, status] of table) {
    await t.step(`${who}: ${line.replaceAll(namespace, "NS")} is answered ${status}`, async () => {
      const response = await ask(gw, line, token[who], content);
      assert.equal(response.status, status, await response.text());
    });
  }
  const log = gw.text();
  assert.match(log, new RegExp(`create apis/${namespace}/todo by system:serviceaccount:${namespace}:author`));
  for (const secret of [token.admin, token.nobody, author]) assert.ok(!log.includes(secret));
});

Deno.test("gw serve in a cluster shows services as the cluster has them", async () => {
  await using server = await startApiServer();
  const namespace = await prepare(server);
  await server.apply(...serviceOf(namespace, "up", true), ...serviceOf(namespace, "down", false));
  await using gw = await startServe(server);
  const admin = server.tokens.admin;
  await ask(gw, "POST /fleets", admin, fleetContent(namespace));
  const upstream = (name: string): string =>
    `openapi: 3.1.0\ninfo: {title: x, version: "1"}\nx-svc: {upstream: {service: {name: ${name}, port: 80}}}\n` +
    `paths: {/${name}: {get: {responses: {default: {description: x}}}}}\n`;
  for (const name of ["up", "down", "missing"]) {
    const content = {
      namespace,
      name,
      openapi: upstream(name),
      proxyFleetName: "edge",
      proxyFleetNamespace: namespace,
    };
    const response = await ask(gw, "POST /apis", admin, content);
    assert.equal(response.status, 201);
    const warning = name === "missing" ? /missing:80 is not known/ : /^$/;
    assert.match(response.headers.get("warning") ?? "", warning);
    await response.body?.cancel();
  }
  const statuses = async (): Promise<Record<string, string>> => {
    const services: { name: string; status: string }[] =
      await (await ask(gw, `GET /services?namespace=${namespace}`, admin)).json();
    return Object.fromEntries(services.map(({ name, status }) => [name, status]));
  };
  assert.deepEqual(await statuses(), {
    down: "unavailable",
    edge: "unavailable",
    missing: "unavailable",
    up: "available",
  });

  // The labels that Envoy Gateway gives to the Service of a fleet.
  const labels = {
    "gateway.envoyproxy.io/owning-gateway-name": "edge",
    "gateway.envoyproxy.io/owning-gateway-namespace": namespace,
  };
  await server.apply(...serviceOf(namespace, "envoy-edge-1a2b", true, labels), ...serviceOf(namespace, "down", true));
  await until(async () => {
    const found = await statuses();
    return found["envoy-edge-1a2b"] === "available" && found["down"] === "available" && found["edge"] === undefined;
  });
  const fleet = await (await ask(gw, `GET /fleets/${namespace}/edge`, admin)).json();
  assert.deepEqual(fleet.services.map(({ name }: { name: string }) => name), ["envoy-edge-1a2b"]);
});

Deno.test("gw serve in a cluster shows what kubectl does, and kubectl what gw serve does", async () => {
  await using server = await startApiServer();
  const namespace = await prepare(server);
  await using gw = await startServe(server);
  const metadata = { namespace, name: "todo" };
  const spec = { fleet: { name: "edge" }, openapi: definition("todo") };
  await server.kubectl(
    ["apply", "-f", "-"],
    JSON.stringify({ apiVersion: `${GROUP}/v1alpha1`, kind: "API", metadata, spec }),
  );
  const admin = server.tokens.admin;
  const shown = await until(async () => {
    const response = await ask(gw, `GET /apis/${namespace}/todo`, admin);
    return response.ok ? await response.json() : void await response.body?.cancel();
  });
  assert.deepEqual(shown.fleet, { name: "edge", namespace });
  await ask(gw, "POST /fleets", admin, fleetContent(namespace));
  const replaced = await ask(gw, `PUT /apis/${namespace}/todo`, admin, { openapi: definition("tasks") });
  assert.equal(replaced.status, 201, await replaced.text());
  const text = await server.kubectl([
    "get",
    "api.gateway.x-svc.io",
    "todo",
    "-n",
    namespace,
    "-o",
    "jsonpath={.spec.openapi}",
  ]);
  assert.equal(text, definition("tasks"));
  await server.kubectl(["delete", "api.gateway.x-svc.io", "todo", "-n", namespace]);
  await until(async () => {
    const response = await ask(gw, `GET /apis/${namespace}/todo`, admin);
    await response.body?.cancel();
    return response.status === 404;
  });
});

Deno.test("gw serve in a cluster starts while the API server is away, and is ready when it comes", async () => {
  await using server = await startApiServer({ own: true });
  const client = await createKubeClient({ kubeconfig: server.kubeconfig });
  await installDefinitions(client);
  client.close();
  await server.stop();
  await using gw = await spawnServe(server);
  const [, url = ""] = await gw.until(/gateway-management-api [\d.]+ on (\S+)/);
  const ready = async (): Promise<Response> => await fetch(`${url}/readyz`);
  const response = await ready();
  assert.equal(response.status, 503);
  assert.match(await response.text(), /aren't known yet/);
  const unknown = await fetch(`${url}/apis`, { headers: { authorization: "Bearer x" } });
  assert.deepEqual([unknown.status, unknown.headers.get("retry-after")], [503, "5"]);
  await unknown.body?.cancel();
  await gw.until(/The cluster's apis can't be followed/);
  await server.start();
  await until(async () => {
    const response = await ready();
    await response.body?.cancel();
    return response.ok;
  }, { within: 30_000 });
  gw.signal("SIGTERM");
  assert.equal((await gw.ended).code, 0);
});

Deno.test("gw serve refuses flags that its store has no use for, and clusters that it can't find", async (t) => {
  await using server = await startApiServer();
  const table: [args: string[], code: number, message: RegExp][] = [
    [["--store", "sqlite", "--kubeconfig", "x"], 2, /--kubeconfig is for --store kubernetes/],
    [["--store", "kubernetes", "--data", "x"], 2, /--data is for --store sqlite/],
    [["--kubeconfig", server.kubeconfig, "--service", "a/b=http://c"], 2, /--service is for --store sqlite/],
    [["--webhook-port", "9443"], 2, /--webhook-port is for --store kubernetes/],
    [["--kubeconfig", "absent"], 3, /Cannot read absent/],
    [
      ["--kubeconfig", server.kubeconfig, "--context", "absent"],
      3,
      /has no context absent; it has admin, admin-token, nobody/,
    ],
  ];
  for (const [args, code, message] of table) {
    await t.step(args.map((arg) => arg === server.kubeconfig ? "FILE" : arg).join(" "), async () => {
      const ended = await runGw({ args: ["serve", ...args], env: { KUBECONFIG: "" } });
      assert.equal(ended.code, code, ended.stderr);
      assert.match(ended.stderr, message);
    });
  }
});

Deno.test("gw serve outside a pod leads only when it is told to", async (t) => {
  await using server = await startApiServer({ own: true });
  await prepare(server);
  await server.request("POST", "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "gw-system" },
  });
  const leases = "/apis/coordination.k8s.io/v1/namespaces/gw-system/leases";
  const countLeases = async (): Promise<number> => Object(await server.request("GET", leases)).items.length;

  await t.step("a process that isn't told to says so, and takes no Lease", async () => {
    await using gw = spawn({ args: ["serve", "--port", "0", "--kubeconfig", server.kubeconfig] });
    await gw.until(/doesn't stand for election .* --controller lets this one do so too/);
    const [, api = ""] = await gw.until(/gateway-management-api [\d.]+ on (\S+)/);
    await until(async () => {
      const response = await fetch(`${api}/readyz`);
      await response.body?.cancel();
      return response.ok;
    });
    assert.equal(await countLeases(), 0);
  });

  await t.step("a process with --controller leads", async () => {
    await using gw = spawn({ args: ["serve", "--port", "0", "--kubeconfig", server.kubeconfig, "--controller"] });
    await gw.until(/This replica, .* leads/);
    assert.equal(await countLeases(), 1);
  });
});

/** Installs gw's custom resource definitions, and makes a namespace. */
async function prepare(server: ApiServer): Promise<string> {
  const client = await createKubeClient({ kubeconfig: server.kubeconfig });
  await installDefinitions(client);
  client.close();
  return await server.createNamespace();
}

type Serving = Running & { readonly api: string };

function spawnServe(server: ApiServer): Running {
  return spawn({ args: ["serve", "--port", "0", "--kubeconfig", server.kubeconfig, "--no-controller"] });
}

/** Starts `gw serve`, and waits until it is ready. */
async function startServe(server: ApiServer): Promise<Serving> {
  const gw = spawnServe(server);
  try {
    const [, api = ""] = await gw.until(/gateway-management-api [\d.]+ on (\S+)/);
    await until(async () => {
      const response = await fetch(`${api}/readyz`);
      await response.body?.cancel();
      return response.ok;
    });
    return Object.assign(gw, { api });
  } catch (error) {
    await gw[Symbol.asyncDispose]();
    throw error;
  }
}

async function ask({ api }: Serving, line: string, token: string, content?: unknown): Promise<Response> {
  const [method = "", target = ""] = line.split(" ");
  const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
  return content === undefined
    ? await fetch(`${api}${target}`, { method, headers })
    : await send(`${api}${target}`, method, content, headers);
}

/** Makes a service account with rights in its namespace. Returns its token. */
async function createUser(
  server: ApiServer,
  namespace: string,
  name: string,
  rules: [group: string, resources: string[], verbs: string[]][],
): Promise<string> {
  const token = await server.createToken(namespace, name);
  const rbac = "rbac.authorization.k8s.io";
  await server.apply(
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata: { namespace, name },
      rules: rules.map(([group, resources, verbs]) => ({ apiGroups: [group], resources, verbs })),
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { namespace, name },
      roleRef: { apiGroup: rbac, kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  );
  return token;
}

function fleetContent(namespace: string): unknown {
  return { namespace, name: "edge", serviceType: "ClusterIP", ports: [{ port: 80 }] };
}

/** A Service with the EndpointSlice that a cluster's controller would make. */
function serviceOf(namespace: string, name: string, isReady: boolean, labels = {}): KubernetesObject[] {
  return [
    { apiVersion: "v1", kind: "Service", metadata: { namespace, name, labels }, spec: { ports: [{ port: 80 }] } },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { namespace, name: `${name}-1`, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      ports: [{ port: 8080 }],
      endpoints: [{ addresses: ["10.77.0.1"], conditions: { ready: isReady } }],
    },
  ];
}
