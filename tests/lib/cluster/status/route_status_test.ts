import assert from "node:assert/strict";
import type { KubernetesObject, StatusCondition } from "../../../../lib/cluster/object.ts";
import {
  acceptedWarnings,
  isAwaitingGateway,
  type RouteFacts,
  routeStatus,
} from "../../../../lib/cluster/status/route_status.ts";

const gateway = { namespace: "edge", name: "edge" };
const accepted = { kind: "accepted", fleet: "edge/edge" } as const;

function condition(type: string, status: StatusCondition["status"] = "True", reason = type): StatusCondition {
  return { type, status, reason, message: `${type} is ${status}.`, observedGeneration: 1 };
}

function route(name: string, ...conditions: StatusCondition[]): { name: string; object: KubernetesObject } {
  const { apiVersion, kind } = { apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute" };
  const status = { parents: [{ parentRef: { ...gateway }, conditions }] };
  return { name, object: { apiVersion, kind, metadata: { name, namespace: "shop", generation: 1 }, status } };
}

const FINE = route("todo.0", condition("Accepted"), condition("ResolvedRefs"));

function facts(difference: Partial<NonNullable<RouteFacts["deployment"]>> = {}): RouteFacts {
  const counts = { mocked: 1, proxied: 2, disabled: 0 };
  const deployment = { gateway, counts, routes: [FINE], waits: [], leftovers: [], obstacles: [], ...difference };
  return { generation: 3, acceptance: accepted, deployment, warnings: [] };
}

const cases: { name: string; facts: RouteFacts; want: Record<string, string> }[] = [
  {
    name: "all is well",
    facts: facts(),
    want: { Accepted: "True Accepted", Programmed: "True Programmed", ResolvedRefs: "True ResolvedRefs" },
  },
  {
    name: "the definition is refused, and nothing was there before",
    facts: { generation: 3, acceptance: { kind: "refused", reason: "Invalid", message: "3:5: No." }, warnings: [] },
    want: { Accepted: "False Invalid", Programmed: "False NotAccepted", ResolvedRefs: "Unknown Pending" },
  },
  {
    name: "the definition is refused, and what was there before stays",
    facts: { ...facts(), acceptance: { kind: "refused", reason: "Conflicted", message: "Taken." } },
    want: { Accepted: "False Conflicted", Programmed: "True Programmed" },
  },
  {
    name: "a route isn't there yet",
    facts: facts({ routes: [FINE, { name: "todo.1", object: undefined }] }),
    want: { Programmed: "False Pending", ResolvedRefs: "Unknown Pending" },
  },
  {
    name: "a route is refused",
    facts: facts({ routes: [route("todo.0", condition("Accepted", "False", "NotAllowedByListeners"))] }),
    want: { Programmed: "False NotAllowedByListeners" },
  },
  {
    name: "a part of a route is refused",
    facts: facts({
      routes: [route("todo.0", condition("Accepted"), condition("PartiallyInvalid", "True", "UnsupportedValue"))],
    }),
    want: { Programmed: "False UnsupportedValue" },
  },
  {
    name: "a Service isn't there",
    facts: facts({
      routes: [route("todo.0", condition("Accepted"), condition("ResolvedRefs", "False", "BackendNotFound"))],
    }),
    want: { Programmed: "True Programmed", ResolvedRefs: "False BackendNotFound" },
  },
  {
    name: "a protected route waits",
    facts: facts({ waits: [{ group: "todo.auth", reason: "its policies are not there yet" }] }),
    want: { Accepted: "True Accepted", Programmed: "False WaitingForProtection" },
  },
  {
    name: "an earlier route is still there",
    facts: facts({ leftovers: ["todo.9"] }),
    want: { Programmed: "False Pending" },
  },
  {
    name: "an object can't be written",
    facts: facts({ obstacles: ["It is somebody else's."] }),
    want: { Programmed: "False NotWritten" },
  },
];

for (const { name, facts, want } of cases) {
  Deno.test(`routeStatus() when ${name}`, () => {
    const { conditions = [], observedGeneration } = routeStatus(facts);
    const said = Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
    for (const [type, value] of Object.entries(want)) assert.equal(said[type], value, type);
    assert.ok(conditions.every((condition) => condition.observedGeneration === observedGeneration));
  });
}

Deno.test("acceptedWarnings() reads only the status of the present generation", () => {
  const object = (generation: number, status: StatusCondition["status"]): KubernetesObject => ({
    apiVersion: "gateway.x-svc.io/v1alpha1",
    kind: "API",
    metadata: { name: "todo", namespace: "shop", generation },
    status: { conditions: [condition("Accepted", status)], warnings: ["Doubtful."] },
  });
  assert.deepEqual(acceptedWarnings(object(1, "True")), ["Doubtful."]);
  assert.equal(acceptedWarnings(object(2, "True")), undefined);
  assert.equal(acceptedWarnings(object(1, "False")), undefined);
});

Deno.test("routeStatus() says whether the last accepted spec survives a restart", () => {
  const { conditions = [] } = routeStatus({
    ...facts(),
    acceptance: { kind: "refused", reason: "Invalid", message: "It is broken." },
    forgotten: "It is too large.",
  });
  const accepted = conditions.find(({ type }) => type === "Accepted");
  assert.equal(
    accepted?.message,
    "It is broken. What was deployed before stays in force until gw restarts: It is too large.",
  );
});

Deno.test("routeStatus() doesn't say that nothing is there while routes of an earlier state are", () => {
  const refused = { kind: "refused", reason: "FleetNotFound", message: "There is no fleet edge/edge." } as const;
  const { conditions = [], routes } = routeStatus({
    generation: 3,
    acceptance: refused,
    warnings: [],
    kept: ["todo.0"],
  });
  const [accepted, programmed, resolved] = conditions.map(({ message }) => message);
  assert.equal(accepted, "There is no fleet edge/edge. What was deployed before stays in force.");
  assert.equal(programmed, "What was deployed before stays in force: see Accepted.");
  assert.equal(resolved, "Nothing new of it is in force.");
  assert.deepEqual(routes, ["todo.0"]);
});

Deno.test("isAwaitingGateway() tells a status that only waits for the gateway from one with an error", () => {
  const waiting = facts({ routes: [{ name: "todo.0", object: undefined }] });
  assert.equal(isAwaitingGateway(routeStatus(waiting)), true);
  assert.equal(isAwaitingGateway(routeStatus(facts())), false);
  assert.equal(isAwaitingGateway(routeStatus(facts({ waits: [{ group: "a", reason: "It waits" }] }))), false);
  const refused: RouteFacts = { ...waiting, acceptance: { kind: "refused", reason: "Invalid", message: "No." } };
  assert.equal(isAwaitingGateway(routeStatus(refused)), false);
});
