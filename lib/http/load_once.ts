/**
 * Memoises the load of something, such as the import of a module. A load that failed isn't kept: the next call tries
 * again.
 *
 * @returns A function that loads at its first call.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * let loads = 0;
 * const load = loadOnce(() => ++loads === 1 ? Promise.reject(new Error("no network")) : Promise.resolve(loads));
 * await assert.rejects(load, /no network/);
 * assert.deepEqual([await load(), await load()], [2, 2]);
 * ```
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () =>
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
}

/**
 * Memoises what is loaded for each of some keys, as {@linkcode loadOnce} does for one.
 *
 * @returns A function that returns a promise while a key's value is loaded, and then the value itself: a hot path needs
 * no promise for it.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * let loads = 0;
 * const load = loadOncePerKey((_key: object) => ++loads === 1 ? Promise.reject(new Error("no network")) : Promise.resolve(loads));
 * const key = {};
 * await assert.rejects(async () => await load(key), /no network/);
 * assert.equal(await load(key), 2);
 * assert.equal(load(key), 2);
 * ```
 */
export function loadOncePerKey<Key extends object, Value>(
  load: (key: Key) => Promise<Value>,
): (key: Key) => Value | Promise<Value> {
  const known = new WeakMap<Key, Value | Promise<Value>>();
  return (key) => {
    const value = known.get(key);
    if (value !== undefined) return value;
    const loading = load(key);
    known.set(key, loading);
    loading.then((value) => known.set(key, value), () => known.delete(key));
    return loading;
  };
}
