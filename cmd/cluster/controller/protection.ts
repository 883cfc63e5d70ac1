/**
 * Opens and closes the groups of an owner. A group is the protected routes of one HTTPRoute, with their policies. This
 * module observes the groups, updates their states by the state machine of lib/cluster/protection/protection.ts, and
 * applies the states to the objects to write and to remove.
 *
 * @module
 */
import { idOf, keyOfId, keyOfObject, type KubernetesObject } from "../../../lib/cluster/object.ts";
import { drainTimeOf, envoyProxyOf } from "../../../lib/cluster/protection/drain.ts";
import {
  CLOSED,
  closedPolicy,
  closedRoute,
  isChecked,
  isGuarded,
  openWith,
  protectionOf,
  withFinalizer,
  withProtection,
} from "../../../lib/cluster/protection/protected_objects.ts";
import {
  type GroupRecord,
  nextRecord,
  type ObservedGroup,
  PERMISSIONS,
  type Permissions,
  recordOfChecked,
} from "../../../lib/cluster/protection/protection.ts";
import {
  type Acceptance,
  acceptanceOfPolicy,
  acceptanceOfRoute,
  type GatewayName,
  gatewayOfRoute,
} from "../../../lib/cluster/status/conditions.ts";
import type { Protection, Rendering } from "../../../lib/cluster/translate/render.ts";
import { type FleetRef, qualifiedName } from "../../../lib/gateway/route.ts";
import { isObject } from "../../../lib/schema/node.ts";
import { ENVOY_PROXY, GATEWAY_CLASS, HTTP_ROUTE, isRoute, SECURITY_POLICY } from "./kinds.ts";
import { sharedPolicyOf } from "./shared_policies.ts";
import type { Term } from "./term.ts";

/** The records of the groups of an owner (an API or a static route), by the name of the group's HTTPRoute. */
export type Groups = ReadonlyMap<string, GroupRecord>;

/**
 * How long routes to delete wait until the gateway has closed them, in milliseconds. After that the gateway counts as
 * dead, and the routes are deleted.
 */
const MAX_CLOSING = 300_000;

/** The fingerprint (it identifies a protection) of groups that the shared policy for request validation protects. */
const CHECKED = "checked";

/** Updates the records of an owner's groups. Requeues the owner for the time when the state of a group may change. */
export async function updateGroups(
  term: Term,
  key: string,
  { objects, protections }: Rendering,
  fleet: FleetRef,
  gateway: GatewayName,
): Promise<Groups> {
  const groups = new Map<string, GroupRecord>();
  const checked = objects.filter(isChecked);
  if (protections.length === 0 && checked.length === 0) return groups;
  const drain = await drainTimeOfGateway(term, gateway);
  const desired = new Map(objects.map((object) => [keyOfObject(object), object]));
  for (const protection of protections) {
    const observed = observe(term, protection, desired, gateway);
    groups.set(protection.group, updateGroup(term, keyOfId(protection.route), observed, drain));
  }
  for (const route of checked) groups.set(route.metadata.name, recordOfRoute(term, route, fleet, gateway, drain));
  for (const { lookAgain } of groups.values()) if (lookAgain !== undefined) term.requeue.addLater(key, lookAgain);
  return groups;
}

/** The permissions of a group in its state, such as to be open; `undefined` for an unknown group. */
export function permissionsOf(groups: Groups, group: string): Permissions | undefined {
  const record = groups.get(group);
  return record && PERMISSIONS[record.state];
}

/** Whether the policies of all groups of an owner may be written now. */
function mayChangeAllPolicies(groups: Groups, protections: readonly Protection[]): boolean {
  return protections.every(({ group }) => permissionsOf(groups, group)?.mayChangePolicies === true);
}

/** The keys of the policies that must not be written in the present states of their groups. */
export function heldPolicies(groups: Groups, protections: readonly Protection[]): Set<string> {
  return new Set(
    protections.filter(({ group }) => permissionsOf(groups, group)?.mayChangePolicies !== true)
      .flatMap(({ policies }) => policies.map(keyOfId)),
  );
}

/**
 * Applies the states of groups to the objects of a rendering: routes are closed or open, and policies get a finalizer.
 */
