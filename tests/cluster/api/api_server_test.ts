/**
 * Tests the API server that the other tests in this folder use.
 *
 * @module
 */
import assert from "node:assert/strict";
import { startApiServer } from "../support/api_server.ts";

Deno.test("the API server knows the Gateway API, and keeps what is applied", async () => {
  await using api = await startApiServer();
  const namespace = await api.createNamespace();
  const route = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { namespace, name: "todo" },
    spec: { hostnames: ["api.example.com"] },
  };
  await api.apply(route);
  const kept = await api.read(route);
  assert.deepEqual(Object(kept?.spec).hostnames, ["api.example.com"]);
  await assert.rejects(api.apply({ ...route, spec: { hostnames: ["-"] } }), /422.*hostnames\[0\]/);
  await api.delete(route);
  assert.equal(await api.read(route), undefined);
});

Deno.test("the API server tells users apart", async () => {
  await using api = await startApiServer();
  const namespace = await api.createNamespace();
  const path = `/api/v1/namespaces/${namespace}/services`;
  assert.equal(await statusFor(api.tokens.admin), 200);
  assert.equal(await statusFor(api.tokens.nobody), 403);
  assert.equal(await statusFor(await api.createToken(namespace, "gw")), 403);
  assert.equal(await statusFor("unknown"), 401);
  const kubeconfig = await api.createUser("jane", ["authors"]);
  const whoami = await api.kubectl(["--kubeconfig", kubeconfig, "auth", "whoami", "-o", "json"]);
  assert.equal(JSON.parse(whoami).status.userInfo.username, "jane");

  async function statusFor(token: string): Promise<number> {
    using client = Deno.createHttpClient({ caCerts: [await Deno.readTextFile(`${api.folder}/pki/ca.crt`)] });
    const response = await fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${token}` }, client });
    await response.body?.cancel();
    return response.status;
  }
});

Deno.test("an API server of one's own can be stopped and started again", async () => {
  await using api = await startApiServer({ own: true });
  const namespace = await api.createNamespace();
  await api.stop();
  await assert.rejects(api.fetch("/readyz"));
  await api.start();
  assert.equal((await api.request("GET", `/api/v1/namespaces/${namespace}`)).metadata.name, namespace);
});
