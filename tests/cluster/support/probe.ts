/** Tells whether a GET request gets a 2xx status within some milliseconds. Default: no limit. */
export async function isOk(url: string, within?: number): Promise<boolean> {
  try {
    const response = await fetch(url, within === undefined ? {} : { signal: AbortSignal.timeout(within) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
