/**
 * Reads from conditions whether the controllers of a gateway accept an object.
 *
 * @module
 */
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import type { KubernetesObject, StatusCondition } from "../object.ts";

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
  /**
   * The controller of the Gateway, by `controllerName` of its GatewayClass. Statuses of other controllers don't count.
   * `undefined` if it isn't known.
   */
  readonly controller?: string | undefined;
}

/** Reads the conditions of a status. Malformed conditions are skipped. */
export function readConditions(value: unknown): StatusCondition[] {
  return Array.isArray(value) ? value.filter(isCondition) : [];
}

/**
 * Returns the conditions of a route for a Gateway: one list for each controller and listener that has reported them.
 */
export function parentsOf(route: KubernetesObject, gateway: GatewayName): StatusCondition[][] {
  return entriesOf(route, gateway).map(conditionsOf);
}

/** Returns the first Gateway that a route attaches to. */
export function gatewayOfRoute({ metadata, spec }: KubernetesObject): GatewayName | undefined {
  const parents = isObject(spec) ? spec["parentRefs"] : undefined;
  const [first] = Array.isArray(parents) ? parents.filter(isObject) : [];
  if (first === undefined) return undefined;
  const { name, namespace = metadata.namespace } = first;
  return typeof name === "string" && typeof namespace === "string" ? { namespace, name } : undefined;
}

/** Tells whether the controller of a Gateway accepts the present generation of a route. */
export function acceptanceOfRoute(route: KubernetesObject, gateway: GatewayName): Acceptance {
  return acceptanceOf(entriesOf(route, gateway), route);
}

/**
 * Tells whether the present generation of a policy is accepted for all its targets.
 *
 * @param controller The controller whose statuses count, as in {@linkcode GatewayName}.
 */
export function acceptanceOfPolicy(policy: KubernetesObject, controller?: string): Acceptance {
  const ancestors = isObject(policy.status) ? policy.status["ancestors"] : undefined;
  return acceptanceOf(entriesBy(controller, ancestors, policy), policy);
}

/**
 * Sets `lastTransitionTime` of conditions. A condition with unchanged status keeps its time.
 *
 * @param now RFC 3339
 */
export function withTransitionTimes(
  conditions: readonly StatusCondition[],
  before: readonly StatusCondition[],
  now: string,
): StatusCondition[] {
  return conditions.map((condition) => {
    const known = before.find(({ type, status }) => type === condition.type && status === condition.status);
    return { ...condition, lastTransitionTime: known?.lastTransitionTime ?? now };
  });
}

/** The conditions that a controller has reported about one parent of a route, or one ancestor of a policy. */
type Entry = JsonObject;

/** Returns the entries in the status of a route for a Gateway. */
function entriesOf(route: KubernetesObject, gateway: GatewayName): Entry[] {
  const parents = isObject(route.status) ? route.status["parents"] : undefined;
  const all = Array.isArray(parents) ? parents.filter(isObject) : [];
  return entriesBy(gateway.controller, all.filter(({ parentRef }) => isGateway(parentRef, gateway, route)), route);
}

/**
 * Returns the entries of a controller. If it isn't known, a controller counts as gone that has reported nothing about the
 * present generation, while another one has.
 */
function entriesBy(controller: string | undefined, written: unknown, { metadata }: KubernetesObject): Entry[] {
  const entries: Entry[] = Array.isArray(written) ? written.filter(isObject) : [];
  if (controller !== undefined) return entries.filter(({ controllerName }) => controllerName === controller);
  const present = new Set(
    entries.filter((entry) => acceptedOf(entry)?.observedGeneration === metadata.generation)
      .map(({ controllerName }) => controllerName),
  );
  return present.size === 0 ? entries : entries.filter(({ controllerName }) => present.has(controllerName));
}

function conditionsOf({ conditions }: Entry): StatusCondition[] {
  return readConditions(conditions);
}

function acceptedOf(entry: Entry): StatusCondition | undefined {
  return conditionsOf(entry).find(({ type }) => type === "Accepted");
}

function acceptanceOf(entries: readonly Entry[], { metadata }: KubernetesObject): Acceptance {
  let isPending = entries.length === 0;
  for (const condition of entries.map(acceptedOf)) {
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

function isCondition(value: unknown): value is StatusCondition {
  return isObject(value) && typeof value["type"] === "string" && typeof value["reason"] === "string" &&
    typeof value["message"] === "string" &&
    (value["status"] === "True" || value["status"] === "False" || value["status"] === "Unknown");
}
