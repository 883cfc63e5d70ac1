import { ownerOfKey } from "../../../lib/cluster/owner.ts";
import { NotLeader } from "./fenced_client.ts";
import { reconcileFleet } from "./fleet_reconciler.ts";
import type { LeaseTerm } from "./leadership.ts";
import { reconcileRoutes } from "./route_reconciler.ts";
import { type Requeue, Term, type TermOptions } from "./term.ts";
import { WorkQueue } from "./work_queue.ts";

/** Dependencies of a leader. */
export interface LeaderOptions extends TermOptions {
  /** Called with each key that was reconciled. */
  onDone: (key: string) => void;
}

/** How many keys are reconciled at the same time. */
const WORKERS = 8;

const BACKOFF = { first: 250, most: 60_000 } as const;

/** Reconciles APIs, fleets and static routes during one term of leadership. */
export class Leader implements Requeue {
  readonly #onDone: (key: string) => void;
  readonly #queue: WorkQueue;
  readonly #term: Term;
  #isEnded = false;

  constructor(lease: LeaseTerm, options: LeaderOptions) {
    const { onDone, onError } = options;
    this.#onDone = onDone;
    this.#queue = new WorkQueue({ work: (key) => this.#reconcile(key), workers: WORKERS, backoff: BACKOFF, onError });
    this.#term = new Term(lease, this, options);
  }

  /** Has a key reconciled. */
  add(key: string): void {
    if (!this.#isEnded) this.#queue.add(key);
  }

  /** Has a key reconciled after a wait in milliseconds. */
  addLater(key: string, wait: number): void {
    if (!this.#isEnded) this.#queue.addLater(key, wait);
  }

  /** Starts no further reconciliation; resolves when none is in progress. */
  end(): Promise<void> {
    this.#isEnded = true;
    return this.#queue.clear();
  }

  async #reconcile(key: string): Promise<void> {
    if (this.#isEnded) return;
    try {
      await (ownerOfKey(key).kind === "Fleet" ? reconcileFleet(this.#term, key) : reconcileRoutes(this.#term, key));
    } catch (error) {
      // No retry: the term as leader has ended, and the next leader reconciles every key.
      if (error instanceof NotLeader) return;
      throw error;
    }
    this.#onDone(key);
  }
}
