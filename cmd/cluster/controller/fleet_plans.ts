import { createNeighbourIndex } from "../../../lib/cluster/translate/neighbours.ts";
import { ownerOfKey } from "../../../lib/cluster/owner.ts";
import { type Candidate, ConflictResolver, type Resolution } from "../../../lib/gateway/conflicts/resolve_conflicts.ts";
import type { RoutePlan } from "../../../lib/gateway/route.ts";

/** The APIs and static routes on a fleet, counted as they come and go. */
export interface FleetMembers {
  /** The keys of APIs and static routes that are on it, would be, or are leaving it. */
  readonly keys: ReadonlySet<string>;
  readonly apis: number;
  readonly staticRoutes: number;
  /** The namespaces of the keys. */
  readonly namespaces: ReadonlySet<string>;
  /** The plans that ask for their requests to be checked. */
  readonly checked: ReadonlySet<RoutePlan>;
}

/** The plans of an API or a static route on a fleet; none while it is leaving. */
export interface Membership extends Candidate {
  /** The plan that was accepted before, where it stays in force because what was written since is refused. */
  readonly held: RoutePlan | undefined;
}

/** The plans of one fleet: those in force, those that overlap, and counts. A change costs what it overlaps with. */
export interface FleetPlans extends FleetMembers {
  /**
   * Puts a key on the fleet, or takes it off.
   *
   * @returns The other keys for which something has changed: their outcome, or plans that overlap theirs.
   */
  set(key: string, membership: Membership | undefined): Set<string>;
  settled(key: string): Resolution | undefined;
  /** All plans in force. */
  plans(): RoutePlan[];
  /** The plans in force that may exclude a plan. */
  rivalsOf(plan: RoutePlan): RoutePlan[];
  /** The plans in force whose paths may overlap that of a key. */
  neighboursOf(key: string): RoutePlan[];
}

/** Makes a fleet without plans. */
export function createFleetPlans(): FleetPlans {
  const resolver = new ConflictResolver();
  const neighbours = createNeighbourIndex();
  const members = new Map<string, Membership>();
  const keys = new Set<string>();
  const namespaces = new Set<string>();
  /** How many keys each namespace has. */
  const sizes = new Map<string, number>();
  /** The plans of each key that are in force and ask for checks. */
  const checkedOf = new Map<string, readonly RoutePlan[]>();
  const checked = new Set<RoutePlan>();
  const counts = { API: 0, StaticRoute: 0, Fleet: 0 };

  return {
    keys,
    get apis() {
      return counts.API;
    },
    get staticRoutes() {
      return counts.StaticRoute;
    },
    namespaces,
    checked,
    set,
    settled: (key) => resolver.get(key),
    plans: () => [...resolver.keys()].flatMap(plansOf),
    rivalsOf: (plan) => resolver.rivalsOf(plan).flatMap(plansOf),
    neighboursOf: (key) => neighbours.of(key).flatMap((other) => resolver.get(other)?.plan ?? []),
  };

  function set(key: string, membership: Membership | undefined): Set<string> {
    count(key, membership);
    const changed = resolver.set(membership ?? { key, age: "", plans: [] });
    const affected = new Set(changed);
    for (const one of changed) {
      for (const other of neighbours.of(one)) affected.add(other);
      neighbours.set(one, resolver.get(one)?.plan);
      for (const other of neighbours.of(one)) affected.add(other);
    }
    for (const one of new Set([...changed, key])) noteChecked(one);
    affected.delete(key);
    return affected;
  }

  function count(key: string, membership: Membership | undefined): void {
    const wasThere = members.has(key);
    if (membership === undefined) members.delete(key);
    else members.set(key, membership);
    if (wasThere === (membership !== undefined)) return;
    const step = wasThere ? -1 : 1;
    const { kind, namespace } = ownerOfKey(key);
    counts[kind] += step;
    if (wasThere) keys.delete(key);
    else keys.add(key);
    const left = (sizes.get(namespace) ?? 0) + step;
    if (left > 0) {
      sizes.set(namespace, left);
      namespaces.add(namespace);
    } else {
      sizes.delete(namespace);
      namespaces.delete(namespace);
    }
  }

  function noteChecked(key: string): void {
    const before = checkedOf.get(key) ?? [];
    const now = plansOf(key).filter(hasChecks);
    for (const plan of before) checked.delete(plan);
    for (const plan of now) checked.add(plan);
    if (now.length === 0) checkedOf.delete(key);
    else checkedOf.set(key, now);
  }

  /** The plan in force of a key, and beside it the one that was accepted before, as long as it stays in force. */
  function plansOf(key: string): RoutePlan[] {
    const plan = resolver.get(key)?.plan;
    const held = members.get(key)?.held;
    if (plan === undefined) return [];
    return held === undefined || held === plan ? [plan] : [plan, held];
  }
}

/** Whether a plan asks for its requests to be checked. */
export function hasChecks({ routes }: RoutePlan): boolean {
  return routes.some(({ settings: { validation } }) => validation?.request?.enabled === true);
}
