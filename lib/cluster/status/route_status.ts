/**
 * The status of APIs and static routes in a cluster, made from what the controller has found and written.
 *
 * @module
 */
import { cleanLines } from "../../http/one_line.ts";
import { acceptanceOfRoute, type GatewayName, parentsOf, readConditions } from "./conditions.ts";
import type { KubernetesObject, StatusCondition } from "../object.ts";
import { isObject } from "../../schema/json/node.ts";
import type { RouteStatus } from "../custom_resource.ts";

/** The facts from which the status of an API or static route is made. */
export interface RouteFacts {
  /** `metadata.generation` of the API or static route. */
  generation: number;
  acceptance: RouteAcceptance;
  /** The routes and policies that were written; absent if no plan of the API or static route is in force. */
  deployment?: {
    gateway: GatewayName;
    counts: NonNullable<RouteStatus["operations"]>;
    /** The HTTPRoutes by name. `object` is the HTTPRoute in the cluster; `undefined` if it isn't there yet. */
    routes: readonly { name: string; object: KubernetesObject | undefined }[];
    /** The reasons why groups of guarded routes are still closed. `isOverdue`: the gateway should have reported by now. */
    waits: readonly { group: string; reason: string; isOverdue?: boolean }[];
    /**
     * The names of HTTPRoutes of an earlier plan that still exist. They may match requests that are meant for other
     * routes.
     */
    leftovers: readonly string[];
    /** The reasons why objects of the API or static route can't be written, as sentences. */
    obstacles: readonly string[];
  };
  /**
   * The reason why an object of the fleet that the routes need can't be written, as a sentence; absent if a plan was
   * deployed.
   */
  obstacle?: string;
  /** The names of its HTTPRoutes in the cluster. If no plan is in force, they belong to an earlier plan, and stay. */
  kept?: readonly string[];
  /**
   * The reason why the last accepted plan can't be persisted, as a sentence. Replicas that start later don't have the
   * plan.
   */
  forgotten?: string;
  warnings: readonly string[];
}

/** Whether the present `spec` of an API or static route is deployed. */
export type RouteAcceptance =
  | { kind: "accepted"; fleet: string }
  | {
    kind: "refused";
    /** The reason of the condition `Accepted`. */
    reason: "Invalid" | "Conflicted" | "FleetNotFound" | "NotAllowedByFleet" | "Unsupported";
    message: string;
  };

const STAYS = "What was deployed before stays in force";

/** The most characters of a condition's message. */
const MOST_CHARACTERS = 4_000;

/** The most names of HTTPRoutes that a message lists. */
const MOST_NAMES = 5;

/** Makes the status of an API or static route, without `lastTransitionTime`. */
export function routeStatus(facts: RouteFacts): RouteStatus {
  const { generation, deployment, kept = [], warnings } = facts;
  const conditions = [acceptedCondition(facts), programmedCondition(facts), resolvedCondition(facts)]
    .map(([type, status, reason, message]): StatusCondition => (
      { type, status, reason, message: shorten(message), observedGeneration: generation }
    ));
  return {
    observedGeneration: generation,
    conditions,
    ...(deployment === undefined ? {} : {
      operations: deployment.counts,
      routes: deployment.routes.map(({ name }) => name),
    }),
    ...(deployment === undefined && kept.length > 0 ? { routes: [...kept] } : {}),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(shorten) }),
  };
}

/**
 * Tells whether an API or static route is accepted, but its Gateway hasn't reported conditions of its HTTPRoutes yet.
 */
export function isAwaitingGateway({ conditions }: Pick<RouteStatus, "conditions">): boolean {
  const saidOf = (type: string): StatusCondition | undefined =>
    conditions?.find((condition) => condition.type === type);
  return saidOf("Accepted")?.status === "True" && saidOf("Programmed")?.reason === "Pending";
}

/** Whether the status says that the present `spec` is accepted; `pending` if the controller hasn't checked it yet. */
export type SpecAcceptance = "accepted" | "refused" | "pending";

/** Returns the condition `Accepted` of an API or static route, whatever generation it is about. */
export function acceptedConditionOf({ status }: KubernetesObject): StatusCondition | undefined {
  return isObject(status) ? readConditions(status["conditions"]).find(({ type }) => type === "Accepted") : undefined;
}

/** Reads from the status of an API or static route whether its present `spec` is accepted. */
export function acceptanceOfSpec(object: KubernetesObject): SpecAcceptance {
  const accepted = acceptedConditionOf(object);
  if (accepted?.observedGeneration !== object.metadata.generation) return "pending";
  return accepted?.status === "True" ? "accepted" : accepted?.status === "False" ? "refused" : "pending";
}

/**
 * Returns the warnings in the status of an API or static route whose present `spec` is accepted; `undefined` for
 * others.
 */
