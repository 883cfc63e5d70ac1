import type { KubernetesObject } from "../../../../lib/gateway/kubernetes/object.ts";
import {
  heldLease,
  type LeaseTimes,
  mayTake,
  releasedLease,
  seeLease,
  type SeenLease,
} from "../../../../lib/management/kubernetes/lease.ts";
import { type KubeClient, KubeError } from "../client.ts";
import { LEASE } from "./kinds.ts";

/** Takes part in the choice of a leader. */
export interface Leadership {
  /** Whether this replica may act now; ask before each change. */
  readonly isLeader: boolean;
  /** Aborted when it may act no longer; of no use while it doesn't lead. */
  readonly term: AbortSignal;
  /** Takes part until the signal says stop, and then gives the Lease back. */
  run(signal: AbortSignal): Promise<void>;
}

/** What taking part needs. */
export interface LeadershipOptions {
  client: Pick<KubeClient, "get" | "create" | "replace">;
  namespace: string;
  /** Name of the Lease. */
  name: string;
  /** Who this replica is. */
  identity: string;
  times?: LeaseTimes;
  /** The time in milliseconds since 1970, for the Lease's readers. */
  now: () => number;
  onChange: (isLeader: boolean) => void;
  onError: (error: unknown) => void;
}

/** A leader that dies is followed by another within 12 seconds. */
export const LEASE_TIMES: LeaseTimes = { duration: 10_000, actsFor: 6_000, every: 2_000 };

/** Makes a candidate. */
export function createLeadership(options: LeadershipOptions): Leadership {
  const { client, namespace, name, identity, times = LEASE_TIMES, now, onChange, onError } = options;
  let seen: SeenLease | undefined;
  let held: KubernetesObject | undefined;
  /** By the clock that never jumps. */
  let actsUntil = -Infinity;
  let term = new AbortController();
  let expiry: ReturnType<typeof setTimeout> | undefined;
  let wasLeader = false;

  return {
    get isLeader() {
      return performance.now() < actsUntil;
    },
    get term() {
      return term.signal;
    },
    async run(signal) {
      while (!signal.aborted) {
        const isHeld = await tryOnce();
        // Others look more often, so that a Lease that was given back doesn't lie about.
        await pause(isHeld ? times.every : times.every / 2, signal);
      }
      const last = held;
      resign();
      if (last === undefined) return;
      // What was sent may still be under way; the Lease goes back after it.
      await client.replace(LEASE, releasedLease(last, timeText())).catch(onError);
    },
  };

  /** @returns Whether the Lease is held now. */
  async function tryOnce(): Promise<boolean> {
    const asked = performance.now();
    const patience = AbortSignal.timeout(times.every * 2);
    try {
      const lease = held ?? await client.get(LEASE, namespace, name);
      if (lease === undefined) {
        const metadata = { name, namespace };
        const fresh = { apiVersion: LEASE.apiVersion, kind: LEASE.kind, metadata };
        lead(await client.create(LEASE, heldLease(fresh, identity, times, timeText()), { signal: patience }), asked);
        return true;
      }
      if (held === undefined) {
        seen = seeLease(lease, seen, asked);
        if (!mayTake(seen, identity, times, asked)) return false;
      }
      lead(await client.replace(LEASE, heldLease(lease, identity, times, timeText()), { signal: patience }), asked);
      return true;
    } catch (error) {
      // Somebody else was faster, or has taken it: look anew.
      const isBeaten = error instanceof KubeError && (error.status === 409 || error.status === 404);
      if (isBeaten) resign();
      else if (!(error instanceof DOMException && error.name === "TimeoutError")) onError(error);
      // A renewal that got no answer may have come through: the next one says.
      if (!isBeaten) held = undefined;
      return false;
    }
  }

  function lead(lease: KubernetesObject, asked: number): void {
    // Its time was over before the answer came: what was not done since is for a new term.
    if (wasLeader && performance.now() >= actsUntil) resign();
    held = lease;
    seen = undefined;
    actsUntil = asked + times.actsFor;
    clearTimeout(expiry);
    expiry = setTimeout(resign, actsUntil - performance.now());
    if (wasLeader) return;
    wasLeader = true;
    term = new AbortController();
    onChange(true);
  }

  function resign(): void {
    clearTimeout(expiry);
    held = undefined;
    actsUntil = -Infinity;
    if (!wasLeader) return;
    wasLeader = false;
    term.abort();
    onChange(false);
  }

  /** RFC 3339 with microseconds, as a MicroTime is written. */
  function timeText(): string {
    return new Date(now()).toISOString().replace("Z", "000Z");
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done);
  });
}
