/** A request that an upstream is asked. */
export interface Waiting {
  /** How long the upstream may take, in milliseconds; 0 for any time. */
  readonly timeout: number;
  /** Aborts when the client has gone. */
  readonly request: Pick<Request, "signal">;
  /** Called at most once, with why nobody waits for an answer any more. */
  readonly stop: (reason: "late" | "gone") => void;
}

/** Watches over a request until the function that it gives is called. */
export type Vigil = (waiting: Waiting) => () => void;

/** Milliseconds between two looks. */
const INTERVAL = 50;

interface Watched extends Waiting {
  /** How many looks it has outlasted. */
  looks: number;
  gone?: () => void;
}

/**
 * Makes what watches over requests to upstreams, so that none waits longer than it may, or for a client that has gone.
 *
 * All are looked at together now and then, as nearly all are answered before the first look: a timer for each, and above
 * all asking each for its signal, would cost a good part of what passing it on costs.
 */
export function createVigil(): Vigil {
  const watched = new Set<Watched>();
  let timer: ReturnType<typeof setInterval> | undefined;
  return (waiting) => {
    const one: Watched = { timeout: waiting.timeout, request: waiting.request, stop: waiting.stop, looks: 0 };
    watched.add(one);
    timer ??= setInterval(look, INTERVAL);
    return () => dismiss(one);
  };

  function dismiss(one: Watched): void {
    watched.delete(one);
    if (one.gone !== undefined) one.request.signal.removeEventListener("abort", one.gone);
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function look(): void {
    for (const one of watched) {
      one.looks++;
      if (one.timeout > 0 && one.looks * INTERVAL >= one.timeout + INTERVAL) stop(one, "late");
      else if (one.gone === undefined) listen(one);
    }
  }

  function listen(one: Watched): void {
    one.gone = () => stop(one, "gone");
    one.request.signal.addEventListener("abort", one.gone);
    if (one.request.signal.aborted) one.gone();
  }

  function stop(one: Watched, reason: "late" | "gone"): void {
    dismiss(one);
    one.stop(reason);
  }
}
