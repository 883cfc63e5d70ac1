import { shapeOfPath } from "../../openapi/lint/paths.ts";
import type { PlannedRoute, RoutePlan } from "../route.ts";
import { patternsOver, shareHost } from "../hosts.ts";
import { areToldApart, loginsOf, type PlannedLogin } from "../login.ts";

/** The logins of a plan, and what they take from others. */
export interface ClaimedLogins {
  readonly plan: RoutePlan;
  readonly logins: readonly PlannedLogin[];
  /** The paths that they lead through, as the plan's own claims are written. */
  readonly claims: ReadonlyMap<string, PlannedRoute>;
}

/** Why two plans can't both be on a fleet. */
export interface LoginConflict {
  readonly other: RoutePlan;
  /** A route of the first plan that is behind a login, or is in the way of one. */
  readonly route: PlannedRoute;
  /** A path of a login is the other's too; or users of the one would be users of the other. */
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

/** Finds what keeps the logins of a plan from being on the same fleet as another plan. */
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

/** Logins of several plans, found by the hosts that they are on. */
export interface LoginIndex {
  add(one: ClaimedLogins): void;
  /** A plan with whose users those of another would be mixed up. */
  findMixed(one: ClaimedLogins): RoutePlan | undefined;
}

/** Makes an index without logins. */
export function createLoginIndex(): LoginIndex {
  /** By their own hosts. */
  const on = new Map<string, ClaimedLogins[]>();
  /** By the patterns that their hosts are within. */
  const within = new Map<string, ClaimedLogins[]>();
  return {
    add(one) {
      if (one.logins.length === 0) return;
      for (const host of one.plan.hosts) {
        put(on, host, one);
        for (const pattern of patternsOver(host)) put(within, pattern, one);
      }
    },
    findMixed(one) {
      if (one.logins.length === 0) return undefined;
      for (const host of one.plan.hosts) {
        const near = [on.get(host), within.get(host), ...patternsOver(host).map((pattern) => on.get(pattern))];
        for (const others of near) {
          const other = others?.find(({ logins }) => findMixedLogin(one.logins, logins) !== undefined);
          if (other !== undefined) return other.plan;
        }
      }
      return undefined;
    },
  };
}

function findMixedLogin(logins: readonly PlannedLogin[], others: readonly PlannedLogin[]): PlannedLogin | undefined {
  return logins.find((login) => others.some((other) => !areToldApart(login, other)));
}

function put(lists: Map<string, ClaimedLogins[]>, key: string, one: ClaimedLogins): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [one]);
  else list.push(one);
}
