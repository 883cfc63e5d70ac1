/**
 * The shared policies for request validation: one SecurityPolicy for each fleet and namespace.
 *
 * @module
 */
import { idOf, type KubernetesObject } from "../../../lib/cluster/object.ts";
import { keyOfOwner, ownerOf } from "../../../lib/cluster/owner.ts";
import { CLOSED, isChecked, protectionOf } from "../../../lib/cluster/protection/protected_objects.ts";
import {
  afterAcceptance,
  afterBreak,
  type ObservedSharedPolicy,
  type SharedPolicyRecord,
} from "../../../lib/cluster/protection/shared_policy.ts";
import {
  type Acceptance,
  acceptanceOfPolicy,
  acceptanceOfRoute,
  gatewayOfRoute,
} from "../../../lib/cluster/status/conditions.ts";
import { type FleetRef, qualifiedName } from "../../../lib/gateway/route.ts";
import { HTTP_ROUTE, SECURITY_POLICY } from "./kinds.ts";
import { isBrokenObject, isTerminating } from "./owned_objects.ts";
import type { Term } from "./term.ts";

/**
 * The interval of checks whether the routes of a policy that another client has changed are closed, in milliseconds.
 */
const CLOSED_CHECK_INTERVAL = 500;

/** Whether a shared policy is accepted, and the time since which it is in force on new connections. */
export interface SharedPolicyState {
  /** Whether the gateway accepts the policy; `undefined` if the policy doesn't exist. */
  readonly acceptance: Acceptance | undefined;
  readonly acceptedSince: number | undefined;
}

/** Returns the state of the shared policy for a fleet and namespace. Updates the leader's record of the policy. */
export function sharedPolicyOf(term: Term, fleet: FleetRef, namespace: string): SharedPolicyState {
  const key = recordKey(fleet, namespace);
  const observed = observe(term, fleet, namespace);
  const record = afterAcceptance(term.sharedPolicies.get(key), observed, performance.now());
  setRecord(term, key, record);
  return { acceptance: observed?.acceptance, acceptedSince: record?.acceptedSince };
}

/**
 * Tells whether an object of a fleet may be written now. A shared policy that another client has deleted or changed is
 * written again only after the routes that depend on it are closed. Until then the fleet is reconciled at intervals.
 *
 * @param key The key of the fleet.
 * @param checked The routes of the fleet with request validation.
 */
export function mayWrite(
  term: Term,
  key: string,
  fleet: FleetRef,
  desired: KubernetesObject,
  checked: readonly KubernetesObject[],
): boolean {
  const policy = desired.kind === SECURITY_POLICY.kind ? term.owned.get(idOf(desired)) : undefined;
  if (policy === undefined || !isBrokenObject(policy)) return true;
  const open = checked.filter((route) => isNeededBy([route], desired) && !isClosed(term, route));
  const place = recordKey(fleet, desired.metadata.namespace ?? "");
  const { record, mayWrite } = afterBreak(
    term.sharedPolicies.get(place),
    { uid: policy.metadata.uid ?? "", isDeleted: isTerminating(policy), areRoutesClosed: open.length === 0 },
    term.settleTime,
    performance.now(),
  );
  setRecord(term, place, record);
  if (mayWrite) return true;
  for (const owner of new Set(open.flatMap((route) => ownerOf(route) ?? []).map(keyOfOwner))) term.requeue.add(owner);
  term.requeue.addLater(key, CLOSED_CHECK_INTERVAL);
  return false;
}

/**
 * Tells whether routes with validated requests need an object of a fleet: the shared policy, or its keeper. The keeper
 * is an HTTPRoute that gw makes first, so that the policy is in force before other routes need it.
 */
export function isNeededBy(
  checked: readonly KubernetesObject[],
  { kind, metadata: { namespace } }: KubernetesObject,
): boolean {
  return (kind === SECURITY_POLICY.kind || kind === HTTP_ROUTE.kind) &&
    checked.some((route) => route.metadata.namespace === namespace && isChecked(route));
}

/** Tells whether an object of a fleet is the shared policy, or its keeper, of one of these namespaces. */
export function isSharedPolicyOf(
  namespaces: readonly string[],
  { kind, metadata: { namespace = "" } }: KubernetesObject,
): boolean {
  return (kind === SECURITY_POLICY.kind || kind === HTTP_ROUTE.kind) && namespaces.includes(namespace);
}

function observe({ owned, classes }: Term, fleet: FleetRef, namespace: string): ObservedSharedPolicy | undefined {
  const objects = owned.ofOwner(keyOfOwner({ kind: "Fleet", ...fleet }))
    .filter(({ metadata }) => metadata.namespace === namespace);
  const policy = objects.find(({ kind }) => kind === SECURITY_POLICY.kind);
  const keeper = objects.find(({ kind }) => kind === HTTP_ROUTE.kind);
  if (policy === undefined) return undefined;
  return {
    uid: policy.metadata.uid ?? "",
    keeperUid: keeper?.metadata.uid,
    acceptance: acceptanceOf(classes, policy, keeper),
  };
}

function acceptanceOf(
  classes: Term["classes"],
  policy: KubernetesObject,
  keeper: KubernetesObject | undefined,
): Acceptance {
  if (isBrokenObject(policy)) {
    const message = "somebody has deleted or changed the policy that has requests checked";
    return { kind: "refused", reason: "Changed", message };
  }
  const place = keeper && gatewayOfRoute(keeper);
  const gateway = place && classes.withController(place);
  const acceptance = acceptanceOfPolicy(policy, gateway?.controller);
  if (acceptance.kind !== "accepted") return acceptance;
  // A policy is in force only if a route to which it attaches is accepted. The keeper is a route that gw never removes.
  return keeper === undefined || gateway === undefined ? { kind: "pending" } : acceptanceOfRoute(keeper, gateway);
}

/** Tells whether a route is closed and its Gateway has accepted this, so that no request reaches the upstream. */
function isClosed({ classes }: Term, route: KubernetesObject): boolean {
  const gateway = gatewayOfRoute(route);
  return protectionOf(route) === CLOSED && gateway !== undefined &&
    acceptanceOfRoute(route, classes.withController(gateway)).kind === "accepted";
}

function recordKey(fleet: FleetRef, namespace: string): string {
  return `${qualifiedName(fleet)} ${namespace}`;
}

function setRecord({ sharedPolicies }: Term, key: string, record: SharedPolicyRecord | undefined): void {
  if (record === undefined) sharedPolicies.delete(key);
  else sharedPolicies.set(key, record);
}
