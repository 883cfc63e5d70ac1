import type { Endpoint } from "./location.ts";

/** How long a service may take to accept a connection, in milliseconds. */
const PATIENCE = 3000;
/** How often services are tried, in milliseconds. */
const INTERVAL = 10_000;

/** Knows which services accept connections. */
export interface Prober {
  /** Whether it did when it was tried last; `undefined` before the first time. It is tried from then on. */
  isAvailable(place: Endpoint): boolean | undefined;
  close(): void;
}

interface Tried {
  place: Endpoint;
  isAvailable: boolean | undefined;
}

/**
 * Makes what tries in the background who accepts connections (TCP).
 *
 * @param interval Milliseconds between two tries. Default: ten seconds.
 */
export function createProber(interval = INTERVAL): Prober {
  const known = new Map<string, Tried>();
  const timer = setInterval(tryAll, interval);
  Deno.unrefTimer(timer);

  return {
    isAvailable: (place) => trackedOf(place).isAvailable,
    close: () => clearInterval(timer),
  };

  function trackedOf(place: Endpoint): Tried {
    const key = `${place.hostname} ${place.port}`;
    let tried = known.get(key);
    if (tried === undefined) {
      tried = { place, isAvailable: undefined };
      known.set(key, tried);
      void tryOne(tried);
    }
    return tried;
  }

  function tryAll(): void {
    for (const tried of known.values()) void tryOne(tried);
  }
}

async function tryOne(tried: Tried): Promise<void> {
  tried.isAvailable = await accepts(tried.place);
}

async function accepts({ hostname, port }: Endpoint): Promise<boolean> {
  try {
    const connection = await Deno.connect({ hostname, port, signal: AbortSignal.timeout(PATIENCE) });
    connection.close();
    return true;
  } catch {
    return false;
  }
}
