/**
 * Tests the stack that the other tests in this folder use, with handwritten routes.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { ask } from "../support/ask.ts";
import { GATEWAY_CLASS, takeStack } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { serviceObjects, startUpstream } from "../support/upstream.ts";
import { freePort } from "../../free_port.ts";

Deno.test("a route written by hand is served by a real Envoy, whatever else is away", async (t) => {
  await using stack = await takeStack();
  await using a = startUpstream("a");
  await using b = startUpstream("b");
  const { api } = stack;
  const namespace = await api.createNamespace();
  const gateway = gatewayIn(namespace);
  await api.apply(gateway, ...serviceObjects({ namespace, name: "todo", endpoints: [a] }), routeTo(namespace, "todo"));
  const port = await stack.portOf({ namespace, name: "edge" });

  await t.step("the upstream gets the request", async () => {
    const echo = await until(() => echoOf(port));
    assert.equal(echo.upstream, "a");
    assert.equal(echo.url, "/v1/%7Bx%7D?a=b");
    assert.equal(echo.headers["x-rule"], "todo");
    assert.equal((await ask(port, { host: "other.example.com" })).status, 404);
  });

  await t.step("a changed EndpointSlice sends requests elsewhere", async () => {
    await api.apply(...serviceObjects({ namespace, name: "todo", endpoints: [b] }));
    await until(async () => (await echoOf(port))?.upstream === "b");
  });

  await t.step("Envoy Gateway and the API server go away and come back", async () => {
    await stack.order("envoy-gateway", "kill");
    await stack.order("api-server", "stop");
    assert.equal((await echoOf(port))?.upstream, "b");
    await stack.order("api-server", "start");
    await stack.order("envoy-gateway", "start");
    await api.apply(...serviceObjects({ namespace, name: "todo", endpoints: [a] }));
    await until(async () => (await echoOf(port))?.upstream === "a", { within: 30_000 });
    assert.doesNotMatch(await stack.logOfEnvoys(), /rejected/);
  });
});

/** The request as the upstream got it; `undefined` while no route leads to the upstream. */
async function echoOf(
  port: number,
): Promise<{ upstream: string; url: string; headers: Record<string, string> } | undefined> {
  const reply = await ask(port, { host: "api.example.com", path: "/v1/%7Bx%7D?a=b" });
  return reply.status === 200 ? Object(reply.json()) : undefined;
}

/** A Gateway with one listener, and the EnvoyProxy with the settings of its proxies. */
function gatewayIn(namespace: string): KubernetesObject {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: { namespace, name: "edge" },
    spec: {
      gatewayClassName: GATEWAY_CLASS,
      listeners: [{ name: "http", port: freePort(), protocol: "HTTP" }],
    },
  };
}

/** A route from api.example.com to a Service. */
function routeTo(namespace: string, service: string): KubernetesObject {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { namespace, name: service },
    spec: {
      parentRefs: [{ name: "edge" }],
      hostnames: ["api.example.com"],
      rules: [{
        name: "todo",
        matches: [{ path: { type: "PathPrefix", value: "/v1" } }],
        filters: [{
          type: "RequestHeaderModifier",
          requestHeaderModifier: { set: [{ name: "x-rule", value: "todo" }] },
        }],
        backendRefs: [{ name: service, port: 80 }],
      }],
    },
  };
}
