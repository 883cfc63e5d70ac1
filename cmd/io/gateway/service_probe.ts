import type { NetworkEndpoint } from "../files/location.ts";

/** Milliseconds within which a service must accept a connection. */
const CONNECT_TIMEOUT = 3000;
/** Milliseconds between two probes. */
const INTERVAL = 10_000;

/** Probes in the background whether services accept TCP connections. */
export interface Prober {
  /** The result of the last probe; `undefined` before it. The first call for an endpoint starts its probes. */
  isAvailable(place: NetworkEndpoint): boolean | undefined;
  close(): void;
}

interface Tried {
  place: NetworkEndpoint;
  isAvailable: boolean | undefined;
}

/** @param interval Milliseconds between two probes. */
export function createProber(interval = INTERVAL): Prober {
  const known = new Map<string, Tried>();
  const timer = setInterval(tryAll, interval);
  Deno.unrefTimer(timer);

  return {
    isAvailable: (place) => trackedOf(place).isAvailable,
    close: () => clearInterval(timer),
  };

  function trackedOf(place: NetworkEndpoint): Tried {
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

async function accepts({ hostname, port }: NetworkEndpoint): Promise<boolean> {
  try {
    const connection = await Deno.connect({ hostname, port, signal: AbortSignal.timeout(CONNECT_TIMEOUT) });
    connection.close();
    return true;
  } catch {
    return false;
  }
}
