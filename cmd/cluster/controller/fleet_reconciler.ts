/**
 * Reconciles fleets (proxies that share listeners): writes the Gateway, and in each namespace the objects that must
 * exist before routes are written.
 *
 * @module
 */
import { isFleetObject } from "../../../lib/cluster/convert.ts";
import type { FleetObject } from "../../../lib/cluster/custom_resource.ts";
import { FIELD_MANAGER } from "../../../lib/cluster/names.ts";
import { keyOfObject, type KubernetesObject } from "../../../lib/cluster/object.ts";
import { keyOfOwner, ownerOfKey } from "../../../lib/cluster/owner.ts";
import { CLOSED, protectionOf, withFinalizer } from "../../../lib/cluster/protection/protected_objects.ts";
import { fleetStatus } from "../../../lib/cluster/status/fleet_status.ts";
import { needsSharedPolicy } from "../../../lib/cluster/translate/access.ts";
import { type Fleet, renderNamespace, renderProxies } from "../../../lib/cluster/translate/fleet.ts";
import { type FleetRef, qualifiedName, type RoutePlan } from "../../../lib/gateway/route.ts";
import { KubeError } from "../client.ts";
import { gatewayOf } from "./fleet_targets.ts";
import { isRoute, RESOURCE_TYPES, SECURITY_POLICY } from "./kinds.ts";
import { isTerminating, Obstacle } from "./owned_objects.ts";
import { isNeededBy, isSharedPolicyOf, mayWrite } from "./shared_policies.ts";
import type { PreparedNamespace, Term } from "./term.ts";

/** The interval of checks whether the routes of a deleted fleet are removed, in milliseconds. */
const REMOVAL_CHECK_INTERVAL = 500;

/** The interval of checks whether routes have moved to another fleet, in milliseconds. */
const MOVE_CHECK_INTERVAL = 5_000;

/** The delay before an object that couldn't be written is tried again, in milliseconds. */
export const OBSTACLE_RETRY_DELAY = 30_000;

/** The time after which a shared policy that no operation needs is removed, in milliseconds. */
const UNNEEDED_TIME = 300_000;

/** Whether the cluster has the objects of a fleet that the routes of a plan need. */
export type Preparation =
  | { kind: "prepared" }
  /** The fleet is about to be reconciled, and then the API or static route. */
  | { kind: "waiting" }
  /** An object can't be written, for a reason that is a sentence. The fleet tries again after a while. */
  | { kind: "obstacle"; message: string };

/**
 * Tells whether the cluster has the objects of a fleet that the routes of a plan need. If not, the API or static route
 * is reconciled again when they are written. Only obstacles in the namespace of the plan, or at the proxies of its
 * fleet, delay it.
 */
export function preparationOf(term: Term, plan: RoutePlan, key: string): Preparation {
  const { fleet, namespace } = plan;
  const name = qualifiedName(fleet);
  const prepared = term.prepared.get(name)?.get(namespace);
  const isChecked = needsSharedPolicy(plan);
  const message = prepared?.obstacle ?? (isChecked ? prepared?.policyObstacle : undefined);
  if (prepared !== undefined && message === undefined && (!isChecked || prepared.plans.has(plan))) {
    return { kind: "prepared" };
  }
  term.waitingForFleet.set(name, (term.waitingForFleet.get(name) ?? new Set()).add(key));
  if (message !== undefined) return { kind: "obstacle", message };
  term.requeue.add(keyOfOwner({ kind: "Fleet", ...fleet }));
  return { kind: "waiting" };
}

