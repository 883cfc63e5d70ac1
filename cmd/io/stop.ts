import type { Server } from "./listener.ts";

import { type Background, createBackground } from "./background.ts";

/** Longest that what is under way may take to finish, in milliseconds. */
const GRACE = 10_000;

/**
 * Resolves when a server was told to stop, and has finished what was under way, its background included; or at the latest
 * after ten seconds, or when it is told again. What is then still under way ends with the process.
 *
 * @param onStop Calls back each time somebody tells the process to stop; gives a function that ends this.
 * @param background What requests leave behind.
 */
export async function untilStopped(
  server: Server,
  onStop: (listener: () => void) => () => void,
  background: Pick<Background, "settled"> = createBackground(),
): Promise<void> {
  const { promise: lostPatience, resolve: losePatience } = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const forget = onStop(() => {
    if (timer !== undefined) return losePatience();
    timer = setTimeout(losePatience, GRACE);
    server.shutdown();
  });
  await Promise.race([server.finished.then(background.settled), lostPatience]);
  clearTimeout(timer);
  forget();
}
