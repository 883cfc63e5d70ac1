import assert from "node:assert/strict";
import {
  acceptanceOfPolicy,
  acceptanceOfRoute,
  gatewayOfRoute,
  withTransitionTimes,
} from "../../../../lib/cluster/status/conditions.ts";
import type { KubernetesObject, StatusCondition } from "../../../../lib/cluster/object.ts";

const gateway = { namespace: "edge", name: "edge" };

function condition(status: "True" | "False", observedGeneration: number, type = "Accepted"): StatusCondition {
  return { type, status, reason: "Because", message: "It is so.", observedGeneration };
}

function route(...parents: [gateway: string, conditions: StatusCondition[]][]): KubernetesObject {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "todo-0", namespace: "shop", generation: 2 },
    spec: { parentRefs: [{ name: "edge", namespace: "edge" }] },
    status: { parents: parents.map(([name, conditions]) => ({ parentRef: { name, namespace: "edge" }, conditions })) },
  };
}

Deno.test("acceptanceOfRoute() is accepted only for the present generation, by all controllers of the Gateway", () => {
  const kind = (object: KubernetesObject): string => acceptanceOfRoute(object, gateway).kind;
  assert.equal(kind(route(["edge", [condition("True", 2)]])), "accepted");
  assert.equal(kind(route(["edge", [condition("True", 1)]])), "pending");
  assert.equal(kind(route()), "pending");
  assert.equal(kind(route(["edge", []])), "pending");
  assert.equal(kind(route(["other", [condition("True", 2)]])), "pending");
  assert.equal(kind(route(["edge", [condition("True", 2)]], ["edge", [condition("True", 1)]])), "pending");
  assert.equal(kind(route(["edge", [condition("True", 2)]], ["other", [condition("False", 2)]])), "accepted");
});

Deno.test("acceptanceOfRoute() says why a route is refused", () => {
  assert.deepEqual(acceptanceOfRoute(route(["edge", [condition("False", 2)]]), gateway), {
    kind: "refused",
    reason: "Because",
    message: "It is so.",
  });
});

Deno.test("acceptanceOfPolicy() is pending without conditions, and accepted for the present generation", () => {
  const policy = (observedGeneration?: number): KubernetesObject => ({
    apiVersion: "gateway.envoyproxy.io/v1alpha1",
    kind: "SecurityPolicy",
    metadata: { name: "todo", namespace: "shop", generation: 3 },
    ...(observedGeneration === undefined
      ? {}
      : { status: { ancestors: [{ conditions: [condition("True", observedGeneration)] }] } }),
  });
  assert.equal(acceptanceOfPolicy(policy()).kind, "pending");
  assert.equal(acceptanceOfPolicy(policy(2)).kind, "pending");
  assert.equal(acceptanceOfPolicy(policy(3)).kind, "accepted");
});

Deno.test("gatewayOfRoute() takes the route's namespace where none is named", () => {
  const object = { ...route(), spec: { parentRefs: [{ name: "edge" }] } };
  assert.deepEqual(gatewayOfRoute(object), { namespace: "shop", name: "edge" });
});

Deno.test("withTransitionTimes() keeps the time of what has the same status, whatever its reason", () => {
  const before = [
    { ...condition("True", 1), lastTransitionTime: "2026-01-01T00:00:00Z" },
    { ...condition("True", 1, "Programmed"), lastTransitionTime: "2026-01-01T00:00:00Z" },
  ];
  const after = [{ ...condition("True", 2), reason: "Other" }, condition("False", 2, "Programmed")];
  assert.deepEqual(
    withTransitionTimes(after, before, "2026-02-02T00:00:00Z").map(({ lastTransitionTime }) => lastTransitionTime),
    ["2026-01-01T00:00:00Z", "2026-02-02T00:00:00Z"],
  );
});
