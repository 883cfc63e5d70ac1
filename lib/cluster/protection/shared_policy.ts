/**
 * The shared policy: one SecurityPolicy that validates the requests of all HTTPRoutes of a namespace on a fleet. It
 * needs a route to attach to before the first of them exists, so that no route is open for a moment. This route, the
 * keeper, is made first and never removed.
 *
 * @module
 */
import type { Acceptance } from "../status/conditions.ts";

/** A shared policy as it is in the cluster. */
export interface ObservedSharedPolicy {
  /** `metadata.uid` of the policy. */
  readonly uid: string;
  /** `metadata.uid` of the keeper, the route by which the policy is in force at all times. */
  readonly keeperUid: string | undefined;
  /** Whether the gateway has accepted the policy. An accepted policy is in force on the keeper. */
  readonly acceptance: Acceptance;
}

/** What the leader remembers about a shared policy until the end of its term. */
export interface SharedPolicyRecord {
  readonly uid: string;
  readonly keeperUid: string | undefined;
  /** The time since which the policy is in force on new connections, in milliseconds. */
  readonly acceptedSince?: number;
  /** The time when gw first saw that another client had deleted or changed the policy, in milliseconds. */
  readonly brokenSince?: number;
  /**
   * The time since which all routes that depend on the policy are closed, because another client has deleted or changed
   * it, in milliseconds.
   */
  readonly closedSince?: number;
}

/** A shared policy that another client has deleted or changed. */
export interface BrokenPolicy {
  readonly uid: string;
  /**
   * Whether the policy was deleted. It is then in force until its finalizer is removed. A changed policy is in force
   * with the change.
   */
  readonly isDeleted: boolean;
  readonly areRoutesClosed: boolean;
}

/**
 * The longest time for which gw waits until the routes of a changed policy are closed, in milliseconds. Then gw writes
 * the desired policy even if routes are open, because until then they are open with the changed one.
 */
const MAX_CHANGED = 2_000;

/**
 * Computes the next record from the acceptance of the policy. While the gateway processes a change (`pending`), a
 * policy that was in force counts as in force.
 */
export function afterAcceptance(
  known: SharedPolicyRecord | undefined,
  observed: ObservedSharedPolicy | undefined,
  now: number,
): SharedPolicyRecord | undefined {
  if (observed === undefined) return undefined;
  const { uid, keeperUid, acceptance } = observed;
  const { acceptedSince, ...rest } = known?.uid === uid ? known : { uid, keeperUid };
  const wasInForce = known?.uid === uid && known.keeperUid === keeperUid && acceptance.kind !== "refused";
  const since = (wasInForce ? acceptedSince : undefined) ?? (acceptance.kind === "accepted" ? now : undefined);
  return { ...rest, keeperUid, ...(since === undefined ? {} : { acceptedSince: since }) };
}

/**
 * Computes the next record of a policy that another client has deleted or changed, and whether gw may write the policy
 * now. A deleted policy may be written when its routes have been closed for `settle`; a changed one when its routes are
 * closed, or after {@linkcode MAX_CHANGED}.
 */
export function afterBreak(
  known: SharedPolicyRecord | undefined,
  { uid, isDeleted, areRoutesClosed }: BrokenPolicy,
  settle: number,
  now: number,
): { record: SharedPolicyRecord; mayWrite: boolean } {
  const { brokenSince = now, closedSince = now, keeperUid } = known?.uid === uid ? known : { keeperUid: undefined };
  const isSettled = areRoutesClosed && now - closedSince >= settle;
  const mayWrite = isSettled || (!isDeleted && (areRoutesClosed || now - brokenSince >= MAX_CHANGED));
  if (mayWrite) return { record: { uid, keeperUid }, mayWrite };
  return { record: { uid, keeperUid, brokenSince, ...(areRoutesClosed ? { closedSince } : {}) }, mayWrite };
}
