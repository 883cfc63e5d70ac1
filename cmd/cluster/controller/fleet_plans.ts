import { ownerOfKey } from "../../../lib/cluster/owner.ts";
import { needsSharedPolicy } from "../../../lib/cluster/translate/access.ts";
import { NeighbourIndex } from "../../../lib/cluster/translate/neighbour_index.ts";
import { type Candidate, ConflictResolver, type Resolution } from "../../../lib/gateway/conflicts/resolve_conflicts.ts";
import type { RoutePlan } from "../../../lib/gateway/route.ts";

/** The APIs and static routes on a fleet. */
export interface FleetMembers {
  /**
   * The keys (`API shop/todo`) of the APIs and static routes on the fleet, also of those that conflict with another, or
   * whose routes are being removed.
   */
  readonly keys: ReadonlySet<string>;
  readonly apis: number;
  readonly staticRoutes: number;
  /** The namespaces of the APIs and static routes. */
  readonly namespaces: ReadonlySet<string>;
  /** The plans in force whose requests the shared policies of their namespaces validate. */
  readonly checked: ReadonlySet<RoutePlan>;
}

/** An API or static route on a fleet, with its plans. It has no plans while its routes are being removed. */
export interface Membership extends Candidate {
  /** The last accepted plan, if it stays in force because the present `spec` is refused. */
  readonly held: RoutePlan | undefined;
}

/**
 * The plans of one fleet: which are in force after conflicts were resolved, and which overlap. The cost of a change
 * grows with the number of overlapping plans, not of all plans.
 */
export class FleetPlans implements FleetMembers {
  readonly keys = new Set<string>();
  readonly namespaces = new Set<string>();
  readonly checked = new Set<RoutePlan>();
  readonly #resolver = new ConflictResolver();
  readonly #neighbours = new NeighbourIndex();
  readonly #members = new Map<string, Membership>();
  /** The number of APIs and static routes on this fleet, by namespace. */
  readonly #sizes = new Map<string, number>();
  /** The plans in force with validated requests, by the key of their API or static route. */
  readonly #checkedOf = new Map<string, readonly RoutePlan[]>();
  readonly #counts = { API: 0, StaticRoute: 0, Fleet: 0 };

  get apis(): number {
    return this.#counts.API;
  }

  get staticRoutes(): number {
    return this.#counts.StaticRoute;
  }

  /**
   * Adds, replaces or removes (`undefined`) an API or static route.
   *
   * @returns The keys of other APIs and static routes that the change affects: their plan in force has changed, or a
   * plan that may overlap it.
   */
  set(key: string, membership: Membership | undefined): Set<string> {
    this.#count(key, membership);
    const changed = this.#resolver.set(membership ?? { key, age: "", plans: [] });
    const affected = new Set(changed);
    for (const one of changed) {
      for (const other of this.#neighbours.of(one)) affected.add(other);
      this.#neighbours.set(one, this.#resolver.get(one)?.plan);
      for (const other of this.#neighbours.of(one)) affected.add(other);
    }
    for (const one of new Set([...changed, key])) this.#noteChecked(one);
    affected.delete(key);
    return affected;
  }

  resolutionOf(key: string): Resolution | undefined {
    return this.#resolver.get(key);
  }

  /** Lists the plans in force. */
  plans(): RoutePlan[] {
    return [...this.#resolver.keys()].flatMap((key) => this.#plansOf(key));
  }

  rivalsOf(plan: RoutePlan): RoutePlan[] {
    return this.#resolver.rivalsOf(plan).flatMap((key) => this.#plansOf(key));
  }

  /** Lists the plans in force whose paths may overlap those of an API or static route. */
  neighboursOf(key: string): RoutePlan[] {
    return this.#neighbours.of(key).flatMap((other) => this.#resolver.get(other)?.plan ?? []);
  }

  #count(key: string, membership: Membership | undefined): void {
    const wasThere = this.#members.has(key);
    if (membership === undefined) this.#members.delete(key);
    else this.#members.set(key, membership);
    if (wasThere === (membership !== undefined)) return;
    const step = wasThere ? -1 : 1;
    const { kind, namespace } = ownerOfKey(key);
    this.#counts[kind] += step;
    if (wasThere) this.keys.delete(key);
    else this.keys.add(key);
    const left = (this.#sizes.get(namespace) ?? 0) + step;
    if (left > 0) {
      this.#sizes.set(namespace, left);
      this.namespaces.add(namespace);
    } else {
      this.#sizes.delete(namespace);
      this.namespaces.delete(namespace);
    }
  }

  #noteChecked(key: string): void {
    const before = this.#checkedOf.get(key) ?? [];
    const now = this.#plansOf(key).filter(needsSharedPolicy);
    for (const plan of before) this.checked.delete(plan);
    for (const plan of now) this.checked.add(plan);
    if (now.length === 0) this.#checkedOf.delete(key);
    else this.#checkedOf.set(key, now);
  }

  /**
   * Lists the plans in force of an API or static route: the plan of its present `spec`, and the last accepted plan
   * while that stays in force.
   */
  #plansOf(key: string): RoutePlan[] {
    const plan = this.#resolver.get(key)?.plan;
    const held = this.#members.get(key)?.held;
    if (plan === undefined) return [];
    return held === undefined || held === plan ? [plan] : [plan, held];
  }
}
