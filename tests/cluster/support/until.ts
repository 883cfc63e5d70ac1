/**
 * Polls for states that no event announces.
 *
 * @module
 */

export interface WaitOptions {
  /** The longest wait, in milliseconds. Default: 15 seconds. */
  within?: number;
  /** The awaited state, for the error message. A function may add the present state. */
  what?: string | (() => string | Promise<string>);
}

/**
 * Calls a function every few milliseconds, until it returns something other than `undefined` and `false`. An error
 * counts as `undefined`; when the time is over, the message contains the last one.
 */
export async function until<Value>(
  ask: () => Value | Promise<Value>,
  { within = 15_000, what = "a condition" }: WaitOptions = {},
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
