/**
 * Who leads, by a Lease: one of several replicas, the others wait. Only the own clock is asked, never another's: a Lease
 * counts as given up when it hasn't changed for its whole duration.
 *
 * @see {@link https://kubernetes.io/docs/concepts/architecture/leases/}
 * @module
 */
import type { KubernetesObject } from "../../gateway/kubernetes/object.ts";
import { isObject } from "../../openapi/node.ts";

/** Times of leadership, in milliseconds. */
export interface LeaseTimes {
  /** How long a leader is left in peace that has last renewed its Lease. */
  duration: number;
  /** How long a leader acts after it has last renewed it: shorter, so that what it sent has arrived by then. */
  actsFor: number;
  /** From one renewal, or one look, to the next. */
  every: number;
}

/** A Lease as it was seen, and when that was first so. */
export interface SeenLease {
  holder: string;
  resourceVersion: string;
  /** Milliseconds, by the own clock. */
  since: number;
}

/** Remembers what a Lease says; one that has not changed since is as old as before. */
export function seeLease(lease: KubernetesObject, before: SeenLease | undefined, now: number): SeenLease {
  const { resourceVersion = "" } = lease.metadata;
  return before?.resourceVersion === resourceVersion
    ? before
    : { holder: holderOf(lease), resourceVersion, since: now };
}

/** Whether a replica may take a Lease. */
export function mayTake(
  { holder, since }: SeenLease,
  identity: string,
  { duration }: LeaseTimes,
  now: number,
): boolean {
  return holder === "" || holder === identity || now - since > duration;
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

/** The Lease given back: anybody may take it at once. */
export function releasedLease(lease: KubernetesObject, time: string): KubernetesObject {
  const spec = isObject(lease.spec) ? lease.spec : {};
  return { ...lease, spec: { ...spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: time } };
}

function holderOf({ spec }: KubernetesObject): string {
  const holder = isObject(spec) ? spec["holderIdentity"] : undefined;
  return typeof holder === "string" ? holder : "";
}
