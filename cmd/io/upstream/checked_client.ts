import { lookup, type LookupOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import { fetch, type RequestInit, type Response } from "undici";
import { createDispatchers } from "./proxies.ts";

/** Fetches URLs from hosts whose addresses were checked. */
export interface CheckedClient extends AsyncDisposable {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** Throws if a host may not be connected to at these addresses. */
export type CheckAddresses = (hostname: string, addresses: readonly string[]) => void;

/**
 * Creates a client that connects to no other addresses than those that it has checked: the runtime's own `fetch` would
 * look up the host name once more, and the DNS may have another answer then. If the environment names a proxy, the proxy
 * looks up the name.
 *
 * @param env Looks up environment variables.
 */
export function createCheckedClient(
  check: CheckAddresses,
  env: (name: string) => string | undefined,
): CheckedClient {
  let target = "";
  const dispatchers = createDispatchers(env, { lookup: lookUp });
  return {
    async fetch(url, init) {
      const { hostname, origin } = new URL(url);
      target = hostname;
      return await fetch(url, { ...init, dispatcher: dispatchers.for(origin) });
    },
    [Symbol.asyncDispose]: dispatchers.close,
  };

  function lookUp(hostname: string, options: LookupOptions, callback: Parameters<LookupFunction>[2]): void {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      try {
        // Another name is that of the proxy.
        if (hostname === target) check(hostname, found.map(({ address }) => address));
      } catch (refusal) {
        return callback(refusal instanceof Error ? refusal : new Error(String(refusal)), []);
      }
      const [first] = found;
      if (options.all === true || first === undefined) callback(null, found);
      else callback(null, first.address, first.family);
    });
  }
}