/** Reconciles a fleet, by its key such as `Fleet edge/edge`. */
export async function reconcileFleet(term: Term, key: string): Promise<void> {
  const { owned, plans, resources, requeue, statuses } = term;
  const { namespace, name } = ownerOfKey(key);
  const ref: FleetRef = { namespace, name };
  const fleet = resources.fleet.get(namespace, name);
  if (fleet === undefined || !isFleetObject(fleet) || isTerminating(fleet)) return await removeFleet(term, key, fleet);
  await statuses.addFinalizer(RESOURCE_TYPES.fleet, fleet);
  await term.classes.load(gatewayOf(fleet));
  const members = plans.membersOf(ref);
  const { owners, checked } = owned.routesOn(ref);
  // An API or static route that moves to another fleet has routes here until its new routes are in force. Its old
  // routes still need the objects of this fleet.
  const leaving = [...owners.keys()].filter((owner) => !members.keys.has(owner));
  if (leaving.length > 0) requeue.addLater(key, MOVE_CHECK_INTERVAL);
  const held = leaving.map((owner) => ownerOfKey(owner).namespace);
  const namespaces = [...new Set([...members.namespaces, ...held])].sort();
  // The plans may change during the writes below. The fleet is prepared only for the plans that exist now.
  const checkedPlans = new Set(members.checked);
  const routes = [...checked.values()].flatMap(({ id }) => owned.get(id) ?? []);
  const { prepared, obstacles, errors } = await deploy(term, key, fleet, namespaces, checkedPlans, routes);
  // The owners of closed routes are reconciled, because the routes may open as soon as the shared policy is in force.
  for (const { owner, id } of checked.values()) if (protectionOf(owned.get(id)) === CLOSED) requeue.add(owner);
  const before = term.prepared.get(qualifiedName(ref));
  term.prepared.set(qualifiedName(ref), prepared);
  wakeWaiting(term, ref, before);
  if (obstacles.length > 0) requeue.addLater(key, OBSTACLE_RETRY_DELAY);
  const gateway = gatewayOf(fleet);
  const status = fleetStatus({
    generation: fleet.metadata.generation ?? 0,
    gateway: term.gateways.get(gateway.namespace, gateway.name),
    gatewayName: qualifiedName(gateway),
    obstacles,
    apis: members.apis,
    staticRoutes: members.staticRoutes,
    allowedNamespaces: fleet.spec.allowedNamespaces,
  });
  await statuses.write(RESOURCE_TYPES.fleet, fleet, { ...status });
  // The work queue logs the error, and tries again after a growing delay.
  if (errors.length > 0) throw errors[0];
}

/** Removes the objects of a deleted fleet, after all its routes are removed. */
async function removeFleet(term: Term, key: string, fleet: KubernetesObject | undefined): Promise<void> {
  const { owned, prepared, requeue, statuses } = term;
  const { namespace, name } = ownerOfKey(key);
  prepared.delete(qualifiedName({ namespace, name }));
  const { owners } = owned.routesOn({ namespace, name });
  for (const owner of owners.keys()) requeue.add(owner);
  // The shared policies protect the routes, so the policies are removed after the routes.
  if (owners.size > 0) return requeue.addLater(key, REMOVAL_CHECK_INTERVAL);
  const objects = owned.ofOwner(key).toSorted((a, b) => Number(isRoute(b)) - Number(isRoute(a)));
  for (const object of objects) await owned.remove(object);
  if (fleet !== undefined) await statuses.removeFinalizer(RESOURCE_TYPES.fleet, fleet);
}

/** What came of writing the objects of a fleet. */
interface Deployed {
  /** The namespaces whose objects are written, or have an obstacle. */
  readonly prepared: ReadonlyMap<string, PreparedNamespace>;
  /** The reasons why objects can't be written, as sentences. */
  readonly obstacles: readonly string[];
  /** Those errors of single objects that another try may mend. */
  readonly errors: readonly unknown[];
}

/**
 * Writes the objects of a fleet: those of its proxies, then those of each namespace. An object that can't be written
 * delays only the APIs and static routes that need it.
 *
 * @param checkedPlans The plans whose requests shared policies validate.
 * @param checkedRoutes The HTTPRoutes with validated requests.
 */
