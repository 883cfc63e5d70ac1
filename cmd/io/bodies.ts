/**
 * The limits of the bodies of all requests to this process, whichever of its servers they reach.
 *
 * @module
 */
import { type BodyLimits, type BodyWatch, defaultBodyLimits, MOST_SILENCE } from "../../lib/http/limits/body_limits.ts";

/** How often the bodies that are being read are looked at, in milliseconds. */
const TICK = MOST_SILENCE / 12;

interface Watched {
  giveUp: () => void;
  /** The ticks since bytes have arrived. */
  ticks: number;
}

/**
 * Makes a watch that gives a body up when no bytes have arrived for {@linkcode MOST_SILENCE}. All bodies share one
 * timer: one for each would cost a small request more than reading its body.
 */
export function createBodyWatch(tick = TICK): BodyWatch {
  const most = MOST_SILENCE / TICK;
  const reading = new Set<Watched>();
  let timer: ReturnType<typeof setInterval> | undefined;
  return (giveUp) => {
    const watched: Watched = { giveUp, ticks: 0 };
    reading.add(watched);
    timer ??= start();
    return { progress: () => void (watched.ticks = 0), stop: () => void reading.delete(watched) };
  };

  function start(): ReturnType<typeof setInterval> {
    const started = setInterval(look, tick);
    // The timer outlasts the bodies, so that it isn't started for each request, but it keeps no process running.
    Deno.unrefTimer(Number(started));
    return started;
  }

  function look(): void {
    for (const watched of reading) {
      if (++watched.ticks <= most) continue;
      reading.delete(watched);
      watched.giveUp();
    }
    if (reading.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }
}

export const BODIES: BodyLimits = { ...defaultBodyLimits(), watch: createBodyWatch() };
