/**
 * Reviews a custom resource before the API server stores it: the checks that only gw can do.
 *
 * @module
 */
import type { KubernetesObject } from "../cluster/object.ts";
import { refusalOfNamespace } from "../gateway/allowed_namespaces.ts";
import type { FleetRef, RoutePlan } from "../gateway/route.ts";
import { examine, type ExamineOptions, findFleetConflict, rivalsOf } from "./deployment.ts";
import { keyOf, type ObjectName } from "../gateway/resource.ts";
import { type AnyConvertedResource, fromCustomResource, isFleetObject } from "../cluster/convert.ts";
import type { FleetObject } from "../cluster/custom_resource.ts";

/** Options of {@linkcode review}. */
export interface ReviewOptions extends ExamineOptions {
  gateway: ExamineOptions["gateway"] & {
    /** The plans of a fleet that are in force. */
    plansOf(fleet: FleetRef): readonly RoutePlan[];
    /** The plans in force that may conflict with a plan. Default: all plans of its fleet. */
    rivalsOf?(plan: RoutePlan): readonly RoutePlan[];
  };
  /** The fleets of the cluster. */
  fleets: () => readonly KubernetesObject[];
  /** The fleet of objects that name none. */
  defaultFleet: () => ObjectName;
  /** The labels of a namespace; `undefined` if they aren't known, or not yet. */
  labelsOf: (namespace: string) => Readonly<Record<string, string>> | undefined;
  /**
   * Whether the cluster still has the object of a plan in force, unchanged. `plansOf` may lag behind the cluster, and
   * not know of a recent deletion. Default: all plans in force are current.
   */
  isCurrent?: (plan: RoutePlan) => Promise<boolean>;
}

/** The outcome of a review. */
export type Review =
  | { kind: "taken"; warnings: readonly string[] }
  | { kind: "refused"; message: string }
  /** The fleet doesn't admit the object's namespace. */
  | { kind: "forbidden"; message: string };

/** The most errors that a message lists. */
const MOST_ERRORS = 20;

/** The most plans for which a review asks `isCurrent`, since the API server waits only 10 s for a review. */
const MOST_LOOKED_UP = 20;

/** Reviews a custom resource as it would be stored. */
export async function review(object: KubernetesObject, options: ReviewOptions): Promise<Review> {
  if (isFleetObject(object)) {
    return { kind: "taken", warnings: [...defaultWarnings(object, options), ...closingWarnings(object, options)] };
  }
  let resource: AnyConvertedResource | undefined;
  try {
    resource = await fromCustomResource(object, { defaultFleet: options.defaultFleet() });
  } catch (error) {
    if (error instanceof RangeError) return { kind: "refused", message: error.message };
    throw error;
  }
  if (resource === undefined || resource.kind === "fleet") return { kind: "taken", warnings: [] };
  const { kind, namespace, name, spec } = resource;
  const forbidden = namespaceRefusal(spec.fleet, namespace, options);
  if (forbidden !== undefined) return { kind: "forbidden", message: forbidden };
  const examination = await examine({ kind, namespace, name, ...spec }, options);
  if (examination.kind === "refused") {
    const errors = examination.errors.map(({ line, column, detail }) => `${line}:${column}: ${detail}`);
    const rest = errors.length - MOST_ERRORS;
    const shown = [...errors.slice(0, MOST_ERRORS), ...(rest > 0 ? [`There are ${rest} more.`] : [])];
    return { kind: "refused", message: `The definition can't be deployed.\n${shown.join("\n")}` };
  }
  const { plan } = examination;
  const conflict = await currentConflict(plan, options);
  if (conflict !== undefined) return { kind: "refused", message: conflict };
  return { kind: "taken", warnings: [...examination.warnings, ...fleetWarnings(spec.fleet, options)] };
}

/**
 * The message about a conflict with a plan in force; `undefined` if there is none. A plan in force doesn't count if its
 * object has been deleted or changed in the cluster, as `isCurrent` tells.
 */
async function currentConflict(plan: RoutePlan, { gateway, isCurrent }: ReviewOptions): Promise<string | undefined> {
  let rivals = rivalsOf(plan, gateway);
  for (let lookedUp = 0; true; lookedUp++) {
    const conflict = findFleetConflict(plan, rivals);
    if (conflict === undefined || isCurrent === undefined || lookedUp === MOST_LOOKED_UP) return conflict?.message;
    if (await isCurrent(conflict.other)) return conflict.message;
    rivals = rivals.filter((rival) => rival !== conflict.other);
  }
}

/** Why the fleet doesn't admit the namespace of an object. A fleet that doesn't exist yet refuses nothing. */
function namespaceRefusal(
  fleet: ObjectName,
  namespace: string,
  { fleets, labelsOf }: ReviewOptions,
): string | undefined {
  const known = fleets().find((other) => keyOf(nameOf(other)) === keyOf(fleet));
  if (known === undefined || !isFleetObject(known)) return undefined;
  return refusalOfNamespace(fleet, known.spec.allowedNamespaces, { name: namespace, labels: labelsOf(namespace) });
}

/**
 * Warnings about the APIs and static routes that the changed fleet would no longer serve: it wouldn't admit their
 * namespace.
 */
function closingWarnings(object: FleetObject, { gateway, labelsOf }: ReviewOptions): string[] {
  const fleet = nameOf(object);
  const { allowedNamespaces } = object.spec;
  return gateway.plansOf(fleet)
    .filter(({ namespace }) =>
      refusalOfNamespace(fleet, allowedNamespaces, { name: namespace, labels: labelsOf(namespace) }) !== undefined
    )
    .map(({ kind, namespace, name }) =>
      `The ${
        kind === "api" ? "API" : "static route"
      } ${namespace}/${name} is served no longer: spec.allowedNamespaces ` +
      "doesn't admit its namespace."
    );
}

function fleetWarnings(fleet: ObjectName, { fleets }: ReviewOptions): string[] {
  return fleets().some((other) => keyOf(nameOf(other)) === keyOf(fleet))
    ? []
    : [`There is no fleet ${fleet.namespace}/${fleet.name} yet; nothing is served before there is.`];
}

function defaultWarnings(object: KubernetesObject, { fleets }: ReviewOptions): string[] {
  if (!isDefault(object)) return [];
  const own = keyOf(nameOf(object));
  const [other] = fleets().filter((fleet) => isDefault(fleet) && keyOf(nameOf(fleet)) !== own).map(nameOf);
  return other === undefined
    ? []
    : [`The fleet ${other.namespace}/${other.name} is the default already; of several the oldest is.`];
}

function isDefault(object: KubernetesObject): boolean {
  return isFleetObject(object) && object.spec.default === true;
}

function nameOf({ metadata: { namespace = "", name } }: KubernetesObject): ObjectName {
  return { namespace, name };
}
