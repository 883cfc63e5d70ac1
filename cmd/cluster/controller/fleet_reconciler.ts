/**
 * Reconciles fleets (proxies that share listeners): writes the Gateway, and in each namespace the objects that must
 * exist before routes are written.
 *
 * @module
 */
import { isFleetObject } from "../../../lib/cluster/convert.ts";
import type { FleetObject } from "../../../lib/cluster/custom_resource.ts";
import { keyOfObject, type KubernetesObject } from "../../../lib/cluster/object.ts";
import { keyOfOwner, ownerOfKey } from "../../../lib/cluster/owner.ts";
import { CLOSED, protectionOf, withFinalizer } from "../../../lib/cluster/protection/protected_objects.ts";
import { fleetStatus } from "../../../lib/cluster/status/fleet_status.ts";
import { renderFleet } from "../../../lib/cluster/translate/fleet.ts";
import { type FleetRef, qualifiedName, type RoutePlan } from "../../../lib/gateway/route.ts";
import { hasChecks } from "./fleet_plans.ts";
import { gatewayOf } from "./fleet_targets.ts";
import { isRoute, RESOURCE_TYPES, SECURITY_POLICY } from "./kinds.ts";
import { isTerminating, Obstacle } from "./owned_objects.ts";
import { isNeededBy, mayWrite } from "./shared_policies.ts";
import type { Term } from "./term.ts";

/** The interval of checks whether the routes of a deleted fleet are removed, in milliseconds. */
const REMOVAL_CHECK_INTERVAL = 500;

/** The interval of checks whether routes have moved to another fleet, in milliseconds. */
const MOVE_CHECK_INTERVAL = 5_000;

/**
 * Tells whether the cluster has the objects of a fleet that the routes of a plan need. If not, the API or static route
 * is reconciled again when they are written.
 */
export function isPrepared(
  { preparedFleets, waitingForFleet, requeue }: Term,
  plan: RoutePlan,
  key: string,
): boolean {
  const { fleet, namespace } = plan;
  const name = qualifiedName(fleet);
  const prepared = preparedFleets.get(name);
  if (prepared?.namespaces.has(namespace) === true && (!hasChecks(plan) || prepared.plans.has(plan))) return true;
  waitingForFleet.set(name, (waitingForFleet.get(name) ?? new Set()).add(key));
  requeue.add(keyOfOwner({ kind: "Fleet", ...fleet }));
  return false;
}

/** Reconciles a fleet, by its key such as `Fleet edge/edge`. */
export async function reconcileFleet(term: Term, key: string): Promise<void> {
  const { owned, plans, resources, requeue, statuses } = term;
  const { namespace, name } = ownerOfKey(key);
  const ref: FleetRef = { namespace, name };
  const fleet = resources.fleet.get(namespace, name);
  if (fleet === undefined || !isFleetObject(fleet) || isTerminating(fleet)) return await removeFleet(term, key, fleet);
  await statuses.addFinalizer(RESOURCE_TYPES.fleet, fleet);
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
  const obstacles = await deploy(term, key, fleet, namespaces, [...checkedPlans], routes);
  // The owners of closed routes are reconciled, because the routes may open as soon as the shared policy is in force.
  for (const { owner, id } of checked.values()) if (protectionOf(owned.get(id)) === CLOSED) requeue.add(owner);
  if (obstacles.length === 0) {
    term.preparedFleets.set(qualifiedName(ref), { namespaces: new Set(namespaces), plans: checkedPlans });
    wakeWaiting(term, ref);
  }
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
}

/** Removes the objects of a deleted fleet, after all its routes are removed. */
async function removeFleet(term: Term, key: string, fleet: KubernetesObject | undefined): Promise<void> {
  const { owned, preparedFleets, requeue, statuses } = term;
  const { namespace, name } = ownerOfKey(key);
  preparedFleets.delete(qualifiedName({ namespace, name }));
  const { owners } = owned.routesOn({ namespace, name });
  for (const owner of owners.keys()) requeue.add(owner);
  // The shared policies protect the routes, so the policies are removed after the routes.
  if (owners.size > 0) return requeue.addLater(key, REMOVAL_CHECK_INTERVAL);
  const objects = owned.ofOwner(key).toSorted((a, b) => Number(isRoute(b)) - Number(isRoute(a)));
  for (const object of objects) await owned.remove(object);
  if (fleet !== undefined) await statuses.removeFinalizer(RESOURCE_TYPES.fleet, fleet);
}

/**
 * Writes the objects of a fleet.
 *
 * @param checkedPlans The plans with validated requests.
 * @param checkedRoutes The HTTPRoutes with validated requests.
 * @returns The reasons why objects can't be written, as sentences.
 */
async function deploy(
  term: Term,
  key: string,
  fleet: FleetObject,
  namespaces: readonly string[],
  checkedPlans: readonly RoutePlan[],
  checkedRoutes: readonly KubernetesObject[],
): Promise<string[]> {
  const { owned, mocks, requeue } = term;
  const { metadata: { namespace = "", name }, spec } = fleet;
  const desired = renderFleet({ namespace, name, spec }, { mocks, namespaces, plans: checkedPlans })
    .map((object) => object.kind === SECURITY_POLICY.kind ? withFinalizer(object) : object);
  const obstacles: string[] = [];
  for (const object of desired) {
    if (!mayWrite(term, key, { namespace, name }, object, checkedRoutes)) continue;
    try {
      await owned.put(object);
    } catch (error) {
      if (!(error instanceof Obstacle)) throw error;
      obstacles.push(error.message);
    }
  }
  const desiredKeys = new Set(desired.map(keyOfObject));
  for (const object of owned.ofOwner(key).filter((object) => !desiredKeys.has(keyOfObject(object)))) {
    if (isNeededBy(checkedRoutes, object)) requeue.addLater(key, MOVE_CHECK_INTERVAL);
    else await owned.remove(object);
  }
  return obstacles;
}

/** Requeues the APIs and static routes that wait until a fleet is prepared. */
function wakeWaiting({ waitingForFleet, requeue }: Term, fleet: FleetRef): void {
  const name = qualifiedName(fleet);
  const keys = waitingForFleet.get(name) ?? [];
  // The list is deleted first: a requeued key may be reconciled at once, and be added to the list again.
  waitingForFleet.delete(name);
  for (const key of keys) requeue.add(key);
}
