/**
 * Opens and closes the groups of APIs and static routes. A group is the protected routes of an HTTPRoute, with their
 * policies. This file reads the state of each group from the cluster, computes its next state by
 * lib/cluster/protection/protection.ts, and decides by it which objects are written and removed.
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
  isOpenOn,
  meansOf,
  openWith,
  protectionOf,
  withFinalizer,
  withProtection,
} from "../../../lib/cluster/protection/protected_objects.ts";
import { isRetired, retiredRoute } from "../../../lib/cluster/rule_slots.ts";
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
import { isObject } from "../../../lib/schema/json/node.ts";
import { ENVOY_PROXY, GATEWAY_CLASS, HTTP_ROUTE, isRoute, SECURITY_POLICY } from "./kinds.ts";
import { isBrokenObject } from "./owned_objects.ts";
import { retire } from "./rollout.ts";
import { sharedPolicyOf } from "./shared_policies.ts";
import type { Term } from "./term.ts";

/** The records of the groups of an API or static route, by the name of the HTTPRoute. */
export type Groups = ReadonlyMap<string, GroupRecord>;

/**
 * The longest time for which routes to be deleted wait until the gateway has closed them, in milliseconds. After this
 * time the gateway counts as dead, and the routes are deleted.
 */
const MAX_CLOSING = 300_000;

/**
 * The fingerprint of groups that only the shared policy protects. The fingerprint of other groups is a hash of their
 * policies.
 */
const CHECKED = "checked";

/**
 * Updates the records of the groups of an API or static route, and requeues it for the time when a group's state may
 * change.
 */
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

/** Returns the changes that the present state of a group allows; `undefined` for an unknown group. */
export function permissionsOf(groups: Groups, group: string): Permissions | undefined {
  const record = groups.get(group);
  return record && PERMISSIONS[record.state];
}

/** Tells whether the policies of all protected groups of a rendering may be written now. */
function mayChangeAllPolicies(groups: Groups, protections: readonly Protection[]): boolean {
  return protections.every(({ group }) => permissionsOf(groups, group)?.mayChangePolicies === true);
}

/** Returns the keys of the policies that the present states of their groups don't allow to be written. */
export function heldPolicies(groups: Groups, protections: readonly Protection[]): Set<string> {
  return new Set(
    protections.filter(({ group }) => permissionsOf(groups, group)?.mayChangePolicies !== true)
      .flatMap(({ policies }) => policies.map(keyOfId)),
  );
}

/** Applies the states of groups to rendered objects: closes or opens routes, and adds a finalizer to policies. */
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
 * Removes the objects of an API or static route that are no longer desired: first routes that aren't guarded, then
 * guarded routes when they are closed, then all other objects.
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
  // Guarded routes are removed only when the routes that replace them are open.
  const isReplaced = [...groups.keys()].every((group) => permissionsOf(groups, group)?.isOpen === true);
  let isLeft = false;
  for (const route of guardedLast(undesired)) {
    const mayRemove = isGuarded(route)
      ? isReplaced && await closeReplaced(term, key, route)
      : await retire(term, key, route);
    if (mayRemove) await removeRoute(term, route);
    else isLeft = true;
  }
  if (isLeft) return;
  // The policies of a group are removed only when no open route depends on them.
  const mayRemovePolicies = mayChangeAllPolicies(groups, protections);
  for (const object of undesired) {
    if (isRoute(object) || (object.kind === SECURITY_POLICY.kind && !mayRemovePolicies)) continue;
    await owned.remove(object);
  }
}

/**
 * Removes all objects of an API or static route: closes guarded routes, removes the routes (guarded routes last), and
 * then all other objects.
 *
 * @returns Whether all objects are removed; else the owner is reconciled again.
 */
export async function removeAll(term: Term, key: string): Promise<boolean> {
  const { owned, removals, requeue, settleTime } = term;
  const objects = owned.ofOwner(key);
  const routes = guardedLast(objects);
  const since = removals.get(key) ?? performance.now();
  removals.set(key, since);
  let areClosed = true;
  for (const route of routes) areClosed = await closeRoute(term, key, route) && areClosed;
  const waited = performance.now() - since;
  if (!areClosed && waited < MAX_CLOSING) {
    requeue.addLater(key, MAX_CLOSING);
    return false;
  }
  // If another client has just deleted routes, proxies may still have them. These routes need their policies until
  // then.
  if (waited < settleTime && objects.some(({ kind }) => kind === SECURITY_POLICY.kind)) {
    requeue.addLater(key, settleTime - waited);
    return false;
  }
  for (const route of routes) await removeRoute(term, route);
  for (const object of objects) if (!isRoute(object)) await owned.remove(object);
  removals.delete(key);
  return true;
}