export function protect(
  { mocks }: Term,
  { objects, protections }: Rendering,
  gateway: GatewayName,
  groups: Groups,
): KubernetesObject[] {
  const fingerprints = new Map(protections.map((one) => [one.group, fingerprintOn(gateway, one.fingerprint)]));
  const policies = new Map(protections.flatMap(({ group, policies }) => policies.map((id) => [keyOfId(id), group])));
  return objects.map((object) => {
    const group = policies.get(keyOfObject(object));
    if (group !== undefined) {
      return withFinalizer(groups.get(group)?.state === "paused" ? closedPolicy(object) : object);
    }
    const { name } = object.metadata;
    const permissions = object.kind === HTTP_ROUTE.kind ? permissionsOf(groups, name) : undefined;
    if (permissions === undefined) return object;
    if (permissions.isOpen) {
      return withProtection(object, openWith(fingerprints.get(name) ?? fingerprintOn(gateway, CHECKED)));
    }
    return withProtection(isChecked(object) ? closedRoute(object, mocks) : object, CLOSED);
  });
}

/**
 * Removes the objects of an owner that are no longer desired: first routes that aren't guarded (without an annotation
 * of their protection), then guarded routes once they are closed.
 *
 * @param desired The keys of the desired objects.
 */
export async function removeUndesired(
  term: Term,
  key: string,
  desired: ReadonlySet<string>,
  groups: Groups,
  protections: readonly Protection[],
): Promise<void> {
  const { owned } = term;
  const undesired = owned.ofOwner(key).filter((object) => !desired.has(keyOfObject(object)));
  if (undesired.length === 0) return;
  // Guarded routes stay in the cluster until the routes that replace them are open.
  const isReplaced = [...groups.keys()].every((group) => permissionsOf(groups, group)?.isOpen === true);
  let isLeft = false;
  for (const route of openFirst(undesired)) {
    if (!isGuarded(route) || (isReplaced && await closeRoute(term, key, route))) await removeRoute(term, route);
    else isLeft = true;
  }
  if (isLeft) return;
  // The policies of a group stay in the cluster until nothing depends on them.
  const mayRemovePolicies = mayChangeAllPolicies(groups, protections);
  for (const object of undesired) {
    if (isRoute(object) || (object.kind === SECURITY_POLICY.kind && !mayRemovePolicies)) continue;
    await owned.remove(object);
  }
}

/**
 * Removes all objects of an owner. Closes its guarded routes, removes the routes (guarded ones last), and then the
 * other objects.
 *
 * @returns Whether all objects are removed; else the owner is reconciled again.
 */
export async function removeAll(term: Term, key: string): Promise<boolean> {
  const { owned, removals, requeue, settleTime } = term;
  const objects = owned.ofOwner(key);
  const routes = openFirst(objects);
  const since = removals.get(key) ?? performance.now();
  removals.set(key, since);
  let areClosed = true;
  for (const route of routes) areClosed = await closeRoute(term, key, route) && areClosed;
  const waited = performance.now() - since;
  if (!areClosed && waited < MAX_CLOSING) {
    requeue.addLater(key, MAX_CLOSING);
    return false;
  }
  // Proxies may still have routes that another client has deleted just now. These routes need the policies a while
  // longer.
  if (waited < settleTime && objects.some(({ kind }) => kind === SECURITY_POLICY.kind)) {
    requeue.addLater(key, settleTime - waited);
    return false;
  }
  for (const route of routes) await removeRoute(term, route);
  for (const object of objects) if (!isRoute(object)) await owned.remove(object);
  removals.delete(key);
  return true;
}

async function removeRoute({ owned, groups }: Term, route: KubernetesObject): Promise<void> {
  await owned.remove(route);
  groups.delete(keyOfObject(route));
}

/** Closes a route that is to be removed, if the route is guarded. @returns Whether the route may be removed. */
async function closeRoute(term: Term, key: string, route: KubernetesObject): Promise<boolean> {
  const protection = protectionOf(route);
  if (protection === undefined || protection === "") return true;
  if (protection !== CLOSED) {
    await term.owned.put(withProtection(closedRoute(route, term.mocks), CLOSED));
    return false;
  }
  const gateway = gatewayOfRoute(route);
  if (gateway !== undefined && isShutOut(route, gateway)) return true;
  const { state, lookAgain } = updateGroup(term, keyOfObject(route), {
    fingerprint: "",
    route: protection,
    routeAcceptance: gateway === undefined ? { kind: "pending" } : acceptanceOfRoute(route, gateway),
    policies: "different",
    policiesAcceptance: { kind: "pending" },
  }, 0);
  if (lookAgain !== undefined) term.requeue.addLater(key, lookAgain);
  return PERMISSIONS[state].mayDeleteRoutes;
}

