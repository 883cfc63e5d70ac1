import type { RoutePlan } from "../route.ts";

/** What wants to be on a fleet. */
export interface Candidate {
  readonly key: string;
  /** Sorts candidates: the oldest first. */
  readonly age: string;
  /** Its plans, the one that it wants most first; the others were in force before. */
  readonly plans: readonly RoutePlan[];
}

/** What comes of a candidate. */
export interface Settled {
  /** Its plan in force, if any. */
  readonly plan: RoutePlan | undefined;
  /** The plan of an older candidate that stands in the way of the one that it wants most. */
  readonly conflict?: RoutePlan;
}

/** Decides which plans of a fleet are in force: where two have the same host, method and path, the older one has it. */
export function settle(candidates: readonly Candidate[]): Map<string, Settled> {
  const taken = new Map<string, RoutePlan>();
  const settled = new Map<string, Settled>();
  for (const { key, plans } of candidates.toSorted((a, b) => a.age < b.age ? -1 : 1)) {
    const conflicts = plans.map((plan) => conflictOf(plan, taken));
    const plan = plans.find((_, index) => conflicts[index] === undefined);
    for (const claim of plan?.claims.keys() ?? []) if (plan !== undefined) taken.set(claim, plan);
    const [conflict] = conflicts;
    settled.set(key, { plan, ...(conflict === undefined ? {} : { conflict }) });
  }
  return settled;
}

function conflictOf({ claims }: RoutePlan, taken: ReadonlyMap<string, RoutePlan>): RoutePlan | undefined {
  for (const claim of claims.keys()) {
    const other = taken.get(claim);
    if (other !== undefined) return other;
  }
  return undefined;
}
