import { shapeOfPath } from "../../openapi/lint/paths.ts";
import type { PlannedRoute, RoutePlan } from "../route.ts";
import { patternsOver, shareHost } from "../hosts.ts";
import { areToldApart, loginsOf, type PlannedLogin } from "../login.ts";

/** The logins of a plan, and the paths that they claim. */
export interface ClaimedLogins {
  readonly plan: RoutePlan;
  readonly logins: readonly PlannedLogin[];
  /** The paths of the logins, in the form of {@linkcode RoutePlan.claims}. */
  readonly claims: ReadonlyMap<string, PlannedRoute>;
}

/** A conflict between logins, for which two plans can't be on one fleet. */
export interface LoginConflict {
  readonly other: RoutePlan;
  /**
   * The conflicting route of the first plan: a route that needs a login, or a route whose path is a login path of
   * `other`.
   */
  readonly route: PlannedRoute;
  /**
   * `path`: both plans claim the same path, as a login path of at least one of them. `session`: a session of one login
   * would be valid for the other.
   */
  readonly kind: "path" | "session";
}

/** Finds the logins of a plan. */
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

/** Finds a conflict between the logins of two plans. */
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
  const mixed = findMixedLogin(one.logins, other.logins);
  return mixed !== undefined && shareHost(plan.hosts, other.plan.hosts)
    ? { other: other.plan, route: mixed.route, kind: "session" }
    : undefined;
}

/** Logins of several plans, found by their hosts. */
export class LoginIndex {
  /** Logins by their hosts. */
  readonly #logins = new Map<string, ClaimedLogins[]>();
  /** Logins by the wildcard patterns that match their hosts. */
  readonly #loginsBelow = new Map<string, ClaimedLogins[]>();

  add(claimed: ClaimedLogins): void {
    if (claimed.logins.length === 0) return;
    for (const host of claimed.plan.hosts) {
      put(this.#logins, host, claimed);
      for (const pattern of patternsOver(host)) put(this.#loginsBelow, pattern, claimed);
    }
  }

  /** Finds a plan of the index whose sessions can't be told apart from those of the given logins. */
  findMixed({ plan, logins }: ClaimedLogins): RoutePlan | undefined {
    if (logins.length === 0) return undefined;
    for (const host of plan.hosts) {
      const lists = [
        this.#logins.get(host),
        this.#loginsBelow.get(host),
        ...patternsOver(host).map((pattern) => this.#logins.get(pattern)),
      ];
      for (const others of lists) {
        const other = others?.find((other) => findMixedLogin(logins, other.logins) !== undefined);
        if (other !== undefined) return other.plan;
      }
    }
    return undefined;
  }
}

function findMixedLogin(logins: readonly PlannedLogin[], others: readonly PlannedLogin[]): PlannedLogin | undefined {
  return logins.find((login) => others.some((other) => !areToldApart(login, other)));
}

function put(lists: Map<string, ClaimedLogins[]>, key: string, one: ClaimedLogins): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [one]);
  else list.push(one);
}
