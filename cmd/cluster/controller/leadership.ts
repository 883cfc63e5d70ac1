import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import {
  heldLease,
  type LeaseTimes,
  mayTake,
  releasedLease,
  seeLease,
  type SeenLease,
} from "../../../lib/cluster/lease.ts";
import { type KubeClient, KubeError } from "../client.ts";
import { LEASE } from "./kinds.ts";

/** A term of leadership: from when a replica got the Lease until it loses it. */
export interface LeaseTerm {
  /**
   * Whether the replica may act in this term; ask before each change. It says no as soon as the time since the last
   * renewal is over, also in a process that was suspended and has just woken.
   */
  readonly isCurrent: boolean;
  /** Aborted when the term is over. */
  readonly signal: AbortSignal;
}

/** Takes part in the election of a leader. */
export interface Leadership {
  /** Whether this replica leads now. */
  readonly isLeader: boolean;
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
  /** Told of the term that begins; of `undefined` when one ends. */
  onChange: (term: LeaseTerm | undefined) => void;
  onError: (error: unknown) => void;
}

/** Another replica follows a leader that dies within 12 seconds. */
export const LEASE_TIMES: LeaseTimes = { duration: 10_000, actsFor: 6_000, every: 2_000 };

/** Makes a candidate. */
export function createLeadership(options: LeadershipOptions): Leadership {
  const { client, namespace, name, identity, times = LEASE_TIMES, now, onChange, onError } = options;
  let seen: SeenLease | undefined;
  let held: KubernetesObject | undefined;
  /** Each `renewTime` that was sent since the last answered renewal, and that of the latter. */
  let renewals: string[] = [];
  /** When the last renewal that was answered was sent. */
  let renewed: Moment | undefined;
  let term: { abort: () => void } & LeaseTerm | undefined;
  let expiry: ReturnType<typeof setTimeout> | undefined;

  return {
    get isLeader() {
      return term?.isCurrent === true;
    },
    async run(signal) {
      while (!signal.aborted) {
        const isHeld = await tryOnce();
        // Others look more often, so that a Lease that was given back is taken soon.
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
    const asked = moment();
    const patience = AbortSignal.timeout(times.every * 2);
    try {
      const lease = held ?? await client.get(LEASE, namespace, name);
      if (lease === undefined) {
        const metadata = { name, namespace };
        const fresh = { apiVersion: LEASE.apiVersion, kind: LEASE.kind, metadata };
        return lead(await client.create(LEASE, renew(fresh), { signal: patience }), asked);
      }
      if (held === undefined) {
        seen = seeLease(lease, seen, asked.monotonic);
        if (!mayTake(seen, identity, renewals, times, asked.monotonic)) return false;
      }
      return lead(await client.replace(LEASE, renew(lease), { signal: patience }), asked);
    } catch (error) {
      // Another replica was faster, or somebody has written the Lease: look anew.
      const isBeaten = error instanceof KubeError && (error.status === 409 || error.status === 404);
      if (isBeaten) resign();
      else if (!(error instanceof DOMException && error.name === "TimeoutError")) onError(error);
      // A renewal that got no answer may have come through: the next one says.
      if (!isBeaten) held = undefined;
      return false;
    }
  }

  function renew(lease: KubernetesObject): KubernetesObject {
    const time = timeText();
    renewals.push(time);
    return heldLease(lease, identity, times, time);
  }

  /** @returns Whether the answer to a renewal came in time. */
  function lead(lease: KubernetesObject, asked: Moment): boolean {
    renewals = renewals.slice(-1);
    // Another replica may have led since the last renewal: whatever is to be done now belongs to a new term.
    if (isOver()) resign();
    if (isExpired(asked)) return false;
    held = lease;
    seen = undefined;
    renewed = asked;
    clearTimeout(expiry);
    expiry = setTimeout(resign, asked.monotonic + times.actsFor - performance.now());
    if (term !== undefined) return true;
    term = createTerm();
    onChange(term);
    return true;
  }

  function createTerm(): NonNullable<typeof term> {
    const controller = new AbortController();
    return {
      get isCurrent() {
        return !controller.signal.aborted && !isOver();
      },
      signal: controller.signal,
      abort: () => controller.abort(),
    };
  }

  function resign(): void {
    clearTimeout(expiry);
    held = undefined;
    renewed = undefined;
    if (term === undefined) return;
    term.abort();
    term = undefined;
    onChange(undefined);
  }

  function isOver(): boolean {
    return renewed === undefined || isExpired(renewed);
  }

  /** The monotonic clock stands still while a machine sleeps, and the wall clock may be set back: the faster counts. */
  function isExpired({ monotonic, wall }: Moment): boolean {
    return performance.now() - monotonic >= times.actsFor || now() - wall >= times.actsFor;
  }

  function moment(): Moment {
    return { monotonic: performance.now(), wall: now() };
  }

  /** RFC 3339 with microseconds, as a MicroTime is written. */
  function timeText(): string {
    return new Date(now()).toISOString().replace("Z", "000Z");
  }
}

/** A time by two clocks, in milliseconds. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
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
