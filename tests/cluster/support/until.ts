/**
 * Waits for states that no event announces.
 *
 * @module
 */

/** The longest wait, and a description of the awaited state. */
export interface Patience {
  /** Milliseconds. Default: 15 seconds. */
  within?: number;
  /** The awaited state, for the message. A function may describe the present state as well. */
  what?: string | (() => string | Promise<string>);
}

/**
 * Calls a function every few milliseconds until it returns something other than `undefined` and `false`. Errors count
 * as `undefined`; the last one is in the message when the time is over.
 */
export async function until<Value>(
  ask: () => Value | Promise<Value>,
  { within = 15_000, what = "a condition" }: Patience = {},
): Promise<Exclude<Value, undefined | false>> {
  const end = performance.now() + within;
  let error: unknown;
  let pause = 5;
  do {
    try {
      error = undefined;
      const value = await ask();
      if (value !== undefined && value !== false) return value as Exclude<Value, undefined | false>;
    } catch (caught) {
      error = caught;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 1.5, 50);
  } while (performance.now() < end);
  const cause = error instanceof Error ? `: ${error.message}` : "";
  throw new Error(`Waited ${within / 1000} s in vain for ${typeof what === "string" ? what : await what()}${cause}`, {
    cause: error,
  });
}
