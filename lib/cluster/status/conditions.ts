/**
 * Reads from conditions whether the controllers of a gateway accept an object.
 *
 * @module
 */
import { isObject } from "../../schema/node.ts";
import type { Condition, KubernetesObject } from "../object.ts";

/** Whether the controllers of a gateway accept the present generation of an object. */
export type Acceptance =
  | { kind: "accepted" }
  /**
   * No condition has the present generation as `observedGeneration`: the controllers haven't processed the last change.
   */
  | { kind: "pending" }
  | { kind: "refused"; reason: string; message: string };

/** The Gateway that a route attaches to. */
export interface GatewayName {
  readonly namespace: string;
  readonly name: string;
}

/** Reads the conditions of a status. Malformed conditions are skipped. */
export function readConditions(value: unknown): Condition[] {
  return Array.isArray(value) ? value.filter(isCondition) : [];
}

/**
 * Returns the conditions of a route for a Gateway: one list for each controller and listener that has reported them.
 */
export function parentsOf(route: KubernetesObject, gateway: GatewayName): Condition[][] {
  const parents = isObject(route.status) ? route.status["parents"] : undefined;
  if (!Array.isArray(parents)) return [];
  return parents.filter((parent) => isObject(parent) && isGateway(parent["parentRef"], gateway, route))
    .map((parent) => readConditions(parent["conditions"]));
}

/** Returns the first Gateway that a route attaches to. */
export function gatewayOfRoute({ metadata, spec }: KubernetesObject): GatewayName | undefined {
  const parents = isObject(spec) ? spec["parentRefs"] : undefined;
  const [first] = Array.isArray(parents) ? parents.filter(isObject) : [];
  if (first === undefined) return undefined;
  const { name, namespace = metadata.namespace } = first;
  return typeof name === "string" && typeof namespace === "string" ? { namespace, name } : undefined;
}

/** Tells whether all controllers accept the present generation of a route for a Gateway. */
export function acceptanceOfRoute(route: KubernetesObject, gateway: GatewayName): Acceptance {
  return acceptanceOf(parentsOf(route, gateway), route);
}

/** Tells whether the present generation of a policy is accepted for all its targets. */
export function acceptanceOfPolicy(policy: KubernetesObject): Acceptance {
  const ancestors = isObject(policy.status) ? policy.status["ancestors"] : undefined;
  if (!Array.isArray(ancestors)) return { kind: "pending" };
  return acceptanceOf(
    ancestors.filter(isObject).map(({ conditions }) => readConditions(conditions)),
    policy,
  );
}

/**
 * Sets `lastTransitionTime` of conditions. A condition with unchanged status keeps its time.
 *
 * @param now RFC 3339
 */
export function withTransitionTimes(
  conditions: readonly Condition[],
  before: readonly Condition[],
  now: string,
): Condition[] {
  return conditions.map((condition) => {
    const known = before.find(({ type, status }) => type === condition.type && status === condition.status);
    return { ...condition, lastTransitionTime: known?.lastTransitionTime ?? now };
  });
}

function acceptanceOf(said: readonly (readonly Condition[])[], { metadata }: KubernetesObject): Acceptance {
  const accepted = said.map((conditions) => conditions.find(({ type }) => type === "Accepted"));
  let isPending = accepted.length === 0;
  for (const condition of accepted) {
    if (condition === undefined || condition.observedGeneration !== metadata.generation) isPending = true;
    else if (condition.status === "False") {
      return { kind: "refused", reason: condition.reason, message: condition.message };
    } else if (condition.status === "Unknown") isPending = true;
  }
  return { kind: isPending ? "pending" : "accepted" };
}

function isGateway(ref: unknown, gateway: GatewayName, { metadata }: KubernetesObject): boolean {
  if (!isObject(ref)) return false;
  const { kind = "Gateway", namespace = metadata.namespace, name } = ref;
  return kind === "Gateway" && namespace === gateway.namespace && name === gateway.name;
}

function isCondition(value: unknown): value is Condition {
  return isObject(value) && typeof value["type"] === "string" && typeof value["reason"] === "string" &&
    typeof value["message"] === "string" &&
    (value["status"] === "True" || value["status"] === "False" || value["status"] === "Unknown");
}
