import type { FleetRef } from "../lib/gateway/route.ts";
import type { GatewayPlatform } from "../lib/gateway/embedded/platform.ts";
import type { ServiceProbe } from "../lib/management/options.ts";
import type { DataPlane } from "./io/data_plane.ts";
import { placeOf } from "./io/place.ts";
import type { Prober } from "./io/service_probe.ts";

/**
 * Makes the probe of services: those of `--service` are tried in the background from when they are first named; those of
 * the fleets are available while this process listens on their ports.
 */
export function createServiceProbe(
  prober: Prober,
  resolve: GatewayPlatform["resolveService"],
  dataPlane: Pick<DataPlane, "addresses">,
): ServiceProbe {
  return {
    status(namespace, name, port) {
      const url = resolve(namespace, name, port);
      const isAvailable = url === undefined
        ? isListenedOn({ namespace, name }, port)
        : prober.isAvailable(placeOf(url)) === true;
      return isAvailable ? "available" : "unavailable";
    },
    resolves(namespace, name, port) {
      const url = resolve(namespace, name, port);
      if (url !== undefined) prober.isAvailable(placeOf(url));
      return url !== undefined || isListenedOn({ namespace, name }, port);
    },
  };

  /** Whether the service is a fleet of this process, and listens on the port. */
  function isListenedOn({ namespace, name }: FleetRef, port: number): boolean {
    return dataPlane.addresses.some(({ fleet, port: own }) =>
      own === port && fleet.namespace === namespace && fleet.name === name
    );
  }
}
