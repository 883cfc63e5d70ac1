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
