import type { RoutePlan } from "../route.ts";
import { ClaimIndex } from "./claim_index.ts";
import { type ClaimedLogins, claimLogins, LoginIndex } from "./login_conflict.ts";

/** An API or static route that is to be on a fleet. */
export interface Candidate {
  readonly key: string;
  /** The sort key of candidates: the oldest candidate has the least key. */
  readonly age: string;
  /**
   * The plans of the API or static route: first the preferred plan, then plans that were in force before, as fallbacks.
   */
  readonly plans: readonly RoutePlan[];
}

/** The resolution of a candidate's conflicts. */
export interface Resolution {
  /** The plan in force: the first of the candidate's plans without a conflict; `undefined` if each has one. */
  readonly plan: RoutePlan | undefined;
  /** The plan of an older candidate that conflicts with the preferred plan. */
  readonly conflict?: RoutePlan;
}

/**
 * Resolves the conflicts of a fleet. The older of two plans is in force where both have the same host, method and path,
 * and where a session of one's login (`auth.oauth2`) would be valid for the other's.
 */
export function resolveConflicts(candidates: readonly Candidate[]): Map<string, Resolution> {
  const older: OlderPlans = { claims: new Map(), logins: new LoginIndex() };
  const resolutions = new Map<string, Resolution>();
  for (const { key, plans } of candidates.toSorted((a, b) => a.age < b.age ? -1 : 1)) {
    const claimed = plans.map(claimLogins);
    const conflicts = claimed.map((claimed) => conflictOf(claimed, older));
    const chosen = claimed.find((_, index) => conflicts[index] === undefined);
    if (chosen !== undefined) addTo(older, chosen);
    const plan = chosen?.plan;
    const [conflict] = conflicts;
    resolutions.set(key, { plan, ...(conflict === undefined ? {} : { conflict }) });
  }
  return resolutions;
}

/** Keeps the resolutions of all candidates of a fleet up to date. */
export class ConflictResolver {
  readonly #candidates = new Map<string, Candidate>();
  readonly #resolutions = new Map<string, Resolution>();
  readonly #index = new ClaimIndex();

  /**
   * Replaces the candidate of a key; a candidate without plans is removed. Only the candidates that may conflict with
   * this one, directly or through others, are resolved again.
   *
   * @returns The keys whose resolution has changed.
   */
  set(candidate: Candidate): string[] {
    const { key, plans } = candidate;
    const before = this.#candidates.get(key);
    if (isSameCandidate(before, candidate)) return [];
    const affected = new Set([key]);
    for (const plan of [...before?.plans ?? [], ...plans]) {
      for (const rival of this.#index.rivalsOf(plan)) affected.add(rival);
    }
    this.#index.set(key, plans);
    if (plans.length === 0) this.#candidates.delete(key);
    else this.#candidates.set(key, candidate);
    // The loop adds keys to the set that it visits, and visits these too: rivals of rivals are affected.
    for (const other of affected) {
      for (const plan of this.#candidates.get(other)?.plans ?? []) {
        for (const rival of this.#index.rivalsOf(plan)) affected.add(rival);
      }
    }
    const resolutions = resolveConflicts([...affected].flatMap((other) => this.#candidates.get(other) ?? []));
    return [...affected].filter((other) => this.#setResolution(other, resolutions.get(other)));
  }

  get(key: string): Resolution | undefined {
    return this.#resolutions.get(key);
  }

  /**
   * The keys of candidates that may conflict with a plan, the oldest first; among them the key of the plan's own
   * candidate.
   */
  rivalsOf(plan: RoutePlan): string[] {
    return [...this.#index.rivalsOf(plan)].sort((a, b) => this.#ageOf(a) < this.#ageOf(b) ? -1 : 1);
  }

  /** The keys of all candidates, in the order in which they were added. */
  keys(): Iterable<string> {
    return this.#candidates.keys();
  }

  /** @returns Whether the resolution has changed. */
  #setResolution(key: string, resolution: Resolution | undefined): boolean {
    const before = this.#resolutions.get(key);
    if (resolution === undefined) this.#resolutions.delete(key);
    else this.#resolutions.set(key, resolution);
    return before?.plan !== resolution?.plan || before?.conflict !== resolution?.conflict;
  }

  #ageOf(key: string): string {
    return this.#candidates.get(key)?.age ?? "";
  }
}

function isSameCandidate(before: Candidate | undefined, { age, plans }: Candidate): boolean {
  if (before === undefined) return plans.length === 0;
  return before.age === age && before.plans.length === plans.length &&
    before.plans.every((plan, index) => plan === plans[index]);
}

/** The plans in force of the candidates that are older than the candidate being resolved. */
interface OlderPlans {
  /** Plans by host, method and path, including the callback and logout paths of logins. */
  readonly claims: Map<string, RoutePlan>;
  readonly logins: LoginIndex;
}

function addTo({ claims, logins }: OlderPlans, claimed: ClaimedLogins): void {
  for (const claim of claimed.plan.claims.keys()) claims.set(claim, claimed.plan);
  for (const claim of claimed.claims.keys()) claims.set(claim, claimed.plan);
  logins.add(claimed);
}

function conflictOf(claimed: ClaimedLogins, { claims, logins }: OlderPlans): RoutePlan | undefined {
  for (const own of [claimed.plan.claims, claimed.claims]) {
    for (const claim of own.keys()) {
      const other = claims.get(claim);
      if (other !== undefined) return other;
    }
  }
  return logins.findMixed(claimed);
}
