import { timerOf } from "../../lib/http/timer.ts";

/** Waits for a time in milliseconds, or until the signal aborts. Never rejects. */
export function sleep(milliseconds = 0, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, timerOf(milliseconds));
    signal?.addEventListener("abort", done);

    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}
