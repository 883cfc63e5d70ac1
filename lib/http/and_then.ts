/**
 * Calls a function with a value, or with the value of a promise once it is known. A step whose input is there already
 * runs synchronously, which saves the time of a promise.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(andThen(1, (value) => value + 1), 2);
 * assert.equal(await andThen(Promise.resolve(1), (value) => value + 1), 2);
 * ```
 */
export function andThen<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
