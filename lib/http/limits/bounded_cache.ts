/**
 * A cache with a limit of entries, or of their weight, such as bytes. When another entry would exceed it, all are dropped: what is asked for often is soon
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
  readonly #weightOf: (key: Key, value: Value) => number;
  readonly #entries = new Map<Key, Value>();
  #weight = 0;

  /**
   * @param most The most entries, or the greatest weight of all together. An entry that alone is heavier isn't cached.
   * @param weightOf Returns the weight of an entry. Default: 1.
   */
  constructor(most: number, weightOf: (key: Key, value: Value) => number = () => 1) {
    this.#most = most;
    this.#weightOf = weightOf;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The weight of all entries. */
  get weight(): number {
    return this.#weight;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    const known = this.#entries.get(key);
    if (known !== undefined && this.#entries.delete(key)) this.#weight -= this.#weightOf(key, known);
    const weight = this.#weightOf(key, value);
    if (weight > this.#most) return;
    if (this.#weight + weight > this.#most) {
      this.#entries.clear();
      this.#weight = 0;
    }
    this.#entries.set(key, value);
    this.#weight += weight;
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
