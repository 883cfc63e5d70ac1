/**
 * The Gateways to which the routes of fleets attach.
 *
 * @module
 */
import type { GatewayName } from "../../../lib/cluster/status/conditions.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { keyOfOwner } from "../../../lib/cluster/owner.ts";
import type { Profile } from "../../../lib/cluster/translate/render.ts";
import type { FleetRef } from "../../../lib/gateway/route.ts";
import { isFleetObject } from "../../../lib/cluster/convert.ts";
import type { FleetObject } from "../../../lib/cluster/custom_resource.ts";
import type { Observed } from "./contract.ts";

/** The Gateway to which the routes of a fleet attach, and the fleet's profile (the capabilities of its gateway). */
export interface FleetTarget {
  readonly gateway: GatewayName;
  readonly profile: Profile;
}

/** Returns the Gateway and profile of a fleet; `undefined` if the fleet doesn't exist. */
export function fleetTarget(fleets: Pick<Observed, "get">, { namespace, name }: FleetRef): FleetTarget | undefined {
  const fleet = fleets.get(namespace, name);
  if (fleet === undefined || !isFleetObject(fleet) || fleet.metadata.deletionTimestamp !== undefined) return undefined;
  return { gateway: gatewayOf(fleet), profile: fleet.spec.profile ?? "envoy-gateway" };
}

/** Tells whether a fleet is deleted, or being deleted. */
export function isGone(fleets: Pick<Observed, "get">, { namespace, name }: FleetRef): boolean {
  const fleet = fleets.get(namespace, name);
  return fleet === undefined || fleet.metadata.deletionTimestamp !== undefined;
}

/** Returns the keys of the fleets whose routes attach to a Gateway. */
export function fleetsOn(
  fleets: Pick<Observed, "list">,
  { metadata: { namespace = "", name } }: KubernetesObject,
): string[] {
  return fleets.list().filter(isFleetObject).flatMap((fleet) => {
    const gateway = gatewayOf(fleet);
    if (gateway.namespace !== namespace || gateway.name !== name) return [];
    return [keyOfOwner({ kind: "Fleet", namespace: fleet.metadata.namespace ?? "", name: fleet.metadata.name })];
  });
}

/**
 * Returns the Gateway of a fleet: the one in `spec.gateway`, or else the one that gw makes, which has the fleet's name.
 */
export function gatewayOf({ metadata: { namespace = "", name }, spec: { gateway } }: FleetObject): GatewayName {
  if (gateway === undefined) return { namespace, name };
  return { name: gateway.name, namespace: gateway.namespace ?? namespace };
}
