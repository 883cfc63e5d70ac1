/**
 * Probes a program over HTTP, as Kubernetes does.
 *
 * @module
 */

/** Whether a GET succeeds within a number of milliseconds. Default: without a limit. */
export async function isOk(url: string, within?: number): Promise<boolean> {
  try {
    const response = await fetch(url, within === undefined ? {} : { signal: AbortSignal.timeout(within) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
