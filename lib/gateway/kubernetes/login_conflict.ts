import { shapeOfPath } from "../../openapi/check/paths.ts";
import type { PlannedRoute, RoutePlan } from "../route.ts";
import { shareHost } from "./hosts.ts";
import { areToldApart, loginsOf, type PlannedLogin } from "./login.ts";

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
  const mixed = one.logins.find((login) => other.logins.some((their) => !areToldApart(login, their)));
  return mixed !== undefined && shareHost(plan.hosts, other.plan.hosts)
    ? { other: other.plan, route: mixed.route, kind: "session" }
    : undefined;
}
