import {
  heldLease,
  type LeaseTimes,
  mayAcquire,
  type ObservedLease,
  observeLease,
  releasedLease,
} from "../../../lib/cluster/lease.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { sleep } from "../../io/sleep.ts";
import { type KubeClient, KubeError } from "../client.ts";
import { LEASE } from "./kinds.ts";

/** A term of leadership: the time from winning the Lease to losing it. */
export interface LeaseTerm {
  /**
   * Whether the term lasts; read it before each write. It becomes false as soon as {@linkcode LeaseTimes.renewDeadline}
   * has passed since the last renewal, even in a process that was suspended and has just been resumed.
   */
  readonly isCurrent: boolean;
  /** A signal that is aborted at the end of the term. */
  readonly signal: AbortSignal;
}

/** Options of {@linkcode Leadership}. */
export interface LeadershipOptions {
  client: Pick<KubeClient, "get" | "create" | "replace">;
  namespace: string;
  /** The name of the Lease. */
  name: string;
  /** The name of this replica. */
  identity: string;
  times?: LeaseTimes;
  /** Returns the time of the wall clock in milliseconds since 1970, for the times in the Lease and for its expiry. */
  now: () => number;
  /** Called with a term when it begins, and with `undefined` when it ends. */
  onChange: (term: LeaseTerm | undefined) => void;
  onError: (error: unknown) => void;
}

/** With these times, another replica replaces a dead leader within 12 seconds. */
export const LEASE_TIMES: LeaseTimes = { duration: 10_000, renewDeadline: 6_000, retryPeriod: 2_000 };

/** A replica's part in the election of the leader. */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #times: LeaseTimes;
  #seen: ObservedLease | undefined;
  #held: KubernetesObject | undefined;
  /**
   * The `renewTime` of the last renewal that was answered, and of each renewal sent since. By these times, a replica
   * recognises a Lease that it has written itself.
   */
  #renewals: string[] = [];
  /** The time when the last answered renewal was sent. */
  #renewed: Moment | undefined;
  #term: { term: LeaseTerm; end: () => void } | undefined;
  #expiry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LeadershipOptions) {
    this.#options = options;
    this.#times = options.times ?? LEASE_TIMES;
  }

  get isLeader(): boolean {
    return this.#term?.term.isCurrent === true;
  }

  /** Takes part in the election until the signal is aborted, and then releases the Lease. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, onError } = this.#options;
    while (!signal.aborted) {
      const isHeld = await this.#tryOnce();
      // Other replicas read the Lease twice as often as the leader renews it, so that a released Lease is taken soon.
      await sleep(isHeld ? this.#times.retryPeriod : this.#times.retryPeriod / 2, signal);
    }
    const last = this.#held;
    this.#resign();
    if (last === undefined) return;
    // The term ends before the Lease is released, so that this replica sends no write while another one is the leader.
    await client.replace(LEASE, releasedLease(last, this.#timeText())).catch(onError);
  }

  /**
   * Tries once to acquire or renew the Lease.
   *
   * @returns Whether this replica holds the Lease.
   */
  async #tryOnce(): Promise<boolean> {
    const { client, namespace, name, identity, onError } = this.#options;
    try {
      const lease = this.#held ?? await client.get(LEASE, namespace, name, { signal: this.#deadline() });
      // The time is taken after the answer: the Lease that a slow read returns may have been renewed just before the
      // answer, and must not seem older than it is.
      const asked = this.#moment();
      const deadline = this.#deadline();
      if (lease === undefined) {
        const metadata = { name, namespace };
        const fresh = { apiVersion: LEASE.apiVersion, kind: LEASE.kind, metadata };
        return this.#lead(await client.create(LEASE, this.#renew(fresh), { signal: deadline }), asked);
      }
      if (this.#held === undefined) {
        this.#seen = observeLease(lease, this.#seen, asked.monotonic);
        if (!mayAcquire(this.#seen, identity, this.#renewals, this.#times, asked.monotonic)) return false;
      }
      return this.#lead(await client.replace(LEASE, this.#renew(lease), { signal: deadline }), asked);
    } catch (error) {
      // Another client, usually another replica, has written or deleted the Lease first.
      const hasLostRace = error instanceof KubeError && (error.status === 409 || error.status === 404);
      if (hasLostRace) this.#resign();
      else if (!(error instanceof DOMException && error.name === "TimeoutError")) onError(error);
      // A renewal without an answer may have been stored all the same. The next read of the Lease tells.
      if (!hasLostRace) this.#held = undefined;
      return false;
    }
  }

  /** Returns a signal that ends a request which the API server doesn't answer in time. */
  #deadline(): AbortSignal {
    return AbortSignal.timeout(this.#times.retryPeriod * 2);
  }

  #renew(lease: KubernetesObject): KubernetesObject {
    const time = this.#timeText();
    this.#renewals.push(time);
    return heldLease(lease, this.#options.identity, this.#times, time);
  }

  /**
   * Starts or continues the term after a renewal.
   *
   * @returns Whether the answer arrived before the renewal expired.
   */
  #lead(lease: KubernetesObject, asked: Moment): boolean {
    this.#renewals = this.#renewals.slice(-1);
    // If the present term has expired, another replica may have been the leader since. So a new term begins.
    if (this.#isOver()) this.#resign();
    if (this.#isExpired(asked)) return false;
    this.#held = lease;
    this.#seen = undefined;
    this.#renewed = asked;
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => this.#resign(), asked.monotonic + this.#times.renewDeadline - performance.now());
    if (this.#term !== undefined) return true;
    this.#term = this.#createTerm();
    this.#options.onChange(this.#term.term);
    return true;
  }

  #createTerm(): { term: LeaseTerm; end: () => void } {
    const { signal, abort } = abortable();
    const isOver = (): boolean => this.#isOver();
    const term: LeaseTerm = {
      get isCurrent() {
        return !signal.aborted && !isOver();
      },
      signal,
    };
    return { term, end: abort };
  }

  #resign(): void {
    clearTimeout(this.#expiry);
    this.#held = undefined;
    this.#renewed = undefined;
    if (this.#term === undefined) return;
    this.#term.end();
    this.#term = undefined;
    this.#options.onChange(undefined);
  }

  #isOver(): boolean {
    return this.#renewed === undefined || this.#isExpired(this.#renewed);
  }

  /**
   * Tells whether a renewal has expired by the monotonic or the wall clock. The monotonic clock stops while a machine
   * sleeps, and the wall clock may be set back.
   */
  #isExpired({ monotonic, wall }: Moment): boolean {
    const { renewDeadline } = this.#times;
    return performance.now() - monotonic >= renewDeadline || this.#options.now() - wall >= renewDeadline;
  }

  #moment(): Moment {
    return { monotonic: performance.now(), wall: this.#options.now() };
  }

  /** Returns the time as a `MicroTime` of the Kubernetes API: RFC 3339 with microseconds. */
  #timeText(): string {
    return new Date(this.#options.now()).toISOString().replace("Z", "000Z");
  }
}

/** A time by the monotonic clock and by the wall clock, in milliseconds. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

function abortable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
