/**
 * Asks a program whether it is well, as a probe of Kubernetes does.
 *
 * @module
 */

/** Whether a GET is answered with success, in so many milliseconds. Default: however long it takes. */
export async function isOk(url: string, within?: number): Promise<boolean> {
  try {
    const response = await fetch(url, within === undefined ? {} : { signal: AbortSignal.timeout(within) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
