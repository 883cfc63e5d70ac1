/**
 * Compares `gw mock --stateful` of the API server's own definition with the real API server.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { createRandom, pick } from "../../../lib/mock/generate/random.ts";
import { installPackages } from "../../../scripts/cache.ts";
import { type Running, startGw } from "../../cmd/process.ts";
import { type ApiServer, startApiServer } from "../support/api_server.ts";

const PROGRAM = fileURLToPath(import.meta.resolve("../support/kubernetes_client.ts"));

/** A namespaced kind: the path of its API group, its plural, and the properties of an object beside its metadata. */
interface Kind {
  readonly path: string;
  readonly plural: string;
  readonly rest: object;
}

/** The kinds that random calls use. */
const KINDS: [Kind, ...Kind[]] = [
  { path: "/api/v1", plural: "configmaps", rest: { data: { color: "blue" } } },
  { path: "/api/v1", plural: "secrets", rest: { stringData: { password: "secret" } } },
  { path: "/api/v1", plural: "limitranges", rest: { spec: { limits: [{ type: "Pod", max: { cpu: "2" } }] } } },
  { path: "/api/v1", plural: "serviceaccounts", rest: {} },
  { path: "/apis/rbac.authorization.k8s.io/v1", plural: "roles", rest: { rules: [] } },
];
const CALLS = 200;

/** A call to an object named `of`; to the collection if `of` is empty. */
interface Call {
  readonly method: string;
  readonly of: string;
  readonly body?: unknown;
  readonly type?: string;
}

/** A server that is called. */
interface Target {
  /** Sends a request, and returns the status of the response. */
  readonly ask: (method: string, path: string, body?: unknown, type?: string) => Promise<number>;
}

Deno.test("gw mock --stateful of an API server's definition", async (test) => {
  await using api = await startApiServer();
  const folder = await Deno.makeTempDir();
  try {
    const definition = await (await api.fetch("/openapi/v2")).text();
    const file = join(folder, "kubernetes.json");
    await Deno.writeTextFile(file, definition);
    await using gw = await startGw({ args: ["mock", file, "--stateful", "--quiet"] });
    await test.step("Kubernetes' client gets from it what it gets from the API server", async () => {
      const namespace = await api.createNamespace();
      const mocked = join(folder, "kubeconfig");
      await Deno.writeTextFile(mocked, JSON.stringify(kubeconfigOf(gw.url)));
      const [real, ours] = await Promise.all([useClient(api.kubeconfig, namespace), useClient(mocked, namespace)]);
      assert.equal(Object.keys(real).length, 10);
      assert.deepEqual(ours, real);
    });
    await test.step(`${CALLS} random calls have the API server's statuses`, async () => {
      const namespace = await api.createNamespace();
      const { compared, different } = await compareStatuses(JSON.parse(definition), namespace, targetsOf(api, gw));
      assert.ok(compared >= CALLS, `${compared}`);
      assert.ok(
        different.length <= compared * 0.05,
        `${different.length} of ${compared} differ:\n${different.join("\n")}`,
      );
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Runs kubernetes_client.ts, which uses the official client, as a process of its own. */
async function useClient(kubeconfig: string, namespace: string): Promise<Record<string, unknown>> {
  const packages = await installPackages({ "@kubernetes/client-node": "2.0.1" });
  const module = `file://${packages}/@kubernetes/client-node/dist/index.js`;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-config",
      "--no-check",
      "--node-modules-dir=manual",
      PROGRAM,
      module,
      kubeconfig,
      namespace,
    ],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  assert.equal(code, 0, decoder.decode(stderr));
  return JSON.parse(decoder.decode(stdout));
}

function kubeconfigOf(server: string): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "mock", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "mock", user: { token: "any" } }],
    contexts: [{ name: "mock", context: { cluster: "mock", user: "mock" } }],
    "current-context": "mock",
  };
}

function targetsOf(api: ApiServer, gw: Running): { real: Target; mocked: Target } {
  const targetOf = (send: (path: string, init: RequestInit) => Promise<Response>): Target => ({
    async ask(method, path, body, type = "application/json") {
      const headers = { "content-type": type };
      const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
      const response = await send(path, init);
      await response.body?.cancel();
      return response.status;
    },
  });
  return {
    real: targetOf((path, init) => api.fetch(path, init)),
    mocked: targetOf((path, init) => fetch(`${gw.url}${path}`, init)),
  };
}

/** The part of a definition that lists the declared statuses. */
interface Definition {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses?: object }>>>>;
}

/**
 * Makes the same random calls to both servers, until the API server has answered {@linkcode CALLS} of them with a
 * declared status.
 *
 * @returns The number of compared calls, and a line for each call with different statuses.
 */
async function compareStatuses(
  { paths }: Definition,
  namespace: string,
  { real, mocked }: { real: Target; mocked: Target },
): Promise<{ compared: number; different: string[] }> {
  const random = createRandom(7);
  const different: string[] = [];
  let compared = 0;
  for (let made = 0; compared < CALLS && made < 5 * CALLS; made++) {
    const { path, plural, rest } = pick(KINDS, random);
    const name = pick(["a", "b", "c", "d"], random);
    const collection = `${path}/namespaces/${namespace}/${plural}`;
    const template = `${path}/namespaces/{namespace}/${plural}`;
    const object = { metadata: { name }, ...rest };
    const calls: [Call, ...Call[]] = [
      { method: "POST", of: "", body: object },
      { method: "GET", of: "" },
      { method: "GET", of: name },
      { method: "PUT", of: name, body: object },
      {
        method: "PATCH",
        of: name,
        body: { metadata: { labels: { at: `${made}` } } },
        type: "application/merge-patch+json",
      },
      { method: "DELETE", of: name },
    ];
    const { method, of, body, type } = pick(calls, random);
    const item = of === "" ? "" : `/${of}`;
    const before = await real.ask(method, collection + item, body, type);
    const after = await mocked.ask(method, collection + item, body, type);
    const responses = paths[template + (of === "" ? "" : "/{name}")]?.[method.toLowerCase()]?.responses ?? {};
    if (!Object.hasOwn(responses, before)) continue;
    compared++;
    if (before !== after) different.push(`${method} ${collection}${item}: ${before}, mocked ${after}`);
  }
  return { compared, different };
}
