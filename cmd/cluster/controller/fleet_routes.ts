import { keyOfObject, type KubernetesObject, type ObjectId } from "../../../lib/cluster/object.ts";
import { fleetOfObject, keyOfOwner, ownerOf } from "../../../lib/cluster/owner.ts";
import { isChecked } from "../../../lib/cluster/protection/protected_objects.ts";
import { type FleetRef, qualifiedName } from "../../../lib/gateway/route.ts";
import { HTTP_ROUTE } from "./kinds.ts";

/** The routes of APIs and static routes that were made for a fleet and are still there. */
export interface FleetRoutes {
  /** How many routes each owner has. */
  readonly owners: ReadonlyMap<string, number>;
  /** The routes whose requests are checked, by what they are, with their owners. */
  readonly checked: ReadonlyMap<string, { owner: string; id: ObjectId }>;
}

/** Finds the routes of a fleet without a walk over all routes. */
export interface FleetRouteIndex {
  set(object: KubernetesObject): void;
  delete(object: KubernetesObject): void;
  of(fleet: FleetRef): FleetRoutes;
}

interface MutableFleetRoutes {
  readonly owners: Map<string, number>;
  readonly checked: Map<string, { owner: string; id: ObjectId }>;
}

const NONE: FleetRoutes = { owners: new Map(), checked: new Map() };

/** Makes an empty index. */
export function createFleetRouteIndex(): FleetRouteIndex {
  const fleets = new Map<string, MutableFleetRoutes>();
  /** Where each route is. */
  const places = new Map<string, { fleet: string; owner: string }>();

  return {
    set(object) {
      remove(keyOfObject(object));
      const owner = ownerOf(object);
      const ref = fleetOfObject(object);
      if (object.kind !== HTTP_ROUTE.kind || owner === undefined || owner.kind === "Fleet" || ref === undefined) return;
      const place = { fleet: qualifiedName(ref), owner: keyOfOwner(owner) };
      const { owners, checked } = fleets.get(place.fleet) ?? makeFleet(place.fleet);
      places.set(keyOfObject(object), place);
      owners.set(place.owner, (owners.get(place.owner) ?? 0) + 1);
      const { apiVersion, kind, metadata: { namespace = "", name } } = object;
      if (isChecked(object)) {
        checked.set(keyOfObject(object), { owner: place.owner, id: { apiVersion, kind, namespace, name } });
      }
    },
    delete: (object) => remove(keyOfObject(object)),
    of: (fleet) => fleets.get(qualifiedName(fleet)) ?? NONE,
  };

  function makeFleet(name: string): MutableFleetRoutes {
    const made = { owners: new Map(), checked: new Map() };
    fleets.set(name, made);
    return made;
  }

  function remove(key: string): void {
    const place = places.get(key);
    const fleet = place && fleets.get(place.fleet);
    if (place === undefined || fleet === undefined) return;
    places.delete(key);
    fleet.checked.delete(key);
    const left = (fleet.owners.get(place.owner) ?? 0) - 1;
    if (left > 0) fleet.owners.set(place.owner, left);
    else fleet.owners.delete(place.owner);
  }
}