function updateGroup(
  { groups, settleTime: settle }: Term,
  route: string,
  observed: ObservedGroup,
  drain: number,
): GroupRecord {
  const record = nextRecord(observed, groups.get(route), { settle, drain }, performance.now());
  groups.set(route, record);
  return record;
}

function observe(
  { owned }: Term,
  protection: Protection,
  desired: ReadonlyMap<string, KubernetesObject>,
  gateway: GatewayName,
): ObservedGroup {
  const route = owned.get(protection.route);
  const policies = protection.policies.map((id) => ({ present: owned.get(id), wanted: desired.get(keyOfId(id)) }));
  const isSame = policies.every(({ wanted }) => wanted !== undefined && owned.hasSpec(wanted));
  return {
    fingerprint: fingerprintOn(gateway, protection.fingerprint),
    route: protectionOf(route),
    routeAcceptance: route === undefined ? { kind: "pending" } : acceptanceOfRoute(route, gateway),
    policies: isSame ? "same" : policies.every(({ present }) => present === undefined) ? "none" : "different",
    policiesAcceptance: acceptanceOfAll(policies.map(({ present }) => present && acceptanceOfPolicy(present))),
  };
}

/** The record of a route whose requests are validated by the shared policy of its namespace. */
function recordOfRoute(
  term: Term,
  route: KubernetesObject,
  fleet: FleetRef,
  gateway: GatewayName,
  drain: number,
): GroupRecord {
  const observed = {
    fingerprint: fingerprintOn(gateway, CHECKED),
    route: protectionOf(term.owned.get(idOf(route))),
    ...sharedPolicyOf(term, fleet, route.metadata.namespace ?? ""),
  };
  return recordOfChecked(observed, { settle: term.settleTime, drain }, performance.now());
}

/** How long the proxies of a Gateway drain connections, in milliseconds. */
async function drainTimeOfGateway({ client, gateways }: Term, { namespace, name }: GatewayName): Promise<number> {
  const gateway = gateways.get(namespace, name);
  if (gateway === undefined) return drainTimeOf(undefined);
  const className = isObject(gateway.spec) ? gateway.spec["gatewayClassName"] : undefined;
  const own = envoyProxyOf(gateway);
  const gatewayClass = own === undefined && typeof className === "string"
    ? await client.get(GATEWAY_CLASS, "", className)
    : undefined;
  const named = own ?? (gatewayClass && envoyProxyOf(gatewayClass));
  return drainTimeOf(named && await client.get(ENVOY_PROXY, named.namespace, named.name));
}

/**
 * Whether a Gateway doesn't admit a route's namespace. No request reaches such a route, and its status doesn't change,
 * so it needn't be closed before its deletion.
 */
function isShutOut(route: KubernetesObject, gateway: GatewayName): boolean {
  const acceptance = acceptanceOfRoute(route, gateway);
  return acceptance.kind === "refused" && acceptance.reason === "NotAllowedByListeners";
}

/**
 * The routes among objects in the order in which to remove them. Guarded routes come last, because other routes could
 * get the requests of a guarded route that is gone.
 */
function openFirst(objects: readonly KubernetesObject[]): KubernetesObject[] {
  return objects.filter(isRoute).toSorted((a, b) => Number(isGuarded(a)) - Number(isGuarded(b)));
}

/**
 * The fingerprint of a protection on a Gateway. It differs by Gateway, so a route that moves to another Gateway is
 * closed first.
 */
function fingerprintOn(gateway: GatewayName, fingerprint: string): string {
  return `${fingerprint} ${qualifiedName(gateway)}`;
}

function acceptanceOfAll(acceptances: readonly (Acceptance | undefined)[]): Acceptance {
  const refused = acceptances.find((acceptance) => acceptance?.kind === "refused");
  if (refused !== undefined) return refused;
  return { kind: acceptances.every((acceptance) => acceptance?.kind === "accepted") ? "accepted" : "pending" };
}
