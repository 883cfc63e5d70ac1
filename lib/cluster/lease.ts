/**
 * Leader election by a Lease, as in client-go: one of several replicas holds the Lease and is the leader. Replicas
 * don't compare their clocks. For a replica, the Lease has expired when the replica hasn't seen it change for the
 * Lease's duration.
 *
 * @see {@link https://kubernetes.io/docs/concepts/architecture/leases/}
 * @module
 */
import type { KubernetesObject } from "./object.ts";
import { isObject } from "../schema/json/node.ts";

/** The times of leader election, in milliseconds. client-go has the same times, by the names in brackets. */
export interface LeaseTimes {
  /** The time without a renewal after which another replica may take the Lease (`LeaseDuration`). */
  duration: number;
  /**
   * The time after the last renewal for which the leader may still send writes (`RenewDeadline`). It is shorter than
   * the duration, so that the last write has arrived before another replica becomes the leader.
   */
  renewDeadline: number;
  /** The interval between renewals by the leader, and between reads by the other replicas (`RetryPeriod`). */
  retryPeriod: number;
}

/** A state of the Lease as a replica has read it. */
export interface ObservedLease {
  holder: string;
  /** The time of the last renewal by the clock of the holder (RFC 3339). */
  renewTime: string;
  /** Whether the leader has released the Lease. */
  isReleased: boolean;
  resourceVersion: string;
  /** The time when this replica first read this state, in milliseconds of its monotonic clock. */
  since: number;
}

/** The duration that a released Lease gets, in seconds, as client-go writes it. */
const RELEASED_SECONDS = 1;

/** Records a Lease that was read. If its state hasn't changed since the last read, the time of the first read stays. */
export function observeLease(lease: KubernetesObject, before: ObservedLease | undefined, now: number): ObservedLease {
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
 * Tells whether a replica may take the Lease: the Lease was released, has expired, or is held by this replica.
 *
 * If the Lease names this replica but has a `renewTime` that the replica hasn't written, another client has written it.
 * Then the replica must wait for expiry, because the former leader sends writes until its next renewal fails.
 *
 * @param renewals The `renewTime` of the last answered renewal of this replica, and of each renewal sent since.
 */
export function mayAcquire(
  { holder, renewTime, isReleased, since }: ObservedLease,
  identity: string,
  renewals: readonly string[],
  { duration }: LeaseTimes,
  now: number,
): boolean {
  const isOwn = holder === identity && renewals.includes(renewTime);
  return isReleased || isOwn || now - since > duration;
}

/**
 * Makes the Lease as a replica takes or renews it.
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

/** Makes the Lease as its holder releases it, so that any replica may take it at once. */
export function releasedLease(lease: KubernetesObject, time: string): KubernetesObject {
  const spec = isObject(lease.spec) ? lease.spec : {};
  return { ...lease, spec: { ...spec, holderIdentity: "", leaseDurationSeconds: RELEASED_SECONDS, renewTime: time } };
}

function holderOf({ spec }: KubernetesObject): string {
  const holder = isObject(spec) ? spec["holderIdentity"] : undefined;
  return typeof holder === "string" ? holder : "";
}
