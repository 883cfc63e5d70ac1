import { type Backoff, waitAfter } from "../../../lib/http/backoff.ts";
import { createTurns } from "../../io/scheduling.ts";

/** Options of a work queue. */
export interface WorkQueueOptions {
  /** Reconciles a key. If it fails, the key is retried with exponential back-off. */
  work: (key: string) => Promise<void>;
  /** The number of keys that are worked on at the same time. */
  workers: number;
  backoff: Backoff;
  /** Called with each failure. */
  onError: (key: string, error: unknown, failures: number) => void;
}

/**
 * A rate-limited work queue. A key that was added several times is worked on once, and never twice at the same time.
 * The wait after a failure grows with each failure of the same key, and delays no other key.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #busy = new Set<string>();
  /** Keys that were added again while they are being worked on. */
  readonly #again = new Set<string>();
  readonly #later = new Map<string, { at: number; timer: ReturnType<typeof setTimeout> }>();
  readonly #failures = new Map<string, number>();
  #turns = createTurns();
  #onIdle: (() => void)[] = [];

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** The number of keys that wait or are being worked on, without those added for later. */
  get length(): number {
    return this.#waiting.size + this.#busy.size;
  }

  /** Adds a key, to be worked on as soon as a worker is free. */
  add(key: string): void {
    if (this.#busy.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#waiting.add(key);
    this.#next();
  }

  /** Adds a key after a wait in milliseconds. If it is added several times, the wait that ends first counts. */
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
    }, wait);
    this.#later.set(key, { at, timer });
  }

  /** Removes all waiting keys; resolves when no key is being worked on. */
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
      // Yields to the event loop: a series of work that awaits no timer or response would delay the renewal of the
      // Lease.
      await this.#turns.next();
      await work(key);
      this.#failures.delete(key);
    } catch (error) {
      const count = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, count);
      onError(key, error, count);
      // Jitter: keys that failed because of the same server aren't retried at the same time.
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
