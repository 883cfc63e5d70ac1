/**
 * Reviews a custom resource before the Kubernetes API server stores it (validating admission webhook): runs the checks
 * that neither its schema nor a ValidatingAdmissionPolicy can express.
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
    /** Lists the plans of a fleet that the gateway serves now. */
    plansOf(fleet: FleetRef): readonly RoutePlan[];
    /** Lists the served plans that may conflict with a plan, found by an index. Default: all plans of its fleet. */
    rivalsOf?(plan: RoutePlan): readonly RoutePlan[];
  };
  /** Lists the fleets of the cluster. */
  fleets: () => readonly KubernetesObject[];
  /** Returns the fleet of APIs and static routes that name no fleet. */
  defaultFleet: () => ObjectName;
  /** Returns the labels of a namespace; `undefined` if they aren't known, or not yet. */
  labelsOf: (namespace: string) => Readonly<Record<string, string>> | undefined;
  /**
   * Tells whether the custom resource of a served plan still exists in the cluster and hasn't changed since. `plansOf`
   * may lag behind the cluster, so a plan may be listed although its custom resource was deleted. Default: all plans
   * are current.
   */
  isCurrent?: (plan: RoutePlan) => Promise<boolean>;
}

/** The outcome of a review. */
export type Review =
  | { kind: "taken"; warnings: readonly string[] }
  | { kind: "refused"; message: string }
  /** The fleet doesn't admit the namespace of the custom resource. */
  | { kind: "forbidden"; message: string };

/** The most errors that a message lists. */
const MOST_ERRORS = 20;

/**
 * The most plans for which a review calls `isCurrent`. Each call asks the API server, which waits at most 10 s for the
 * review.
 */
const MOST_LOOKED_UP = 20;

/** Reviews a custom resource, as the API server would store it. */
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
 * Returns a message if a plan conflicts with a plan that the gateway serves. A served plan doesn't count if `isCurrent`
 * tells that its custom resource was deleted or changed.
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

/**
 * Returns the reason why a fleet doesn't admit a namespace; `undefined` if it does. A fleet that doesn't exist yet
 * refuses no namespace.
 */
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
 * Warns of each API and static route that the fleet would serve no longer, because its changed `allowedNamespaces`
 * doesn't admit their namespace.
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
