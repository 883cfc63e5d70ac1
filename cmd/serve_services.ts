import type { FleetRef } from "../lib/gateway/route.ts";
import type { GatewayWorld } from "../lib/gateway/world.ts";
import type { ServiceProbe } from "../lib/management/options.ts";
import type { DataPlane } from "./io/data_plane.ts";
import { type Place, placeOf } from "./io/place.ts";
import type { Prober } from "./io/service_probe.ts";

/** What listens on every address is reached by that of this machine. */
const ANY_ADDRESS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * Makes what tells of services whether they can be reached: those of `--service`, and the fleets' own. A service is tried
 * in the background from when it is first heard of.
 */
export function createServiceProbe(
  prober: Prober,
  resolve: GatewayWorld["resolveService"],
  dataPlane: Pick<DataPlane, "addresses">,
  host: string,
): ServiceProbe {
  return {
    status(namespace, name, port) {
      const place = placeOfService({ namespace, name }, port);
      return place !== undefined && prober.isAvailable(place) === true ? "available" : "unavailable";
    },
    resolves(namespace, name, port) {
      const place = placeOfService({ namespace, name }, port);
      if (place !== undefined) prober.isAvailable(place);
      return place !== undefined;
    },
  };

  function placeOfService({ namespace, name }: FleetRef, port: number): Place | undefined {
    const url = resolve(namespace, name, port);
    if (url !== undefined) return placeOf(url);
    const isFleet = dataPlane.addresses.some(({ fleet, port: own }) =>
      own === port && fleet.namespace === namespace && fleet.name === name
    );
    return isFleet ? { hostname: ANY_ADDRESS[host] ?? host, port } : undefined;
  }
}
