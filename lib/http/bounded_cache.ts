/**
 * A cache with a limit of entries. When another entry would exceed it, all are dropped: what is asked for often is soon
 * there again, and no order of use need be kept.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const squares = new BoundedCache<number, number>(2);
 * assert.deepEqual([1, 2, 3].map((number) => squares.of(number, () => number ** 2)), [1, 4, 9]);
 * assert.deepEqual([1, 2, 3].map((number) => squares.get(number)), [undefined, undefined, 9]);
 * ```
 */
export class BoundedCache<Key, Value> {
  readonly #most: number;
  readonly #entries = new Map<Key, Value>();

  /** @param most The most entries. */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#entries.size >= this.#most && !this.#entries.has(key)) this.#entries.clear();
    this.#entries.set(key, value);
  }

  /** The cached value, or a new one, which is cached. */
  of(key: Key, make: () => Value): Value {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value);
    return value;
  }
}
