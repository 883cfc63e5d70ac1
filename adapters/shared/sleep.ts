/** The key by which the library finds the function of a request that waits. */
const SLEEP = Symbol.for("openapi-gw.sleep");

/**
 * Waits for a time, or until the signal aborts. Looks `setTimeout` up at each call: the fake timers of a test advance
 * the time that is waited for.
 */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      globalThis.clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = globalThis.setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

/** Makes a mock server wait before it answers a request, where a rule has a delay. */
export function withDelays(request: Request): Request {
  return Object.defineProperty(request, SLEEP, { value: sleep, configurable: true });
}
