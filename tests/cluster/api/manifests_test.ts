/**
 * Applies gw's manifests to a real API server.
 *
 * @module
 */
import assert from "node:assert/strict";
import { main } from "../../../main.ts";
import type { Output } from "../../../cmd/io/terminal/terminal.ts";
import { API_VERSION } from "../../../lib/cluster/names.ts";
import { type ApiServer, startApiServer } from "../support/api_server.ts";
import { until } from "../support/until.ts";

async function printed(...args: string[]): Promise<string> {
  let text = "";
  const output: Output = {
    color: false,
    waiting: 0,
    isClosed: false,
    write: (more) => void (text += more),
    flush: () => Promise.resolve(),
  };
  const code = await main(["manifests", ...args], {
    env: () => undefined,
    envNames: () => [],
    readStdin: () => Promise.reject(new Error("not used")),
    onStop: () => () => {},
    stdout: output,
    stderr: output,
  });
  assert.equal(code, 0, text);
  return text;
}

Deno.test("gw's manifests at an API server", async (test) => {
  // Use a separate API server: a webhook that nothing answers would block other tests.
  await using api = await startApiServer({ own: true });
  for (const [behaviour, check] of Object.entries(CASES)) await test.step(behaviour, () => check(api));
});

const CASES: Readonly<Record<string, (api: ApiServer) => Promise<void>>> = {
  "kubectl apply without --server-side takes it too, and changes nothing the second time": async (api) => {
    const text = await printed();
    const others = async (word: string): Promise<string[]> =>
      (await api.kubectl(["apply", "-f", "-"], text)).trim().split("\n").filter((line) => !line.endsWith(` ${word}`));
    assert.deepEqual(await others("created"), []);
    // kubectl always sends the selector of a PodDisruptionBudget, so the second apply never reports it as unchanged.
    assert.deepEqual(await others("unchanged"), [
      "poddisruptionbudget.policy/gw-serve configured",
      "poddisruptionbudget.policy/gw-mock configured",
    ]);
  },

  "kubectl apply takes all that gw manifests prints, once and again": async (api) => {
    const text = await printed();
    const apply = (): Promise<string> => api.kubectl(["apply", "--server-side", "--validate=strict", "-f", "-"], text);
    const objects = text.split(/^---$/m).length;
    for (const _ of [1, 2]) {
      const lines = (await apply()).trim().split("\n");
      assert.deepEqual(lines.filter((line) => !line.endsWith(" serverside-applied")), []);
      assert.equal(lines.length, objects);
    }
    // After the second apply, `kubectl diff` finds no difference.
    assert.equal(await api.kubectl(["diff", "--server-side", "-f", "-"], text), "");
  },

  "kubectl apply takes each part of the manifests, and other settings": async (api) => {
    const namespace = await api.createNamespace();
    for (const part of ["crds", "rbac", "serve", "mock"]) {
      const text = await printed(
        "--only",
        part,
        "--namespace",
        namespace,
        "--image",
        "example/gw:2",
        "--replicas",
        "12",
      );
      // A dry run: if they were stored, cluster-wide objects would refer to the namespace of this test.
      await api.kubectl(["apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", "-"], text);
    }
  },

  "the pods of gw are as careful as its namespace wants it": async (api) => {
    await api.kubectl(["apply", "--server-side", "-f", "-"], await printed());
    for (const name of ["gw-serve", "gw-mock"]) {
      const { template } = Object(
        (await api.request("GET", `/apis/apps/v1/namespaces/gw-system/deployments/${name}`)).spec,
      );
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { ...template.metadata, name }, spec: template.spec };
      const path = "/api/v1/namespaces/gw-system/pods?dryRun=All";
      await api.request("POST", path, pod);
      const rash = { ...pod, spec: { ...template.spec, hostNetwork: true } };
      await assert.rejects(api.request("POST", path, rash), /violates PodSecurity "restricted:latest"/);
    }
  },

  "without --force nothing else changes what the autoscaler and gw itself write": async (api) => {
    const text = await printed();
    const apply = (): Promise<string> => api.kubectl(["apply", "--server-side", "-f", "-"], text);
    await apply();
    const patch = async (path: string, fieldManager: string, object: object): Promise<void> => {
      await api.request(
        "PATCH",
        `${path}?fieldManager=${fieldManager}&force=true`,
        object,
        "application/apply-patch+yaml",
      );
    };
    const mock = "/apis/apps/v1/namespaces/gw-system/deployments/gw-mock";
    const metadata = { name: "gw-mock", namespace: "gw-system" };
    await patch(mock, "autoscaler", { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replicas: 7 } });
    const secret = "/api/v1/namespaces/gw-system/secrets/gw-webhook";
    await patch(secret, "gw-webhook", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "gw-webhook" },
      data: { a: "YQ==" },
    });
    await apply();
    assert.equal(Object((await api.request("GET", mock)).spec).replicas, 7);
    assert.deepEqual((await api.request("GET", secret)).data, { a: "YQ==" });
  },

  "the API server itself tells that a definition is large, and refuses one that is too large": async (api) => {
    await api.kubectl(["apply", "--server-side", "-f", "-"], await printed());
    const namespace = await api.createNamespace();
    const apply = (openapi: string): Promise<Response> =>
      api.fetch(`/apis/${API_VERSION}/namespaces/${namespace}/apis?dryRun=All`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ apiVersion: API_VERSION, kind: "API", metadata: { name: "x" }, spec: { openapi } }),
      });
    // An admission policy is in force only a while after it was applied, so try again.
    const warning = await until(async () => {
      const response = await apply("ä".repeat(200_000));
      await response.body?.cancel();
      assert.equal(response.status, 201);
      return response.headers.get("warning") ?? undefined;
    }, { what: "the policy gw-advice" });
    assert.match(warning, /spec\.openapi has 400000 bytes; as spec\.openapiGzip it would be kinder to etcd/);
    const refused = await until(async () => {
      const response = await apply("ä".repeat(600_000));
      return response.status === 413 ? await response.json() : (await response.body?.cancel(), undefined);
    }, { what: "the policy gw-limits" });
    assert.match(refused.message, /spec\.openapi has 1200000 bytes, more than 1048576/);
  },
};
