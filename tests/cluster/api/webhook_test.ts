/**
 * The validating webhook, called by a real API server. It has only the rights of gw's service account.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { KubeClient } from "../../../cmd/cluster/client.ts";
import { createKubeClient } from "../../../cmd/cluster/http_client.ts";
import { createAdmissionHandler } from "../../../cmd/cluster/webhook_handler.ts";
import { serveWebhook, type WebhookServer } from "../../../cmd/cluster/webhook_server.ts";
import { API_VERSION } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { INSTALLED } from "../../../lib/cluster/install/installation.ts";
import { installManifests } from "../../../lib/cluster/install/manifests.ts";
import { type ApiServer, kubeconfigOf, startApiServer } from "../support/api_server.ts";
import { until } from "../support/until.ts";
import { freePort } from "../../free_port.ts";

const NAMESPACE = "gw-system";
const CONFIGURATION = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/gw";
const TODO = `openapi: 3.1.0
info: {title: Todo, version: 1.0.0}
x-svc: {mocking: {enabled: true}}
paths:
  /todos:
    get: {responses: {"204": {description: None.}}}
`;

/** A webhook that counts its reviews. */
interface Asked extends AsyncDisposable {
  readonly webhook: WebhookServer;
  count(): number;
}

Deno.test("the API server asks the webhook, and goes on without it", async (test) => {
  // Use a separate API server: the webhook would otherwise review objects of other tests.
  await using api = await startApiServer({ own: true });
  await api.apply(...installManifests({ namespace: NAMESPACE, image: "gw", replicas: 2 }));
  await api.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
  const namespace = await api.createNamespace();
  const port = freePort();
  const url = `https://localhost:${port}${INSTALLED.webhookPath}`;
  // Make the API server call a port of this machine: nothing forwards requests to Services.
  const [webhook] = listOf((await api.request("GET", CONFIGURATION))["webhooks"]);
  await api.request("PUT", CONFIGURATION, {
    ...await api.request("GET", CONFIGURATION),
    webhooks: [{ ...webhook, clientConfig: { url } }],
  });
  const token = await api.createToken(NAMESPACE, INSTALLED.serve);

  await test.step("it refuses, with line and column", async () => {
    await using asked = await startWebhook(api, token, port);
    await asked.webhook.ready;
    await inForce(api, namespace);
    await assert.rejects(
      write(api, todo(namespace, { openapi: TODO.replace("mocking", "moking") })),
      /admission webhook "definitions\.gateway\.x-svc\.io" denied the request: The definition can't be deployed\.\n3:9: /,
    );
    await assert.rejects(
      write(api, { ...todo(namespace, { openapiGzip: "H4sIAAAA" }) }),
      /denied the request: spec\.openapiGzip can't be read/,
    );
    const text = await api.kubectl(["apply", "-f", "-"], JSON.stringify(todo(namespace, { openapi: TODO })));
    assert.match(text, /api\.gateway\.x-svc\.io\/todo created/);
  });

  await test.step("it isn't called for changes outside spec, for gw's own writes, and for deletions", async () => {
    await using asked = await startWebhook(api, token, port);
    await asked.webhook.ready;
    const path = pathOf(todo(namespace, {}));
    const merge = "application/merge-patch+json";
    await api.request("PATCH", path, { metadata: { labels: { a: "b" }, finalizers: ["example.com/x"] } }, merge);
    await api.request("PATCH", `${path}/status`, { status: { warnings: ["x"] } }, merge);
    await api.request("DELETE", path);
    await api.request("PATCH", path, { metadata: { finalizers: null } }, merge);
    const client = await clientOf(api, token);
    await client.create(
      { apiVersion: API_VERSION, kind: "API", plural: "apis" },
      todo(namespace, { openapi: "checked already" }),
    );
    client.close();
    assert.equal(asked.count(), 0);
    await assert.rejects(api.request("PATCH", path, { spec: { openapi: "another" } }, merge), /denied the request/);
    assert.equal(asked.count(), 1);
  });

  await test.step("two replicas have one certificate", async () => {
    await using first = await startWebhook(api, token, port);
    await using second = await startWebhook(api, token, freePort());
    await Promise.all([first.webhook.ready, second.webhook.ready]);
    const { data } = await api.request("GET", `/api/v1/namespaces/${NAMESPACE}/secrets/${INSTALLED.webhookSecret}`);
    assert.deepEqual(Object.keys(Object(data)).toSorted(), ["ca.crt", "tls.crt", "tls.key"]);
    const [webhook] = listOf((await api.request("GET", CONFIGURATION))["webhooks"]);
    assert.equal(Object(webhook).clientConfig.caBundle, Object(data)["ca.crt"]);
  });

  await test.step("without it everything is taken", async () => {
    await write(api, { ...todo(namespace, { openapi: "no definition" }, "unchecked") });
  });
});

/** Waits until the API server calls the webhook. */
async function inForce(api: ApiServer, namespace: string): Promise<void> {
  const bad = todo(namespace, { openapi: "no definition" }, "probe");
  await until(async () => {
    const response = await api.fetch(`${pathOf(bad).replace(/\/probe$/, "")}?dryRun=All`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(bad),
    });
    await response.body?.cancel();
    return response.status === 422;
  }, { what: "the webhook" });
}

async function startWebhook(api: ApiServer, token: string, port: number): Promise<Asked> {
  const client = await clientOf(api, token);
  const admit = createAdmissionHandler({
    gateway: { plansOf: () => [], oauth2: true },
    services: {},
    fleets: () => [],
    labelsOf: () => undefined,
    defaultFleet: () => ({ namespace: "default", name: "default" }),
  });
  let count = 0;
  const webhook = serveWebhook({
    client,
    namespace: NAMESPACE,
    host: "127.0.0.1",
    port,
    handler(request) {
      count++;
      return admit(request);
    },
    log: { note: () => {}, complain: (message) => assert.fail(String(message)) },
    now: () => Date.now(),
  });
  return {
    webhook,
    count: () => count,
    async [Symbol.asyncDispose]() {
      webhook.shutdown();
      await webhook.finished;
      client.close();
    },
  };
}

/** Makes a client with the rights of a token. */
async function clientOf(api: ApiServer, token: string): Promise<KubeClient> {
  const kubeconfig = await Deno.makeTempFile({ dir: api.folder });
  await Deno.writeTextFile(kubeconfig, JSON.stringify(kubeconfigOf(api.folder, api.url, { account: { token } })));
  return await createKubeClient({ kubeconfig });
}

function todo(namespace: string, spec: object, name = "todo"): KubernetesObject {
  return { apiVersion: API_VERSION, kind: "API", metadata: { name, namespace }, spec };
}

async function write(api: ApiServer, object: KubernetesObject): Promise<void> {
  await api.request("POST", pathOf(object).replace(/\/[^/]+$/, ""), object);
}

function pathOf({ metadata: { namespace, name } }: KubernetesObject): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/apis/${name}`;
}

function listOf(value: unknown): object[] {
  return Array.isArray(value) ? value : [];
}