async function removeRoute({ owned, groups, settling }: Term, route: KubernetesObject): Promise<void> {
  await owned.remove(route);
  groups.delete(keyOfObject(route));
  settling.delete(keyOfObject(route));
}

/**
 * Closes a route that is to be removed, if it is guarded.
 *
 * @returns Whether the route may be removed.
 */
async function closeRoute(term: Term, key: string, route: KubernetesObject): Promise<boolean> {
  const protection = protectionOf(route);
  if (protection === undefined || protection === "") return true;
  if (protection !== CLOSED) {
    await term.owned.put(withProtection(closedRoute(route, term.mocks), CLOSED));
    return false;
  }
  const place = gatewayOfRoute(route);
  if (place !== undefined) await term.classes.load(place);
  const gateway = place && term.classes.withController(place);
  if (gateway !== undefined && isNotAdmitted(route, gateway)) return true;
  const { state, lookAgain } = updateGroup(term, keyOfObject(route), {
    fingerprint: "",
    route: protection,
    routeAcceptance: gateway === undefined ? { kind: "pending" } : acceptanceOfRoute(route, gateway),
    policies: "different",
    policiesAcceptance: { kind: "pending" },
    isOpen: false,
  }, 0);
  if (lookAgain !== undefined) term.requeue.addLater(key, lookAgain);
  return PERMISSIONS[state].mayDeleteRoutes;
}

/**
 * Closes a guarded route whose requests other routes serve, and takes its matches, so that the others get its requests.
 *
 * @returns Whether the route may be removed.
 */
async function closeReplaced(term: Term, key: string, route: KubernetesObject): Promise<boolean> {
  if (isRetired(route)) return await closeRoute(term, key, route);
  await term.owned.put(withProtection(closedRoute(retiredRoute(route), term.mocks), CLOSED));
  return false;
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
  const isOutdated = policies.every(({ present, wanted }) =>
    present !== undefined && wanted !== undefined && !isBrokenObject(present) && meansOf(present) === meansOf(wanted)
  );
  const isNone = policies.every(({ present }) => present === undefined);
  // A route that was created again may reach proxies before the filter of its policy does.
  const version = [route?.metadata.uid, ...policies.map(({ present }) => versionOf(present))].join();
  return {
    fingerprint: fingerprintOn(gateway, protection.fingerprint),
    route: protectionOf(route),
    routeAcceptance: route === undefined ? { kind: "pending" } : acceptanceOfRoute(route, gateway),
    policies: isSame ? "same" : isOutdated ? "outdated" : isNone ? "none" : "different",
    isOpen: isOpenOn(protectionOf(route), qualifiedName(gateway)),
    policiesAcceptance: acceptanceOfAll(
      policies.map(({ present }) => present && acceptanceOfPolicy(present, gateway.controller)),
    ),
    version: `${version} ${qualifiedName(gateway)}`,
  };
}

function versionOf(policy: KubernetesObject | undefined): string {
  return policy === undefined ? "none" : `${policy.metadata.uid}/${policy.metadata.generation}`;
}

/** Computes the record of a group whose requests the shared policy of its namespace validates. */
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
  const key = keyOfObject(route);
  const times = { settle: term.settleTime, drain };
  const record = recordOfChecked(observed, times, performance.now(), term.groups.get(key));
  term.groups.set(key, record);
  return record;
}

/** Returns the drain time of the proxies of a Gateway, in milliseconds. */
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
 * Tells whether a Gateway doesn't admit the namespace of a route. No request reaches such a route, and Envoy Gateway
 * wouldn't report that it is closed, so the route is deleted without being closed.
 */
function isNotAdmitted(route: KubernetesObject, gateway: GatewayName): boolean {
  const acceptance = acceptanceOfRoute(route, gateway);
  return acceptance.kind === "refused" && acceptance.reason === "NotAllowedByListeners";
}

/**
 * Returns the HTTPRoutes among objects in the order of removal. Guarded routes come last, because an open route could
 * get the requests of a guarded route that is gone.
 */
function guardedLast(objects: readonly KubernetesObject[]): KubernetesObject[] {
  return objects.filter(isRoute).toSorted((a, b) => Number(isGuarded(a)) - Number(isGuarded(b)));
}

/**
 * Returns the fingerprint of a protection together with the Gateway. So a route that moves to another Gateway counts as
 * changed, and is closed first.
 */
function fingerprintOn(gateway: GatewayName, fingerprint: string): string {
  return `${fingerprint} ${qualifiedName(gateway)}`;
}

function acceptanceOfAll(acceptances: readonly (Acceptance | undefined)[]): Acceptance {
  const refused = acceptances.find((acceptance) => acceptance?.kind === "refused");
  if (refused !== undefined) return refused;
  return { kind: acceptances.every((acceptance) => acceptance?.kind === "accepted") ? "accepted" : "pending" };
}
