import type { RoutePlan } from "../route.ts";
import { createClaimIndex } from "./claim_index.ts";
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

/** The outcomes for all candidates of a fleet, kept up to date. */
export interface Settlement {
  /**
   * Puts a candidate in the place of the one with its key; without plans it is taken away. Settles anew the candidates
   * alone that share something with it, directly or by others.
   *
   * @returns The keys whose outcome has changed.
   */
  set(candidate: Candidate): string[];
  get(key: string): Settled | undefined;
  /** The keys of candidates that may stand in the way of a plan, the oldest first; among them the plan's own. */
  rivalsOf(plan: RoutePlan): string[];
  /** The keys of all candidates, in the order in which they came. */
  keys(): Iterable<string>;
}

/** Makes a settlement without candidates. */
export function createSettlement(): Settlement {
  const candidates = new Map<string, Candidate>();
  const outcomes = new Map<string, Settled>();
  const index = createClaimIndex();

  return {
    set(candidate) {
      const { key, plans } = candidate;
      const before = candidates.get(key);
      if (isSameCandidate(before, candidate)) return [];
      const touched = new Set([key]);
      for (const plan of [...before?.plans ?? [], ...plans]) for (const other of index.of(plan)) touched.add(other);
      index.set(key, plans);
      if (plans.length === 0) candidates.delete(key);
      else candidates.set(key, candidate);
      // A set is walked to its end, also as it grows.
      for (const one of touched) {
        for (const plan of candidates.get(one)?.plans ?? []) for (const other of index.of(plan)) touched.add(other);
      }
      const settled = settle([...touched].flatMap((one) => candidates.get(one) ?? []));
      return [...touched].filter((one) => takeOutcome(one, settled.get(one)));
    },
    get: (key) => outcomes.get(key),
    rivalsOf: (plan) => [...index.of(plan)].sort((a, b) => ageOf(a) < ageOf(b) ? -1 : 1),
    keys: () => candidates.keys(),
  };

  /** @returns Whether it is another one than before. */
  function takeOutcome(key: string, outcome: Settled | undefined): boolean {
    const before = outcomes.get(key);
    if (outcome === undefined) outcomes.delete(key);
    else outcomes.set(key, outcome);
    return before?.plan !== outcome?.plan || before?.conflict !== outcome?.conflict;
  }

  function ageOf(key: string): string {
    return candidates.get(key)?.age ?? "";
  }
}

function isSameCandidate(before: Candidate | undefined, { age, plans }: Candidate): boolean {
  if (before === undefined) return plans.length === 0;
  return before.age === age && before.plans.length === plans.length &&
    before.plans.every((plan, index) => plan === plans[index]);
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
