/**
 * `gw serve` with the arguments of its manifests, and with no more rights than its service account has.
 *
 * @module
 */
import assert from "node:assert/strict";
import { API_VERSION } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { INSTALLED } from "../../../lib/cluster/install/installation.ts";
import { installManifests } from "../../../lib/cluster/install/manifests.ts";
import { spawn } from "../../cmd/process.ts";
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

Deno.test("gw serve does all its work with the rights that its manifests give it", async (test) => {
  // Use a separate API server: the webhook would otherwise review objects of other tests.
  await using api = await startApiServer({ own: true });
  const objects = installManifests({ namespace: NAMESPACE, image: "gw", replicas: 1 });
  await api.apply(...objects);
  await api.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
  const namespace = await api.createNamespace();
  const webhookPort = freePort();
  await askAt(api, webhookPort);
  await using gw = spawn({ args: await argumentsOf(api, objects, webhookPort) });
  const [, url = ""] = await gw.until(/gateway-management-api [\d.]+ on (https?:\/\/[^\s"]+)/);
  await until(async () => (await ask("GET", "/readyz")).ok, { what: () => `readiness:\n${gw.text()}` });

  await test.step("the management API makes custom resources", async () => {
    const fleet = { namespace, name: "edge", serviceType: "ClusterIP", ports: [{ name: "http", port: 8080 }] };
    assert.equal((await ask("POST", "/fleets", fleet)).status, 200);
    const proxyFleet = { proxyFleetName: "edge", proxyFleetNamespace: namespace };
    assert.equal((await ask("POST", "/apis", { namespace, name: "todo", openapi: TODO, ...proxyFleet })).status, 201);
    const { spec } = await api.request("GET", pathOf(namespace, "todo"));
    assert.deepEqual(spec, { fleet: { name: "edge", namespace }, openapi: TODO });
  });

  await test.step("the controller makes the Gateway API's objects, and says so", async () => {
    const accepted = await until(
      async () => conditionOf(await api.request("GET", pathOf(namespace, "todo")), "Accepted"),
      {
        what: () => `the controller:\n${gw.text()}`,
      },
    );
    assert.equal(accepted.status, "True");
    const routes = await api.request("GET", `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/httproutes`);
    assert.ok(Object(routes).items.length > 0);
    const grants = await api.request(
      "GET",
      `/apis/gateway.networking.k8s.io/v1beta1/namespaces/${NAMESPACE}/referencegrants`,
    );
    assert.ok(Object(grants).items.length > 0);
  });

  await test.step("the management API shows the whole object, as the cluster has it", async () => {
    const response = await fetch(`${url}/apis/${namespace}/todo/crd`, {
      headers: { authorization: `Bearer ${api.tokens.admin}` },
    });
    const { metadata: { managedFields: _managedFields, ...metadata }, ...object } = await api.request(
      "GET",
      pathOf(namespace, "todo"),
    );
    const shown = await response.json();
    assert.deepEqual(Object.keys(shown).toSorted(), ["apiVersion", "kind", "metadata", "spec", "status"]);
    assert.equal(shown.metadata.uid, metadata.uid);
    assert.equal(shown.metadata.managedFields, undefined);
    assert.deepEqual(shown.spec, object.spec);
    assert.ok(conditionOf(shown, "Accepted"));
  });

  await test.step("the webhook knows what is deployed", async () => {
    const other = {
      apiVersion: API_VERSION,
      kind: "API",
      metadata: { namespace, name: "other" },
      spec: { fleet: { name: "edge" }, openapi: TODO },
    };
    const refusal = await until(
      () => api.kubectl(["apply", "--dry-run=server", "-f", "-"], JSON.stringify(other)).then(() => false, String),
      { what: () => `the webhook:\n${gw.text()}` },
    );
    assert.match(String(refusal), /denied the request: GET \/todos is taken by the API .*\/todo on the fleet/);
  });

  await test.step("what is deleted leaves nothing behind", async () => {
    assert.equal((await ask("DELETE", `/fleets/${namespace}/edge?cascade=true`)).status, 204);
    await until(async () => {
      const routes = await api.request("GET", `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/httproutes`);
      const gateways = await api.request("GET", `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/gateways`);
      return Object(routes).items.length === 0 && Object(gateways).items.length === 0;
    }, { what: () => `the end of what was made:\n${gw.text()}` });
  });

  await test.step("nothing was forbidden", async () => {
    gw.signal("SIGTERM");
    const { code, stdout, stderr } = await gw.ended;
    assert.equal(code, 0);
    assert.doesNotMatch(stdout + stderr, /forbidden|cannot (get|list|watch|create|patch|update|delete)/i);
  });

  async function ask(method: string, path: string, body?: object): Promise<Response> {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${api.tokens.admin}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await response.body?.cancel();
    return response;
  }
});

/** Makes the webhook configuration call a port of this machine: nothing forwards requests to Services. */
async function askAt(api: ApiServer, port: number): Promise<void> {
  const configuration = await api.request("GET", CONFIGURATION);
  const [webhook] = Array.isArray(configuration["webhooks"]) ? configuration["webhooks"] : [];
  const clientConfig = { url: `https://localhost:${port}${INSTALLED.webhookPath}` };
  await api.request("PUT", CONFIGURATION, { ...configuration, webhooks: [{ ...webhook, clientConfig }] });
}

/** The arguments of the Deployment, with ports of this machine and the token of the service account. */
async function argumentsOf(
  api: ApiServer,
  objects: readonly KubernetesObject[],
  webhookPort: number,
): Promise<string[]> {
  const deployment = objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === INSTALLED.serve);
  const written: string[] = Object(deployment?.spec).template.spec.containers[0].args;
  const others = ["--host=", "--port=", "--webhook-port="];
  const args = written.filter((arg) => !others.some((other) => arg.startsWith(other)));
  const kubeconfig = `${api.folder}/kubeconfig-of-account`;
  const token = await api.createToken(NAMESPACE, INSTALLED.serve);
  await Deno.writeTextFile(kubeconfig, JSON.stringify(kubeconfigOf(api.folder, api.url, { account: { token } })));
  // This process isn't a pod, so it runs the controller only with `--controller`.
  return [...args, "--controller", "--port=0", `--webhook-port=${webhookPort}`, `--kubeconfig=${kubeconfig}`];
}

function pathOf(namespace: string, name: string): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/apis/${name}`;
}

function conditionOf({ status }: KubernetesObject, type: string): { status: string } | undefined {
  const conditions: { type: string; status: string }[] = Object(status).conditions ?? [];
  return conditions.find((condition) => condition.type === type);
}
