import { type FleetRef, qualifiedName, type RoutePlan } from "../../../lib/gateway/route.ts";
import { acceptanceOfSpec } from "../../../lib/cluster/status/route_status.ts";
import { FleetPlans, type Membership } from "./fleet_plans.ts";
import type { CheckedObject } from "./last_accepted.ts";

/** An API or static route with the result of checking its definition, and the fleet that its `spec` names. */
export interface PlacementEntry extends CheckedObject {
  readonly fleet: FleetRef;
  /** A sort key by age: time of creation, then key. The older of two objects with conflicting routes gets them. */
  readonly age: string;
}

/** The plans of a fleet, which only {@linkcode Placements} may change. */
export type ReadonlyFleetPlans = Omit<FleetPlans, "set">;

/** A fleet that an API or static route is on, with its plans there. */
export interface Placement {
  readonly fleet: FleetRef;
  readonly membership: Membership;
}

/** The plans of a fleet without APIs and static routes. */
const NOTHING: ReadonlyFleetPlans = new FleetPlans();

/**
 * Records which fleets each API and static route is on, and with which plans. Its keys are of the form `API shop/todo`.
 */
export class Placements {
  readonly #plans = new Map<string, FleetPlans>();
  /** The names of the fleets that each API and static route is on, by its key. */
  readonly #fleets = new Map<string, readonly string[]>();

  /**
   * Returns the plans of a fleet. The plans of an unknown fleet are not stored, because a custom resource that a
   * webhook reviews may name any fleet.
   */
  on(fleet: FleetRef): ReadonlyFleetPlans {
    return this.#plans.get(qualifiedName(fleet)) ?? NOTHING;
  }

  /** Returns the plan of an API or static route that is in force on a fleet. */
  planOf(key: string, fleet: FleetRef): RoutePlan | undefined {
    return this.on(fleet).resolutionOf(key)?.plan;
  }

  /**
   * Puts an API or static route onto these fleets, and takes it off all others.
   *
   * @returns The keys of other APIs and static routes that the change affects: their plan in force has changed, or a
   * plan that may overlap it.
   */
  place(key: string, placements: readonly Placement[]): Set<string> {
    const now = new Map(placements.map(({ fleet, membership }) => [qualifiedName(fleet), membership]));
    const affected = new Set<string>();
    for (const name of new Set([...this.#fleets.get(key) ?? [], ...now.keys()])) {
      const plans = this.#plans.get(name) ?? new FleetPlans();
      for (const other of plans.set(key, now.get(name))) affected.add(other);
      if (plans.keys.size === 0) this.#plans.delete(name);
      else this.#plans.set(name, plans);
    }
    if (now.size === 0) this.#fleets.delete(key);
    else this.#fleets.set(key, [...now.keys()]);
    affected.delete(key);
    return affected;
  }
}

/**
 * Determines the fleets that an API or static route is on: the fleet in its `spec`, and the fleet of its last accepted
 * plan while that plan stays in force. While it is being deleted, it stays on the fleet with its routes, without plans.
 *
 * @param state `entry`: the checked object; `undefined` if it is deleted or being deleted. `last`: its last accepted
 * plan. `leaving`: the fleet of an object that is being deleted.
 */
export function placementsOf(
  key: string,
  { entry, last, leaving }: {
    entry: PlacementEntry | undefined;
    last: RoutePlan | undefined;
    leaving: FleetRef | undefined;
  },
): Placement[] {
  const held = entry !== undefined && isHeld(entry) ? last : undefined;
  const fleets = [entry?.fleet, held?.fleet, leaving].filter((fleet) => fleet !== undefined);
  return fleets.map((fleet) => {
    if (entry === undefined) return { fleet, membership: { key, age: "", plans: [], held: undefined } };
    const isHere = (plan: RoutePlan): boolean => qualifiedName(plan.fleet) === qualifiedName(fleet);
    const wanted = entry.checked.kind === "deployable" ? entry.checked.plan : undefined;
    const plans = [wanted, last].filter((plan) => plan !== undefined).filter(isHere);
    return { fleet, membership: { key, age: entry.age, plans, held: held && isHere(held) ? held : undefined } };
  });
}

/** Tells whether the last accepted plan stays in force, because the present `spec` is refused. */
export function isHeld({ object, checked }: PlacementEntry): boolean {
  return checked.kind === "refused" || acceptanceOfSpec(object) === "refused";
}
