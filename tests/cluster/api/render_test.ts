/**
 * A real API server with the CRDs and their validation rules accepts rendered objects.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Fleet, renderFleet } from "../../../lib/cluster/translate/fleet.ts";
import { renderGatewayApi } from "../../../lib/cluster/translate/render.ts";
import { startApiServer } from "../support/api_server.ts";
import { planOf } from "../support/render.ts";

const SHOP = await Deno.readTextFile(new URL("../../data/render/shop.yaml", import.meta.url));

Deno.test("the API server takes a plan with everything in it, open and closed", async () => {
  await using api = await startApiServer();
  const namespace = await api.createNamespace();
  const plan = await planOf(namespace, "shop", SHOP);
  for (const isOpen of [true, false]) {
    const { objects, diagnostics } = renderGatewayApi(plan, {
      gateway: plan.fleet,
      profile: "envoy-gateway",
      isOpen: () => isOpen,
    });
    assert.deepEqual(diagnostics, []);
    await api.apply(...objects);
  }
});

Deno.test("the API server takes conditions of path keys", async () => {
  await using api = await startApiServer();
  const namespace = await api.createNamespace();
  const keys = ["/?Action=A", "/?Action=B&Version=2", "/x#X-Target=Shop.List", "/x?beta", "/x?a=b%20c/d", "/x?empty="];
  const operation = { put: { responses: { 200: { description: "Fine." } } } };
  const definition = {
    openapi: "3.1.0",
    info: { title: "Actions", version: "1.0" },
    "x-svc": { upstream: { service: { name: "actions" } } },
    paths: Object.fromEntries(keys.map((key) => [key, operation])),
  };
  const plan = await planOf(namespace, "actions", JSON.stringify(definition));
  const { objects, diagnostics } = renderGatewayApi(plan, { gateway: plan.fleet, profile: "envoy-gateway" });
  assert.deepEqual(diagnostics, []);
  await api.apply(...objects);
});

Deno.test("the API server takes fleets", async (test) => {
  await using api = await startApiServer();
  const namespace = await api.createNamespace();
  const mocks = { name: "gw-mock", namespace, port: 8080, checkPort: 8081 };
  const certificateRefs = [{ name: "wildcard" }];
  const specs: Fleet["spec"][] = [
    {},
    { profile: "portable", gatewayClassName: "other", service: { annotations: { a: "b" } } },
    { gateway: { name: "theirs", namespace: "gateways" } },
    {
      service: {
        type: "ClusterIP",
        ports: [{ port: 80 }, { name: "extra", port: 9090, protocol: "TCP", nodePort: 0 }],
      },
    },
    {
      replicas: 3,
      tls: { certificateRefs },
      service: { type: "LoadBalancer", annotations: { a: "b" }, ports: [{ port: 80 }, { port: 443, nodePort: 30443 }] },
    },
  ];
  for (const [index, spec] of specs.entries()) {
    await test.step(JSON.stringify(spec), async () => {
      await api.apply(...renderFleet({ name: `edge-${index}`, namespace, spec }, { mocks, namespaces: [namespace] }));
    });
  }
});
