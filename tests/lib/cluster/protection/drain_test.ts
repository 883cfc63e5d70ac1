import assert from "node:assert/strict";
import { drainTimeOf, envoyProxyOf } from "../../../../lib/cluster/protection/drain.ts";
import type { KubernetesObject } from "../../../../lib/cluster/object.ts";

function object(spec: unknown): KubernetesObject {
  return { apiVersion: "v1", kind: "EnvoyProxy", metadata: { name: "edge", namespace: "edge" }, spec };
}

for (
  const [drainTimeout, want] of [
    ["10s", 10_000],
    ["1m30s", 90_000],
    ["500ms", 500],
    ["1h", 3_600_000],
    ["soon", 60_000],
    [undefined, 60_000],
  ] as const
) {
  Deno.test(`drainTimeOf() reads ${drainTimeout}`, () => {
    assert.equal(drainTimeOf(object({ shutdown: { drainTimeout } })), want);
  });
}

Deno.test("drainTimeOf() is Envoy Gateway's own without an EnvoyProxy", () =>
  assert.equal(drainTimeOf(undefined), 60_000));

Deno.test("envoyProxyOf() reads the reference of a Gateway, and of a GatewayClass", () => {
  const parametersRef = { group: "gateway.envoyproxy.io", kind: "EnvoyProxy", name: "edge" };
  assert.deepEqual(envoyProxyOf(object({ infrastructure: { parametersRef } })), { namespace: "edge", name: "edge" });
  const away = { ...parametersRef, namespace: "system" };
  assert.deepEqual(envoyProxyOf(object({ parametersRef: away })), { namespace: "system", name: "edge" });
  assert.equal(envoyProxyOf(object({})), undefined);
  assert.equal(envoyProxyOf(object({ parametersRef: { kind: "ConfigMap", name: "edge" } })), undefined);
});
