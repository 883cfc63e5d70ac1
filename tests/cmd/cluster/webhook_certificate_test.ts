import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { type KubeClient, KubeError } from "../../../cmd/cluster/client.ts";
import { shareCertificate, trustCertificate } from "../../../cmd/cluster/webhook_certificate.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";

const DAY = 24 * 60 * 60 * 1000;
const START = Date.parse("2026-01-02T03:04:05Z");
const NAMES = ["gw.gw-system.svc", "127.0.0.1"];

/** A fake cluster with one object, which refuses writes with another `resourceVersion` than the object's. */
function clusterWith(object: KubernetesObject | undefined): {
  client: Pick<KubeClient, "get" | "replace" | "apply">;
  object: () => KubernetesObject;
  writes: () => number;
} {
  let present = object === undefined
    ? undefined
    : { ...object, metadata: { ...object.metadata, resourceVersion: "1" } };
  let writes = 0;
  return {
    object: () => present ?? assert.fail("There is no object"),
    writes: () => writes,
    client: {
      get: () => Promise.resolve(present),
      replace(_type, wanted) {
        if (wanted.metadata.resourceVersion !== present?.metadata.resourceVersion) {
          return Promise.reject(new KubeError(409, "Conflict", "It has changed."));
        }
        writes++;
        present = { ...wanted, metadata: { ...wanted.metadata, resourceVersion: String(writes + 1) } };
        return Promise.resolve(present);
      },
      apply(_type, wanted) {
        writes++;
        present = { ...wanted, metadata: { ...wanted.metadata, resourceVersion: String(writes + 1) } };
        return Promise.resolve(present);
      },
    },
  };
}

const SECRET: KubernetesObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "gw-webhook", namespace: "gw-system", labels: { a: "b" } },
};

function share(client: Pick<KubeClient, "get" | "replace">, days = 0): ReturnType<typeof shareCertificate> {
  return shareCertificate({ client, namespace: "gw-system", names: NAMES, now: () => START + days * DAY });
}

Deno.test("shareCertificate() makes a certificate once, for all replicas", async () => {
  const { client, object, writes } = clusterWith(SECRET);
  const [first, second, third] = await Promise.all([share(client), share(client), share(client)]);
  assert.equal(writes(), 1);
  assert.deepEqual(second, first);
  assert.deepEqual(third, first);
  assert.deepEqual(object().metadata.labels, { a: "b" });
  const certificate = new X509Certificate(first?.tls.cert ?? "");
  assert.equal(certificate.ca, false);
  assert.ok(Date.parse(certificate.validFrom) < START && Date.parse(certificate.validTo) > START + 360 * DAY);
});

Deno.test("shareCertificate() renews the certificate in time, and the one before stays trusted", async () => {
  const { client, writes } = clusterWith(SECRET);
  const first = await share(client);
  assert.deepEqual(await share(client, 200), first);
  const second = await share(client, 250);
  assert.equal(writes(), 2);
  assert.notEqual(second.tls.cert, first.tls.cert);
  assert.equal(second.trusted, `${second.tls.cert.trimEnd()}\n${first.tls.cert}`);
  const third = await share(client, 900);
  assert.equal(third.trusted, third.tls.cert);
});

Deno.test("shareCertificate() makes a new certificate where the Secret has none", async () => {
  const { client } = clusterWith({ ...SECRET, data: { "tls.crt": "eA==", "tls.key": "eA==", other: "eQ==" } });
  assert.match((await share(client)).tls.cert, /BEGIN CERTIFICATE/);
});

Deno.test("shareCertificate() says which Secret is missing", async () => {
  await assert.rejects(share(clusterWith(undefined).client), {
    status: 404,
    message: "There is no Secret gw-system/gw-webhook; gw manifests --only serve prints it.",
  });
});

Deno.test("trustCertificate() writes caBundle once", async () => {
  const { client, object, writes } = clusterWith({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "gw" },
    webhooks: [{ name: "definitions.gateway.x-svc.io", clientConfig: { service: { name: "gw" } } }],
  });
  assert.equal(await trustCertificate(client, { trusted: "PEM" }), true);
  assert.deepEqual(object()["webhooks"], [{
    name: "definitions.gateway.x-svc.io",
    clientConfig: { caBundle: "UEVN" },
  }]);
  assert.equal(await trustCertificate(client, { trusted: "PEM" }), true);
  assert.equal(writes(), 1);
});

Deno.test("trustCertificate() does nothing without a ValidatingWebhookConfiguration", async () => {
  assert.equal(await trustCertificate(clusterWith(undefined).client, { trusted: "PEM" }), false);
});
