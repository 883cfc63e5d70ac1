import type { RoutePlan } from "../route.ts";
import { ClaimIndex } from "./claim_index.ts";
import { type ClaimedLogins, claimLogins, LoginIndex } from "./login_conflict.ts";

/** An API or static route that is to be served by a fleet. */
export interface Candidate {
  readonly key: string;
  /** The age as a sort key: an older candidate has a lesser key. */
  readonly age: string;
  /**
   * The plans of the API or static route: first the plan of its present definition, then plans that were served before,
   * as fallbacks.
   */
  readonly plans: readonly RoutePlan[];
}

/** The resolution of a candidate's conflicts with older candidates. */
export interface Resolution {
  /** The plan to serve: the first of the candidate's plans without a conflict; `undefined` if every plan has one. */
  readonly plan: RoutePlan | undefined;
  /** The plan of an older candidate that conflicts with this candidate's first plan. */
  readonly conflict?: RoutePlan;
}

/**
 * Resolves the conflicts between the candidates of a fleet. Two plans conflict if they have the same host, method and
 * path, or if a session of one plan's login (`auth.oauth2`) would be valid for the other's. The older candidate is
 * served.
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

/** Resolves the conflicts between the candidates of a fleet again whenever a candidate changes. */
export class ConflictResolver {
  readonly #candidates = new Map<string, Candidate>();
  readonly #resolutions = new Map<string, Resolution>();
  readonly #index = new ClaimIndex();

  /**
   * Replaces the candidate of a key, or removes it if the new one has no plans. Resolves again only the candidates that
   * may conflict with it, directly or through other candidates.
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
    // A `Set` also iterates over values that are added during the loop, so this loop reaches the rivals of rivals.
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
   * Returns the keys of candidates that may conflict with a plan, the oldest first. The key of the plan's own candidate
   * is among them.
   */
  rivalsOf(plan: RoutePlan): string[] {
    return [...this.#index.rivalsOf(plan)].sort((a, b) => this.#ageOf(a) < this.#ageOf(b) ? -1 : 1);
  }

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

/** The plans to serve of all candidates that are older than the candidate being resolved. */
interface OlderPlans {
  /** Plans by claim (host, method and path). The callback and logout paths of logins are claims, too. */
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
  return logins.findSharedSession(claimed);
}
