import type { Random } from "../generate/random.ts";
import type { Delay } from "../../openapi/extension/rule.ts";

/**
 * Limit of a delay in milliseconds: ten minutes. Longer delays, which a log-normal distribution may draw, are reduced
 * to it.
 */
export const MOST_DELAY = 600_000;

/** Draws a delay in milliseconds from its distribution. */
export function drawDelay(delay: Delay, random: Random): number {
  if (typeof delay === "number") return Math.min(delay, MOST_DELAY);
  if ("median" in delay) return Math.min(delay.median * Math.exp(delay.sigma * normal(random)), limitOf(delay));
  return Math.min(delay.min + random() * (delay.max - delay.min), MOST_DELAY);
}

function limitOf({ max = MOST_DELAY }: { readonly max?: number }): number {
  return Math.min(max, MOST_DELAY);
}

/** A number of the standard normal distribution (Box and Muller, 1958). */
function normal(random: Random): number {
  // `random()` may be 0, whose logarithm is infinite, but is never 1.
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