async function deploy(
  term: Term,
  key: string,
  fleet: FleetObject,
  namespaces: readonly string[],
  checkedPlans: ReadonlySet<RoutePlan>,
  checkedRoutes: readonly KubernetesObject[],
): Promise<Deployed> {
  const { owned, mocks, requeue, unneeded } = term;
  const { metadata: { namespace = "", name }, spec } = fleet;
  const ref: Fleet = { namespace, name, spec, manager: FIELD_MANAGER };
  const errors: unknown[] = [];
  const putAll = async (objects: readonly KubernetesObject[]): Promise<string[]> => {
    const obstacles: string[] = [];
    for (const object of objects) {
      if (!mayWrite(term, key, ref, object, checkedRoutes)) continue;
      try {
        await owned.put(object.kind === SECURITY_POLICY.kind ? withFinalizer(object) : object);
      } catch (error) {
        if (!(error instanceof Obstacle)) {
          // Without an answer from the API server (status 0), no other object can be written either.
          if (!(error instanceof KubeError) || error.status === 0) throw error;
          errors.push(error);
        }
        obstacles.push(error.message);
      }
    }
    return obstacles;
  };

  const proxies = renderProxies(ref);
  const desired = [...proxies];
  const atProxies = await putAll(proxies);
  const obstacles = [...atProxies];
  const prepared = new Map<string, PreparedNamespace>();
  const byNamespace = Map.groupBy(checkedPlans, (plan) => plan.namespace);
  for (const namespace of namespaces) {
    const plans = byNamespace.get(namespace) ?? [];
    const { grants, validation } = renderNamespace(ref, namespace, { mocks, plans });
    desired.push(...grants, ...validation);
    const atGrants = await putAll(grants);
    const atPolicy = await putAll(validation);
    const [obstacle] = [...atProxies, ...atGrants];
    const [policyObstacle] = atPolicy;
    prepared.set(namespace, {
      ...(obstacle === undefined ? {} : { obstacle }),
      ...(policyObstacle === undefined ? {} : { policyObstacle }),
      plans: new Set(plans),
    });
    obstacles.push(...atGrants, ...atPolicy);
  }
  const desiredKeys = new Set(desired.map(keyOfObject));
  for (const object of desired) unneeded.delete(keyOfObject(object));
  for (const object of owned.ofOwner(key).filter((object) => !desiredKeys.has(keyOfObject(object)))) {
    const since = unneeded.get(keyOfObject(object)) ?? performance.now();
    unneeded.set(keyOfObject(object), since);
    // A namespace that still uses the fleet may validate requests again: a new policy would keep them closed for a while.
    const isKept = isSharedPolicyOf(namespaces, object) && performance.now() - since < UNNEEDED_TIME;
    if (isNeededBy(checkedRoutes, object)) requeue.addLater(key, MOVE_CHECK_INTERVAL);
    else if (isKept) requeue.addLater(key, since + UNNEEDED_TIME - performance.now());
    else {
      await owned.remove(object);
      unneeded.delete(keyOfObject(object));
    }
  }
  return { prepared, obstacles, errors };
}

/**
 * Requeues the APIs and static routes that wait for their namespace, if it is prepared now or has another obstacle than
 * before.
 */
function wakeWaiting(
  { waitingForFleet, prepared, requeue }: Term,
  fleet: FleetRef,
  before: ReadonlyMap<string, PreparedNamespace> | undefined,
): void {
  const name = qualifiedName(fleet);
  const now = prepared.get(name);
  const keys = [...waitingForFleet.get(name) ?? []].filter((key) => {
    const { namespace } = ownerOfKey(key);
    const [known, last] = [now?.get(namespace), before?.get(namespace)];
    const isPrepared = known?.obstacle === undefined && known?.policyObstacle === undefined;
    return known !== undefined &&
      (isPrepared || known.obstacle !== last?.obstacle || known.policyObstacle !== last?.policyObstacle);
  });
  // The keys are deleted first: a requeued key may be reconciled at once, and wait again.
  for (const key of keys) waitingForFleet.get(name)?.delete(key);
  for (const key of keys) requeue.add(key);
}
