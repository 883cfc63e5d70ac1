/** Longest that requests under way may take to finish, in milliseconds. */
const GRACE = 10_000;

/**
 * Resolves when a server was told to stop, and has: it accepts nothing more, finishes what is under way, and after ten
 * seconds, or when told again, ends the rest too.
 *
 * @param onStop Calls back each time somebody tells the process to stop; gives a function that ends this.
 * @param end Ends the server at once.
 */
export async function untilStopped(
  server: { shutdown(): Promise<void>; readonly finished: Promise<void> },
  onStop: (listener: () => void) => () => void,
  end: () => void,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const forget = onStop(() => {
    if (timer !== undefined) return end();
    timer = setTimeout(end, GRACE);
    void server.shutdown();
  });
  await server.finished;
  clearTimeout(timer);
  forget();
}
