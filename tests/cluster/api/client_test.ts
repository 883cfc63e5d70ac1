/**
 * gw's Kubernetes client and informers with a real API server: TLS, credentials, restarts of the server.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type KubeClient, KubeError, type ResourceType } from "../../../cmd/cluster/client.ts";
import { createKubeClient } from "../../../cmd/cluster/http_client.ts";
import { createInformer } from "../../../cmd/cluster/informer.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { type ApiServer, startApiServer } from "../support/api_server.ts";
import { until } from "../support/until.ts";

const CONFIG_MAP: ResourceType = { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps" };
const SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

Deno.test("a client authenticates as the user of the kubeconfig", async (t) => {
  await using server = await startApiServer();
  const folder = await Deno.makeTempDir();
  const credential = { kind: "ExecCredential", status: { token: server.tokens.nobody } };
  const command = {
    command: Deno.execPath(),
    args: ["eval", `console.log(${JSON.stringify(JSON.stringify(credential))})`],
  };
  const exec = { apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Never", ...command };
  const certificate = {
    "client-certificate": `${server.folder}/pki/admin.crt`,
    "client-key": `${server.folder}/pki/admin.key`,
  };
  const unverified = { "insecure-skip-tls-verify": true, "certificate-authority": undefined };
  const table: [what: string, user: unknown, cluster: object, want: string][] = [
    ["a token", { token: server.tokens.nobody }, {}, "nobody"],
    ["a program", { exec }, {}, "nobody"],
    ["nobody", {}, {}, "refused"],
    [
      "another name of the server",
      { token: server.tokens.admin },
      { "tls-server-name": "kubernetes.default.svc" },
      "admin",
    ],
    [
      "a name that isn't the server's",
      { token: server.tokens.admin },
      { "tls-server-name": "example.com" },
      "unreachable",
    ],
    [
      "an authority that isn't the server's",
      { token: server.tokens.admin },
      { "certificate-authority": undefined },
      "unreachable",
    ],
    ["a server that isn't looked at", { token: server.tokens.admin }, unverified, "admin"],
    ["a certificate for it", certificate, { ...unverified, "tls-server-name": "example.com" }, "admin"],
  ];
  try {
    await t.step("a certificate", async () => {
      assert.equal(await whoAmI({ kubeconfig: server.kubeconfig }), "admin");
      assert.equal(await whoAmI({ kubeconfig: await server.createUser("jane") }), "jane");
    });
    await t.step("another context", async () => {
      assert.equal(await whoAmI({ kubeconfig: server.kubeconfig, context: "nobody" }), "nobody");
    });
    for (const [what, user, cluster, want] of table) {
      await t.step(what, async () => {
        const kubeconfig = `${folder}/kubeconfig`;
        await Deno.writeTextFile(kubeconfig, JSON.stringify(kubeconfigOf(server, user, cluster)));
        assert.equal(await whoAmI({ kubeconfig }), want);
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a client makes, changes and deletes objects under conditions", async () => {
  await using server = await startApiServer();
  const namespace = await server.createNamespace();
  const client = await createKubeClient({ kubeconfig: server.kubeconfig });
  try {
    const made = await client.create(CONFIG_MAP, configMap(namespace, "a", { x: "1" }));
    await refused(client.create(CONFIG_MAP, configMap(namespace, "a", {})), 409, "AlreadyExists");
    assert.equal((await client.create(CONFIG_MAP, configMap(namespace, "b", {}), { dryRun: true })).metadata.name, "b");
    assert.equal(await client.get(CONFIG_MAP, namespace, "b"), undefined);
    const patched = await client.patch(CONFIG_MAP, namespace, "a", { data: { y: "2" } });
    assert.deepEqual(patched["data"], { x: "1", y: "2" });
    await refused(client.replace(CONFIG_MAP, made), 409, "Conflict");
    const { resourceVersion = "" } = made.metadata;
    await refused(client.delete(CONFIG_MAP, namespace, "a", { preconditions: { resourceVersion } }), 409, "Conflict");
    // Applying without a field removes it if gw owned it. Fields of other managers stay.
    await client.apply(CONFIG_MAP, configMap(namespace, "c", { mine: "1", old: "1" }));
    await client.apply(CONFIG_MAP, configMap(namespace, "c", { theirs: "1" }), { fieldManager: "jane" });
    const applied = await client.apply(CONFIG_MAP, configMap(namespace, "c", { mine: "2" }));
    assert.deepEqual(applied["data"], { mine: "2", theirs: "1" });
    assert.deepEqual((await client.list(CONFIG_MAP, namespace)).items.map(({ metadata: { name } }) => name), [
      "a",
      "c",
    ]);
    assert.equal(await client.delete(CONFIG_MAP, namespace, "a"), true);
    assert.equal(await client.delete(CONFIG_MAP, namespace, "a"), false);
  } finally {
    client.close();
  }
});

Deno.test("an informer follows objects through a restart of the API server", async () => {
  await using server = await startApiServer({ own: true });
  const namespace = await server.createNamespace();
  const client = await createKubeClient({ kubeconfig: server.kubeconfig });
  const errors: unknown[] = [];
  const informer = createInformer(client, CONFIG_MAP, { namespace, onError: (error) => errors.push(error) });
  try {
    await informer.synced;
    await apply(client, namespace, "a");
    await until(() => informer.get(namespace, "a"));
    await server.stop();
    assert.ok(informer.get(namespace, "a"));
    await server.start();
    // This write comes between the informer's list and its watch: the informer must not miss it.
    await server.delete(configMap(namespace, "a", {}));
    await server.apply(configMap(namespace, "b", {}));
    await until(() => informer.get(namespace, "b") !== undefined && informer.get(namespace, "a") === undefined);
    assert.ok(errors.every((error) => error instanceof KubeError), errors.join());
  } finally {
    informer.stop();
    client.close();
  }
});

/** The user name that the API server sees for a client, or the error. */
async function whoAmI(options: Parameters<typeof createKubeClient>[0]): Promise<string> {
  const client = await createKubeClient(options);
  try {
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    return Object(await client.request("POST", SELF, body)).status.userInfo.username;
  } catch (error) {
    assert.ok(error instanceof KubeError, String(error));
    return error.status === 0 ? "unreachable" : "refused";
  } finally {
    client.close();
  }
}

async function apply(client: KubeClient, namespace: string, name: string): Promise<void> {
  await client.apply(CONFIG_MAP, configMap(namespace, name, {}));
}

function configMap(namespace: string, name: string, data: Record<string, string>): KubernetesObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data };
}

function kubeconfigOf({ url, folder }: ApiServer, user: unknown, cluster: object): unknown {
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    clusters: [{ name: "test", cluster: { server: url, "certificate-authority": `${folder}/pki/ca.crt`, ...cluster } }],
    users: [{ name: "test", user }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
  };
}

async function refused(promise: Promise<unknown>, status: number, reason: string): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof KubeError, String(error));
    assert.deepEqual([error.status, error.reason], [status, reason], error.message);
    return true;
  });
}
