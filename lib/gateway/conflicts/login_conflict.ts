import { shapeOfPath } from "../../openapi/path_condition.ts";
import type { PlannedRoute, RoutePlan } from "../route.ts";
import { patternsOver, shareHost } from "../hosts.ts";
import { canShareHost, loginsOf, type PlannedLogin } from "../login.ts";

/** A plan with its logins, and with the callback and logout paths of the logins. */
export interface ClaimedLogins {
  readonly plan: RoutePlan;
  readonly logins: readonly PlannedLogin[];
  /** The callback and logout paths of the logins, as claims like {@linkcode RoutePlan.claims}. */
  readonly claims: ReadonlyMap<string, PlannedRoute>;
}

/** A conflict between the logins of two plans, which therefore can't be on one fleet. */
export interface LoginConflict {
  readonly other: RoutePlan;
  /**
   * The conflicting route of the first plan: it requires a login, or its path is the callback or logout path of
   * `other`.
   */
  readonly route: PlannedRoute;
  /**
   * `path`: both plans claim one path, and at least one of them as the callback or logout path of a login. `session`: a
   * session of one plan's login would be valid for the other plan's login.
   */
  readonly kind: "path" | "session";
}

/** Lists the logins of a plan, with their callback and logout paths. */
export function claimLogins(plan: RoutePlan): ClaimedLogins {
  const logins = [...loginsOf(plan.routes).values()];
  const claims = new Map<string, PlannedRoute>();
  for (const { login: { callbackPath, logoutPath }, route } of logins) {
    for (const path of [callbackPath, logoutPath]) {
      for (const host of plan.hosts) claims.set(`${host} GET ${shapeOfPath(path)}`, route);
    }
  }
  return { plan, logins, claims };
}

/** Finds a conflict between the logins of two plans; `undefined` if there is none. */
export function findLoginConflict(one: ClaimedLogins, other: ClaimedLogins): LoginConflict | undefined {
  const { plan } = one;
  const isSame = plan.kind === other.plan.kind && plan.namespace === other.plan.namespace &&
    plan.name === other.plan.name;
  if (isSame || one.logins.length + other.logins.length === 0) return undefined;
  for (const [claim, route] of one.claims) {
    if (other.claims.has(claim) || other.plan.claims.has(claim)) return { other: other.plan, route, kind: "path" };
  }
  for (const claim of other.claims.keys()) {
    const route = plan.claims.get(claim);
    if (route !== undefined) return { other: other.plan, route, kind: "path" };
  }
  const mixed = findLoginWithSharedSession(one.logins, other.logins);
  return mixed !== undefined && shareHost(plan.hosts, other.plan.hosts)
    ? { other: other.plan, route: mixed.route, kind: "session" }
    : undefined;
}

/** An index of logins by host, for many plans. */
export class LoginIndex {
  /** Logins by the hosts of their plans. */
  readonly #logins = new Map<string, ClaimedLogins[]>();
  /** Logins by each wildcard pattern that matches a host of their plans: `*.example.com` for `api.example.com`. */
  readonly #loginsByPattern = new Map<string, ClaimedLogins[]>();

  add(claimed: ClaimedLogins): void {
    if (claimed.logins.length === 0) return;
    for (const host of claimed.plan.hosts) {
      put(this.#logins, host, claimed);
      for (const pattern of patternsOver(host)) put(this.#loginsByPattern, pattern, claimed);
    }
  }

  /**
   * Finds a plan in the index with a login whose sessions would be valid for one of the given logins, or the other way
   * round.
   */
  findSharedSession({ plan, logins }: ClaimedLogins): RoutePlan | undefined {
    if (logins.length === 0) return undefined;
    for (const host of plan.hosts) {
      const lists = [
        this.#logins.get(host),
        this.#loginsByPattern.get(host),
        ...patternsOver(host).map((pattern) => this.#logins.get(pattern)),
      ];
      for (const others of lists) {
        const other = others?.find((other) => findLoginWithSharedSession(logins, other.logins) !== undefined);
        if (other !== undefined) return other.plan;
      }
    }
    return undefined;
  }
}

function findLoginWithSharedSession(
  logins: readonly PlannedLogin[],
  others: readonly PlannedLogin[],
): PlannedLogin | undefined {
  return logins.find((login) => others.some((other) => !canShareHost(login, other)));
}

function put(lists: Map<string, ClaimedLogins[]>, key: string, one: ClaimedLogins): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [one]);
  else list.push(one);
}
