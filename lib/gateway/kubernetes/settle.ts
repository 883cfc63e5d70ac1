import type { RoutePlan } from "../route.ts";
import { type ClaimedLogins, claimLogins, createLoginIndex, type LoginIndex } from "./login_conflict.ts";

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

/**
 * Decides which plans of a fleet are in force: where two have the same host, method and path, or logins that exclude each
 * other, the older one is.
 */
export function settle(candidates: readonly Candidate[]): Map<string, Settled> {
  const taken: Taken = { claims: new Map(), logins: createLoginIndex() };
  const settled = new Map<string, Settled>();
  for (const { key, plans } of candidates.toSorted((a, b) => a.age < b.age ? -1 : 1)) {
    const claimed = plans.map(claimLogins);
    const conflicts = claimed.map((one) => conflictOf(one, taken));
    const chosen = claimed.find((_, index) => conflicts[index] === undefined);
    if (chosen !== undefined) take(chosen, taken);
    const plan = chosen?.plan;
    const [conflict] = conflicts;
    settled.set(key, { plan, ...(conflict === undefined ? {} : { conflict }) });
  }
  return settled;
}

/** What older plans have. */
interface Taken {
  /** By host, method and path, those of logins too. */
  readonly claims: Map<string, RoutePlan>;
  readonly logins: LoginIndex;
}

function take(one: ClaimedLogins, { claims, logins }: Taken): void {
  for (const claim of one.plan.claims.keys()) claims.set(claim, one.plan);
  for (const claim of one.claims.keys()) claims.set(claim, one.plan);
  logins.add(one);
}

function conflictOf(one: ClaimedLogins, { claims, logins }: Taken): RoutePlan | undefined {
  for (const wanted of [one.plan.claims, one.claims]) {
    for (const claim of wanted.keys()) {
      const other = claims.get(claim);
      if (other !== undefined) return other;
    }
  }
  return logins.findMixed(one);
}
