/**
 * Leader election by a Lease: one of several replicas leads, the others wait. A replica measures time by its own clock
 * alone: a Lease has expired when it hasn't changed for its whole duration.
 *
 * @see {@link https://kubernetes.io/docs/concepts/architecture/leases/}
 * @module
 */
import type { KubernetesObject } from "./object.ts";
import { isObject } from "../schema/node.ts";

/** Times of leadership, in milliseconds. */
export interface LeaseTimes {
  /** How long after the last renewal other replicas leave a Lease to its holder. */
  duration: number;
  /**
   * How long after the last renewal the leader acts: client-go's renew deadline. It is shorter than the duration, so that
   * its last request has arrived before another replica leads.
   */
  actsFor: number;
  /** From one renewal, or one look, to the next. */
  every: number;
}

/** A Lease as a replica has seen it, and since when. */
export interface SeenLease {
  holder: string;
  /** When the holder says that it was renewed. */
  renewTime: string;
  /** Whether its leader has given it back: nobody leads. */
  isReleased: boolean;
  resourceVersion: string;
  /** Milliseconds, by the replica's own clock. */
  since: number;
}

/** The duration, in seconds, of a Lease that its leader has given back; client-go writes the same. */
const RELEASED_SECONDS = 1;

/** Remembers what a Lease says; one that has not changed since is as old as before. */
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
 * Whether a replica may take a Lease: it was given back, has expired, or the replica itself wrote it last. A holder that
 * somebody else has written may not act at once: the former leader acts until its next renewal fails.
 *
 * @param renewals Each `renewTime` that the replica has sent since its last answered renewal, and that of the latter.
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

/** The Lease given back: any replica may take it at once. */
export function releasedLease(lease: KubernetesObject, time: string): KubernetesObject {
  const spec = isObject(lease.spec) ? lease.spec : {};
  return { ...lease, spec: { ...spec, holderIdentity: "", leaseDurationSeconds: RELEASED_SECONDS, renewTime: time } };
}

function holderOf({ spec }: KubernetesObject): string {
  const holder = isObject(spec) ? spec["holderIdentity"] : undefined;
  return typeof holder === "string" ? holder : "";
}
