/**
 * The longest time of a timer in milliseconds, 24.8 days: `setTimeout` takes a longer one for 1.
 *
 * @see {@link https://html.spec.whatwg.org/#timers HTML, section 8.7, Timers}: the time is a signed integer of 32 bits.
 */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** The time of a timer, at most {@linkcode LONGEST_TIMER}. Use this for times that come from outside. */
export function timerOf(milliseconds: number): number {
  return Math.min(milliseconds, LONGEST_TIMER);
}
