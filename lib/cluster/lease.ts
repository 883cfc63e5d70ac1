/**
 * Leader election by a Lease: one of several replicas is the leader, the others are candidates. A replica doesn't
 * compare its clock with the clocks of others: a Lease has expired when this replica hasn't seen it change for the
 * Lease's whole duration.
 *
 * @see {@link https://kubernetes.io/docs/concepts/architecture/leases/}
 * @module
 */
import type { KubernetesObject } from "./object.ts";
import { isObject } from "../schema/node.ts";

/** Times of leader election, in milliseconds. */
export interface LeaseTimes {
  /** The time after the last renewal before a candidate may take the Lease from its holder. */
  duration: number;
  /**
   * The time after the last renewal for which the leader sends writes: client-go's renew deadline. This is shorter than
   * the duration, so that the last write has arrived before another replica becomes the leader.
   */
  actsFor: number;
  /** The interval between renewals, and between reads by candidates. */
  every: number;
}

/** A Lease as a replica has last read it. */
export interface SeenLease {
  holder: string;
  /** The holder's time of the last renewal, RFC 3339. */
  renewTime: string;
  /** Whether the leader has released the Lease. */
  isReleased: boolean;
  resourceVersion: string;
  /** When this replica read this state first, in milliseconds by its own clock. */
  since: number;
}

/** The duration of a released Lease, in seconds; client-go writes the same. */
const RELEASED_SECONDS = 1;

/** Records a Lease that was read. If it hasn't changed, the record keeps the time when this state was read first. */
export function seeLease(lease: KubernetesObject, before: SeenLease | undefined, now: number): SeenLease {
  const { resourceVersion = "" } = lease.metadata;
  if (before?.resourceVersion === resourceVersion) return before;
  const spec = isObject(lease.spec) ? lease.spec : {};
  const { leaseDurationSeconds: seconds = RELEASED_SECONDS, renewTime } = spec;
  const holder = holderOf(lease);
  return {
    holder,
    renewTime: typeof renewTime === "string" ? renewTime : "",
    isReleased: holder === "" && typeof seconds === "number" && seconds <= RELEASED_SECONDS,
    resourceVersion,
    since: now,
  };
}

/**
 * Whether a replica may take a Lease: it was released, has expired, or was last written by this replica itself. If
 * another client has written this replica's name as the holder, the replica must wait until the Lease expires: the
 * former leader sends writes until its next renewal fails.
 *
 * @param renewals The `renewTime` of the last answered renewal of this replica, and of each renewal sent since.
 */
export function mayTake(
  { holder, renewTime, isReleased, since }: SeenLease,
  identity: string,
  renewals: readonly string[],
  { duration }: LeaseTimes,
  now: number,
): boolean {
  const isOwn = holder === identity && renewals.includes(renewTime);
  return isReleased || isOwn || now - since > duration;
}

/**
 * The `spec` of a Lease that a replica takes or renews.
 *
 * @param time RFC 3339 with microseconds
 */
export function heldLease(
  lease: KubernetesObject,
  identity: string,
  { duration }: LeaseTimes,
  time: string,
): KubernetesObject {
  const spec = isObject(lease.spec) ? lease.spec : {};
  const isMine = holderOf(lease) === identity;
  const transitions = typeof spec["leaseTransitions"] === "number" ? spec["leaseTransitions"] : 0;
  return {
    ...lease,
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(duration / 1000),
      acquireTime: isMine ? spec["acquireTime"] ?? time : time,
      renewTime: time,
      leaseTransitions: isMine ? transitions : transitions + 1,
    },
  };
}

/** The released Lease: any replica may take it at once. */
export function releasedLease(lease: KubernetesObject, time: string): KubernetesObject {
  const spec = isObject(lease.spec) ? lease.spec : {};
  return { ...lease, spec: { ...spec, holderIdentity: "", leaseDurationSeconds: RELEASED_SECONDS, renewTime: time } };
}

function holderOf({ spec }: KubernetesObject): string {
  const holder = isObject(spec) ? spec["holderIdentity"] : undefined;
  return typeof holder === "string" ? holder : "";
}
