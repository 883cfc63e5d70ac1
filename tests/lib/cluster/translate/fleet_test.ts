import assert from "node:assert/strict";
import { type Fleet, renderFleet } from "../../../../lib/cluster/translate/fleet.ts";
import type { KubernetesObject } from "../../../../lib/cluster/object.ts";
import { FLEET, planOf } from "./rendering_support.ts";

function fleetOf(spec: Fleet["spec"]): Fleet {
  return { ...FLEET, spec };
}

function find(objects: readonly KubernetesObject[], kind: string): JsonSpec {
  return Object(objects.find((object) => object.kind === kind)?.spec);
}

// deno-lint-ignore no-explicit-any
type JsonSpec = any;

Deno.test("renderFleet() makes a Gateway with a listener for each port, and its proxies", () => {
  const objects = renderFleet(fleetOf({
    replicas: 3,
    tls: { certificateRefs: [{ name: "wildcard" }] },
    service: {
      type: "NodePort",
      annotations: { a: "b" },
      ports: [{ name: "web", port: 80 }, { port: 443, nodePort: 30443 }, { name: "", port: 9090, targetPort: 0 }],
    },
  }));
  assert.deepEqual(objects.map(({ kind }) => kind), ["EnvoyProxy", "Gateway", "ClientTrafficPolicy"]);
  assert.deepEqual(
    find(objects, "Gateway").listeners.map((
      { name, port, protocol, tls }: JsonSpec,
    ) => [name, port, protocol, tls?.mode]),
    [["web", 80, "HTTP", undefined], ["https-443", 443, "HTTPS", "Terminate"], ["http-9090", 9090, "HTTP", undefined]],
  );
  const { provider: { kubernetes }, shutdown } = find(objects, "EnvoyProxy");
  assert.deepEqual(shutdown, { drainTimeout: "10s" });
  assert.deepEqual(kubernetes.envoyDeployment, { replicas: 3 });
  assert.equal(kubernetes.envoyService.type, "NodePort");
  assert.deepEqual(kubernetes.envoyService.patch.value, { spec: { ports: [{ port: 443, nodePort: 30443 }] } });
});

Deno.test("renderFleet() has Envoy believe trusted proxies, and nobody by default", () => {
  for (
    const [spec, want] of [
      [{}, undefined],
      [{ trustedProxies: ["10.0.0.0/8", "fd00::/8"] }, { xForwardedFor: { trustedCIDRs: ["10.0.0.0/8", "fd00::/8"] } }],
    ] satisfies [Fleet["spec"], unknown][]
  ) {
    const fleet = fleetOf(spec);
    assert.deepEqual(find(renderFleet(fleet), "ClientTrafficPolicy").clientIPDetection, want);
  }
});

Deno.test("renderFleet() attaches to an existing Gateway", async () => {
  const plan = await planOf("pets", { validation: { request: { enabled: true } } }, { "PUT /a": {} });
  const objects = renderFleet(fleetOf({ gateway: { name: "public", namespace: "theirs" } }), { plans: [plan] });
  assert.deepEqual(objects.map(({ kind }) => kind), ["ReferenceGrant", "SecurityPolicy", "HTTPRoute"]);
  assert.deepEqual(find(objects, "HTTPRoute").parentRefs, [{ name: "public", namespace: "theirs" }]);
});

Deno.test("renderFleet() has no shared policy for a namespace without validated operations", async () => {
  const auth = { custom: { service: { name: "authz" } } };
  const plans = [
    await planOf("open", {}, { "PUT /a": {} }),
    // Such operations have a policy of their own.
    await planOf("own", { auth, validation: { request: { enabled: true } } }, { "PUT /b": {} }),
    await planOf("mocked", { mocking: { enabled: true }, validation: { request: { enabled: true } } }, {
      "PUT /c": {},
    }),
  ];
  const kinds = renderFleet(fleetOf({ gateway: { name: "public" } }), { plans }).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["ReferenceGrant"]);
});

Deno.test("renderFleet() grants the namespaces of a fleet the Service of the mocks only", () => {
  const grants = renderFleet(fleetOf({}), { namespaces: ["b", "a", "b"] }).filter(({ kind }) =>
    kind === "ReferenceGrant"
  );
  assert.deepEqual(grants.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`), [
    "gw-system/gw.infra.edge.a",
    "gw-system/gw.infra.edge.b",
  ]);
  for (const { spec } of grants) assert.deepEqual(Object(spec).to, [{ group: "", kind: "Service", name: "gw-mock" }]);
});

Deno.test("renderFleet() has a keeper route for the shared validation policy", async () => {
  const plan = await planOf("pets", { validation: { request: { enabled: true } } }, { "PUT /a": {} });
  const [policy, keeper] = renderFleet(fleetOf({}), { plans: [plan] }).filter(({ metadata }) =>
    metadata.name === "gw-check.infra.edge"
  );
  const { targetSelectors: [selector], extAuth } = Object(policy?.spec);
  const labels = keeper?.metadata.labels ?? {};
  for (const [label, value] of Object.entries(selector.matchLabels)) assert.equal(labels[label], value);
  assert.equal(extAuth.http.path, "/check/infra/edge");
  assert.equal(extAuth.failOpen, undefined);
  assert.deepEqual(extAuth.bodyToExtAuth, { maxRequestBytes: 10485760 });
});

Deno.test("renderFleet() keeps to the standard channel in the portable profile", () => {
  const objects = renderFleet(fleetOf({ profile: "portable", gatewayClassName: "any" }), { namespaces: ["shop"] });
  assert.deepEqual(objects.map(({ kind }) => kind), ["Gateway", "ReferenceGrant"]);
  assert.ok(objects.every(({ apiVersion }) => apiVersion.startsWith("gateway.networking.k8s.io/")));
  assert.doesNotMatch(JSON.stringify(objects), /envoyproxy/);
});

Deno.test("renderFleet() passes the allowed namespaces of a fleet to its listeners", () => {
  const selector = { matchLabels: { team: "a" } };
  const cases: [Fleet["spec"]["allowedNamespaces"], object][] = [
    [undefined, { from: "All" }],
    [{ from: "All" }, { from: "All" }],
    [{ from: "Same", selector }, { from: "Same" }],
    [{}, { from: "Same" }],
    [{ from: "Selector", selector }, { from: "Selector", selector }],
  ];
  for (const [allowedNamespaces, namespaces] of cases) {
    for (const profile of ["envoy-gateway", "portable"] as const) {
      const spec = allowedNamespaces === undefined ? { profile } : { profile, allowedNamespaces };
      const { listeners: [listener] } = find(renderFleet(fleetOf(spec)), "Gateway");
      assert.deepEqual(listener.allowedRoutes, { namespaces });
    }
  }
});