export function acceptedWarnings(object: KubernetesObject): string[] | undefined {
  if (acceptanceOfSpec(object) !== "accepted" || !isObject(object.status)) return undefined;
  const { warnings } = object.status;
  return Array.isArray(warnings) ? warnings.filter((warning) => typeof warning === "string") : [];
}

type ConditionParts = [type: string, status: StatusCondition["status"], reason: string, message: string];

function acceptedCondition({ acceptance, deployment, kept = [], forgotten }: RouteFacts): ConditionParts {
  if (acceptance.kind === "accepted") {
    return ["Accepted", "True", "Accepted", `It is deployed to the fleet ${acceptance.fleet}.`];
  }
  const stays = forgotten === undefined ? `${STAYS}.` : `${STAYS} until gw restarts: ${forgotten}`;
  const rest = deployment === undefined && kept.length === 0 ? "" : ` ${stays}`;
  return ["Accepted", "False", acceptance.reason, `${acceptance.message}${rest}`];
}

function programmedCondition({ acceptance, deployment, obstacle, kept = [] }: RouteFacts): ConditionParts {
  const type = "Programmed";
  if (obstacle !== undefined) {
    return [type, "False", "NotWritten", kept.length > 0 ? `${obstacle} ${STAYS}.` : obstacle];
  }
  if (deployment === undefined) {
    const message = acceptance.kind === "refused"
      ? `${kept.length > 0 ? STAYS : "Nothing of it is in force"}: see Accepted.`
      : "Nothing is in force yet.";
    return [type, "False", acceptance.kind === "refused" ? "NotAccepted" : "Pending", message];
  }
  const { gateway, routes, waits, leftovers, obstacles } = deployment;
  if (obstacles.length > 0) return [type, "False", "NotWritten", obstacles.join(" ")];
  const pending: string[] = [];
  for (const { name, object } of routes) {
    const accepted = object === undefined ? { kind: "pending" as const } : acceptanceOfRoute(object, gateway);
    if (accepted.kind === "pending") pending.push(name);
    if (accepted.kind === "refused") return [type, "False", accepted.reason, `HTTPRoute ${name}: ${accepted.message}`];
    const partial = object && conditionsOf(object, gateway).find(isPartial);
    if (partial !== undefined) return [type, "False", partial.reason, `HTTPRoute ${name}: ${partial.message}`];
  }
  if (waits.length > 0) {
    const told = waits.map(({ group, reason }) => `${group}: ${reason.replace(/\.+$/, "")}`).join("; ");
    if (waits.some(({ isOverdue }) => isOverdue === true)) {
      const message =
        "Protected operations stay closed (503), because the gateway doesn't report whether it protects " +
        `them. See whether Envoy Gateway runs, and its log; a restart has it report again. ${told}.`;
      return [type, "False", "GatewayNotReporting", message];
    }
    return [type, "False", "WaitingForProtection", `Protected operations stay closed (503) for now. ${told}.`];
  }
  if (pending.length > 0) {
    return [type, "False", "Pending", `The gateway has not accepted these HTTPRoutes yet: ${nameSome(pending)}.`];
  }
  if (leftovers.length > 0) {
    return [type, "False", "Pending", `HTTPRoutes of an earlier state are being removed: ${nameSome(leftovers)}.`];
  }
  return [type, "True", "Programmed", "All routes are accepted by the gateway."];
}

function resolvedCondition({ deployment, kept = [] }: RouteFacts): ConditionParts {
  const type = "ResolvedRefs";
  if (deployment === undefined) {
    return [type, "Unknown", "Pending", `Nothing ${kept.length > 0 ? "new " : ""}of it is in force.`];
  }
  let isPending = false;
  for (const { name, object } of deployment.routes) {
    const said = object === undefined ? [] : conditionsOf(object, deployment.gateway);
    const broken = said.find((condition) => condition.type === type && condition.status === "False");
    if (broken !== undefined) return [type, "False", broken.reason, `HTTPRoute ${name}: ${broken.message}`];
    isPending ||= !said.some((condition) => condition.type === type);
  }
  if (isPending) return [type, "Unknown", "Pending", "The gateway has not looked at all routes yet."];
  return [type, "True", "ResolvedRefs", "Everything that its HTTPRoutes refer to is there."];
}

/** Returns the conditions of a route that any controller has reported for a Gateway. */
function conditionsOf(route: KubernetesObject, gateway: GatewayName): StatusCondition[] {
  return parentsOf(route, gateway).flat();
}

function isPartial({ type, status }: StatusCondition): boolean {
  return type === "PartiallyInvalid" && status === "True";
}

function nameSome(names: readonly string[]): string {
  const some = names.slice(0, MOST_NAMES).join(", ");
  return names.length > MOST_NAMES ? `${some} and ${names.length - MOST_NAMES} more` : some;
}

function shorten(text: string): string {
  const shown = cleanLines(text);
  return shown.length > MOST_CHARACTERS ? `${shown.slice(0, MOST_CHARACTERS - 3)}...` : shown;
}
