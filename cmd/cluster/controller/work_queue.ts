import { type Backoff, waitAfter } from "../../../lib/http/backoff.ts";
import { timerOf } from "../../../lib/http/timer.ts";
import { createTurns } from "../../io/scheduling.ts";

/** Options of a work queue. */
export interface WorkQueueOptions {
  /** Reconciles an object by its key. If this fails, it is tried again with exponential back-off. */
  work: (key: string) => Promise<void>;
  /** The most keys that are reconciled at the same time. */
  workers: number;
  backoff: Backoff;
  /** Called with each error, and the number of failures in a row. */
  onError: (key: string, error: unknown, failures: number) => void;
}

/**
 * A rate-limited work queue, as in client-go. A key that is added several times is reconciled once, and never twice at
 * the same time. The delay after a failure grows with each failure of that key, and doesn't delay other keys.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #busy = new Set<string>();
  /** The keys that were added again while they were being reconciled. */
  readonly #again = new Set<string>();
  readonly #later = new Map<string, { at: number; timer: ReturnType<typeof setTimeout> }>();
  readonly #failures = new Map<string, number>();
  #turns = createTurns();
  #onIdle: (() => void)[] = [];

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** The number of keys that are waiting or being reconciled. Keys that were added for later don't count. */
  get length(): number {
    return this.#waiting.size + this.#busy.size;
  }

  add(key: string): void {
    if (this.#busy.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#waiting.add(key);
    this.#next();
  }

  /** Adds a key after a delay in milliseconds. If it is added several times, the delay that ends first counts. */
  addLater(key: string, wait: number): void {
    const at = performance.now() + wait;
    const known = this.#later.get(key);
    if (known !== undefined) {
      if (known.at <= at) return;
      clearTimeout(known.timer);
    }
    const timer = setTimeout(() => {
      this.#later.delete(key);
      this.add(key);
    }, timerOf(wait));
    this.#later.set(key, { at, timer });
  }

  /** Removes all waiting keys. Resolves when no key is being reconciled. */
  clear(): Promise<void> {
    this.#waiting.clear();
    this.#again.clear();
    for (const { timer } of this.#later.values()) clearTimeout(timer);
    this.#later.clear();
    this.#failures.clear();
    return this.#busy.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #next(): void {
    for (const key of this.#waiting) {
      if (this.#busy.size >= this.#options.workers) return;
      this.#waiting.delete(key);
      if (this.#busy.size === 0) this.#turns = createTurns();
      this.#busy.add(key);
      void this.#run(key);
    }
  }

  async #run(key: string): Promise<void> {
    const { work, backoff, onError } = this.#options;
    try {
      // This yields to the event loop. Reconciliations that await no timer or response would otherwise delay the
      // renewal of the Lease.
      await this.#turns.next();
      await work(key);
      this.#failures.delete(key);
    } catch (error) {
      const count = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, count);
      onError(key, error, count);
      // Jitter: otherwise keys that failed because of one server would all be tried again at the same time.
      this.addLater(key, waitAfter(count, backoff) * (0.75 + Math.random() / 2));
    }
    this.#busy.delete(key);
    if (this.#again.delete(key)) this.#waiting.add(key);
    this.#next();
    if (this.#busy.size === 0) {
      for (const resolve of this.#onIdle) resolve();
      this.#onIdle = [];
    }
  }
}
