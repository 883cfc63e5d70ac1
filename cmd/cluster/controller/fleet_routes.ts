import { idOf, keyOfObject, type KubernetesObject, type ObjectId } from "../../../lib/cluster/object.ts";
import { fleetOfObject, keyOfOwner, ownerOf } from "../../../lib/cluster/owner.ts";
import { isChecked } from "../../../lib/cluster/protection/protected_objects.ts";
import { type FleetRef, qualifiedName } from "../../../lib/gateway/route.ts";
import { isRoute } from "./kinds.ts";

/** The HTTPRoutes in the cluster that gw has made for a fleet. */
export interface FleetRouteSet {
  /** The number of routes of each API and static route, by its key. */
  readonly owners: ReadonlyMap<string, number>;
  /** The routes with validated requests, by the key of the route. */
  readonly checked: ReadonlyMap<string, { owner: string; id: ObjectId }>;
}

interface MutableFleetRoutes {
  readonly owners: Map<string, number>;
  readonly checked: Map<string, { owner: string; id: ObjectId }>;
}

const NONE: FleetRouteSet = { owners: new Map(), checked: new Map() };

/** An index of HTTPRoutes by fleet. */
export class FleetRouteIndex {
  /** The routes of each fleet, by namespace and name of the fleet. */
  readonly #fleets = new Map<string, MutableFleetRoutes>();
  /** The fleet and the owner (API or static route) of each route, by the key of the route. */
  readonly #places = new Map<string, { fleet: string; owner: string }>();

  of(fleet: FleetRef): FleetRouteSet {
    return this.#fleets.get(qualifiedName(fleet)) ?? NONE;
  }

  set(object: KubernetesObject): void {
    this.delete(object);
    const owner = ownerOf(object);
    const ref = fleetOfObject(object);
    if (!isRoute(object) || owner === undefined || owner.kind === "Fleet" || ref === undefined) return;
    const place = { fleet: qualifiedName(ref), owner: keyOfOwner(owner) };
    const { owners, checked } = this.#routesOf(place.fleet);
    this.#places.set(keyOfObject(object), place);
    owners.set(place.owner, (owners.get(place.owner) ?? 0) + 1);
    if (isChecked(object)) checked.set(keyOfObject(object), { owner: place.owner, id: idOf(object) });
  }

  delete(object: KubernetesObject): void {
    const key = keyOfObject(object);
    const place = this.#places.get(key);
    const fleet = place && this.#fleets.get(place.fleet);
    if (place === undefined || fleet === undefined) return;
    this.#places.delete(key);
    fleet.checked.delete(key);
    const left = (fleet.owners.get(place.owner) ?? 0) - 1;
    if (left > 0) fleet.owners.set(place.owner, left);
    else fleet.owners.delete(place.owner);
  }

  #routesOf(fleet: string): MutableFleetRoutes {
    const routes = this.#fleets.get(fleet) ?? { owners: new Map(), checked: new Map() };
    this.#fleets.set(fleet, routes);
    return routes;
  }
}
