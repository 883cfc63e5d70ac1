import assert from "node:assert/strict";
import { closedRoute } from "../../../../lib/cluster/protection/protected_objects.ts";
import type { KubernetesObject } from "../../../../lib/cluster/object.ts";
import { MOCKS } from "../../../../lib/cluster/names.ts";

Deno.test("closedRoute() sends the same requests to the mocks, which answer 503", () => {
  const match = { path: { type: "Exact", value: "/secret" }, method: "GET" };
  const route: KubernetesObject = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "todo.auth", namespace: "shop", labels: { a: "b" }, uid: "1", resourceVersion: "7" },
    spec: {
      parentRefs: [{ name: "edge" }],
      hostnames: ["api.example.com"],
      rules: [{
        name: "secret",
        matches: [match],
        timeouts: { request: "5s" },
        backendRefs: [{ name: "secret", port: 80 }],
      }],
    },
    status: {},
  };
  assert.deepEqual(closedRoute(route, MOCKS), {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "todo.auth", namespace: "shop", labels: { a: "b" } },
    spec: {
      parentRefs: [{ name: "edge" }],
      hostnames: ["api.example.com"],
      rules: [{
        name: "secret",
        matches: [match],
        filters: [{
          type: "RequestHeaderModifier",
          requestHeaderModifier: { set: [{ name: "x-svc-closed", value: "todo.auth" }] },
        }],
        backendRefs: [{ name: "gw-mock", namespace: "gw-system", port: 8080 }],
      }],
    },
  });
});
