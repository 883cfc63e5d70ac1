/**
 * A bound on memory that many users share, such as the bodies of all requests. A user reserves bytes before it takes
 * memory, and gives them back afterwards.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const budget = new MemoryBudget(100);
 * const [a, b] = [budget.open(), budget.open()];
 * assert.ok(a.resize(60));
 * assert.ok(!b.resize(60));
 * a.release();
 * assert.ok(b.resize(60));
 * assert.equal(budget.used, 60);
 * ```
 */
export class MemoryBudget {
  /** The most bytes that all reservations may have together. */
  readonly most: number;
  #used = 0;

  /**
   * Makes a budget of which nothing is reserved.
   *
   * @param most The most bytes that all reservations may have together.
   */
  constructor(most: number) {
    this.most = most;
  }

  /** The bytes of all reservations. */
  get used(): number {
    return this.#used;
  }

  /** Makes a reservation, of nothing yet. */
  open(): Reservation {
    let reserved = 0;
    const resize = (bytes: number): boolean => {
      const added = bytes - reserved;
      if (added > 0 && this.#used + added > this.most) return false;
      this.#used += added;
      reserved = bytes;
      return true;
    };
    return { resize, release: () => void resize(0) };
  }
}

/** The share that one user has of a {@linkcode MemoryBudget}. */
export interface Reservation {
  /** Reserves so many bytes instead of those before. Returns `false`, and changes nothing, if the budget is spent. */
  resize(bytes: number): boolean;
  /** Gives all bytes back. */
  release(): void;
}
