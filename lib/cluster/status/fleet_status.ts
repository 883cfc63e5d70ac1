import type { AllowedNamespaces } from "../../gateway/allowed_namespaces.ts";
import { readConditions } from "./conditions.ts";
import type { KubernetesObject, StatusCondition } from "../object.ts";
import { isObject } from "../../schema/json/node.ts";
import type { FleetStatus } from "../custom_resource.ts";

/** The facts from which the status of a fleet is made. */
export interface FleetFacts {
  generation: number;
  /** The Gateway of the fleet; `undefined` if it doesn't exist. */
  gateway: KubernetesObject | undefined;
  /** Namespace and name of the Gateway, such as `edge/edge`. */
  gatewayName: string;
  /** The reasons why objects of the fleet can't be written, as sentences. */
  obstacles: readonly string[];
  apis: number;
  staticRoutes: number;
  /** `spec.allowedNamespaces` of the fleet. */
  allowedNamespaces: AllowedNamespaces | undefined;
}

/** The type of the condition that warns that the fleet admits all namespaces. */
const OPEN_TO_ALL = "OpenToAllNamespaces";
/** The reason of the condition if the fleet admits all namespaces because it has no `spec.allowedNamespaces`. */
const NOT_SPECIFIED = "NotSpecified";

/** Makes the status of a fleet, without `lastTransitionTime`. */
export function fleetStatus(
  { generation, gateway, gatewayName, obstacles, apis, staticRoutes, allowedNamespaces }: FleetFacts,
): FleetStatus {
  const said = isObject(gateway?.status) ? gateway.status : {};
  const present = readConditions(said["conditions"]);
  const conditions = (["Accepted", "Programmed"] as const).map((type): StatusCondition => {
    const [obstacle] = obstacles;
    if (obstacle !== undefined) return { type, status: "False", reason: "NotWritten", message: obstacle };
    if (gateway === undefined) {
      return { type, status: "False", reason: "GatewayNotFound", message: `There is no Gateway ${gatewayName}.` };
    }
    const condition = present.find((one) =>
      one.type === type && one.observedGeneration === gateway.metadata.generation
    );
    if (condition === undefined) {
      const message = `No controller has looked at the Gateway ${gatewayName} yet. Is its GatewayClass there?`;
      return { type, status: "Unknown", reason: "Pending", message };
    }
    const { status, reason, message } = condition;
    return { type, status, reason, message: message === "" ? `The Gateway ${gatewayName} says so.` : message };
  });
  return {
    observedGeneration: generation,
    addresses: addressesOf(said["addresses"]),
    apis,
    staticRoutes,
    conditions: [...conditions, ...openToAllConditions(allowedNamespaces)].map((condition) => ({
      ...condition,
      observedGeneration: generation,
    })),
  };
}

/**
 * Returns a condition that warns that the fleet admits all namespaces; none if `spec.allowedNamespaces` restricts them.
 */
function openToAllConditions(allowed: AllowedNamespaces | undefined): StatusCondition[] {
  const common = { type: OPEN_TO_ALL, status: "True" } as const;
  if (allowed === undefined) {
    const message =
      "APIs and static routes of any namespace may name this fleet, because spec.allowedNamespaces isn't " +
      "given. Say `{from: Same}` or a selector, or `{from: All}` if that is meant.";
    return [{ ...common, reason: NOT_SPECIFIED, message }];
  }
  const message = "APIs and static routes of any namespace may name this fleet: spec.allowedNamespaces says All.";
  return allowed.from === "All" ? [{ ...common, reason: "AllNamespaces", message }] : [];
}

function addressesOf(value: unknown): { type?: string; value: string }[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).flatMap(({ type, value }) =>
    typeof value !== "string" ? [] : [{ ...(typeof type === "string" ? { type } : {}), value }]
  );
}
