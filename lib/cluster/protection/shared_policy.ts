/**
 * The shared policy for request validation: one SecurityPolicy for all routes of a namespace on a fleet. The keeper is
 * a route with this policy that gw makes first and never removes, so that the policy is in force before the first route
 * needs it.
 *
 * @module
 */
import type { Acceptance } from "../status/conditions.ts";

/** A shared policy as it is in the cluster. */
export interface ObservedSharedPolicy {
  /** Unique id of the policy. */
  readonly uid: string;
  /** Unique id of the keeper. */
  readonly keeperUid: string | undefined;
  /** Whether the gateway has accepted the policy. An accepted policy is in force on the keeper. */
  readonly acceptance: Acceptance;
}

/** The leader's record of a shared policy, until the end of the term. */
export interface SharedPolicyRecord {
  readonly uid: string;
  readonly keeperUid: string | undefined;
  /** The time since which the policy is in force for new connections; milliseconds. */
  readonly acceptedSince?: number;
  /** When a deletion or change of the policy by another client was first seen; milliseconds. */
  readonly brokenSince?: number;
  /**
   * The time since which all routes that depend on the policy are closed, because another client has deleted or changed
   * the policy; milliseconds.
   */
  readonly closedSince?: number;
}

/** A shared policy that another client has deleted or changed, and the routes that depend on the policy. */
export interface BrokenPolicy {
  readonly uid: string;
  /**
   * Whether the policy was deleted or changed. A deleted policy is in force until its finalizer is removed; a changed
   * one is in force as changed.
   */
  readonly isDeleted: boolean;
  readonly areRoutesClosed: boolean;
}

/**
 * The longest time for which a changed policy waits until its routes are closed, in milliseconds. After that gw writes
 * the desired policy even if routes are still open, because the changed one is in force on them.
 */
const MAX_CHANGED = 2_000;

/**
 * The next record, after the acceptance of the policy was observed. While the gateway processes a change (`pending`), a
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
 * The next record of a broken policy, and whether gw may write the policy now. A deleted policy may be written when its
 * routes have been closed for `settle`, a changed one when they are closed or {@linkcode MAX_CHANGED} is over.
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
