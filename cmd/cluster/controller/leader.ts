import { ownerOfKey } from "../../../lib/cluster/owner.ts";
import { NotLeader } from "./fenced_client.ts";
import { reconcileFleet } from "./fleet_reconciler.ts";
import type { LeaseTerm } from "./leadership.ts";
import { reconcileRoutes } from "./route_reconciler.ts";
import { type Requeue, Term, type TermOptions } from "./term.ts";
import { WorkQueue } from "./work_queue.ts";

/** The dependencies of a leader. */
export interface LeaderOptions extends TermOptions {
  /** Called with the key of each API, static route and fleet that was reconciled. */
  onDone: (key: string) => void;
}

/** The number of objects that are reconciled at the same time. */
const WORKERS = 8;

const BACKOFF = { first: 250, most: 60_000 } as const;

/** Reconciles APIs, static routes and fleets during one term of leadership. */
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

  /** Queues an API, static route or fleet for reconciliation, by its key such as `API shop/todo`. */
  add(key: string): void {
    if (!this.#isEnded) this.#queue.add(key);
  }

  /** Queues an API, static route or fleet for reconciliation after a delay in milliseconds. */
  addLater(key: string, wait: number): void {
    if (!this.#isEnded) this.#queue.addLater(key, wait);
  }

  /** Starts no further reconciliation. Resolves when none is in progress. */
  end(): Promise<void> {
    this.#isEnded = true;
    return this.#queue.clear();
  }

  async #reconcile(key: string): Promise<void> {
    if (this.#isEnded) return;
    try {
      await (ownerOfKey(key).kind === "Fleet" ? reconcileFleet(this.#term, key) : reconcileRoutes(this.#term, key));
    } catch (error) {
      // There is no retry: the term has ended, and the next leader reconciles every object.
      if (error instanceof NotLeader) return;
      throw error;
    }
    this.#onDone(key);
  }
}
