/**
 * The routes of a plan, each with what it becomes in a cluster: which requests, which rule, who may pass.
 *
 * @module
 */
import { METHODS } from "./gateway_api.ts";
import { unreachableReason } from "./path_match.ts";
import { type PathPattern, patternOf } from "./path_pattern.ts";
import type { RuleContext } from "./rendering.ts";
import { contentOf, nobodysContent, type RuleContent } from "./rule.ts";
import { canonical, shortHash } from "../../gateway/hash.ts";
import { type Login, loginsOf } from "../../gateway/login.ts";
import type { PlannedRoute, RoutePlan } from "../../gateway/route.ts";
import type { AuthSettings } from "../../openapi/extension/settings.ts";

/** Who may pass a rule. */
export type Guarding =
  | { kind: "open" }
  /** Requests that are as the definition wants them; the mocks are asked. */
  | { kind: "checked" }
  /** Clients that show who they are; `isChecked` when their requests are looked at as well. */
  | {
    kind: "protected";
    /** The same for equal protection, and as long as it is written at the same place. */
    key: string;
    auth: AuthSettings;
    isChecked: boolean;
    /** Where a login leads through, if there is one. */
    login: Login | undefined;
  };

/** Some requests, and what becomes of them. */
export interface RouteEntry {
  readonly pattern: PathPattern;
  /** Empty for all. */
  readonly methods: readonly string[];
  readonly content: RuleContent;
  readonly guarding: Guarding;
  readonly isDisabled: boolean;
  /** Whether it takes, with either end of its path, what no other entry does. */
  readonly isUndeclared?: true;
  /** Absent for paths of a login, and for what no route is for. */
  readonly route?: PlannedRoute;
}

/** Makes the entries of a plan. `HEAD` goes where `GET` goes, unless it has a route of its own. */
export function entriesOf(
  { routes, hidden }: Pick<RoutePlan, "routes" | "hidden">,
  neighbours: readonly RoutePlan[],
  context: RuleContext,
): RouteEntry[] {
  const patterns = routes.map(({ path }) => patternOf(path));
  const guardingOf = createGuardings(routes);
  const heads = new Set<string>();
  for (const [index, { method }] of routes.entries()) if (method === "HEAD") heads.add(patterns[index]?.shape ?? "");
  for (const { routes } of neighbours) {
    for (const { method, path } of routes) if (method === "HEAD") heads.add(patternOf(path).shape);
  }
  const entries = routes.flatMap((route, index): RouteEntry[] => {
    const pattern = patterns[index];
    if (pattern === undefined) return [];
    const withHead = route.method === "GET" && !heads.has(pattern.shape);
    const methods = route.method === "*" ? [] : withHead ? ["GET", "HEAD"] : [route.method];
    const content = contentOf(route, context);
    return [{ pattern, methods, content, guarding: guardingOf(route), isDisabled: isDisabled(route), route }];
  });
  return [...entries, ...hiddenEntries(hidden, neighbours, context), ...loginEntries(entries, context)];
}

/** The entries of hidden routes. An operation of another plan with the same method and path goes first. */
function hiddenEntries(
  hidden: readonly PlannedRoute[],
  neighbours: readonly RoutePlan[],
  context: RuleContext,
): RouteEntry[] {
  const declared = new Set(
    hidden.length === 0
      ? []
      : neighbours.flatMap(({ routes }) => routes).map(({ method, path }) => `${method} ${patternOf(path).shape}`),
  );
  return hidden.flatMap(({ method, path }): RouteEntry[] => {
    const pattern = patternOf(path);
    if (declared.has(`${method} ${pattern.shape}`) || unreachableReason(pattern) !== undefined) return [];
    const methods = method === "*" ? [] : method === "GET" ? ["GET", "HEAD"] : [method];
    const content = nobodysContent(context);
    return [{ pattern, methods, content, guarding: { kind: "open" }, isDisabled: true }];
  });
}

function isDisabled({ action }: PlannedRoute): boolean {
  return action.kind === "disabled";
}

/** Whether a gateway can tell the method of a route. */
export function hasKnownMethod({ methods }: Pick<RouteEntry, "methods">): boolean {
  return methods.every((method) => METHODS.has(method));
}

/**
 * Makes what finds out who may pass a route. Equal protection is one, wherever it is written. What is behind one login is
 * in one route, so that all its requests are looked at if those of some are; the mocks let the others pass.
 */
function createGuardings(routes: readonly PlannedRoute[]): (route: PlannedRoute) => Guarding {
  const places = new Map<string, string>();
  const logins = loginsOf(routes);
  const checked = new Set(routes.filter(isChecked).map(({ settings: { auth } }) => canonical(auth ?? null)));
  for (const { settings: { auth }, origins } of routes) {
    const [content, place = ""] = [canonical(auth ?? null), origins.auth?.pointer];
    const known = places.get(content);
    if (known === undefined || place < known) places.set(content, place);
  }
  return (route) => {
    const { action, settings: { auth } } = route;
    if (action.kind === "disabled") return { kind: "open" };
    if (auth?.jwt !== undefined || auth?.oauth2 !== undefined || auth?.custom !== undefined) {
      const content = canonical(auth);
      const isLookedAt = isChecked(route) || (auth.oauth2 !== undefined && checked.has(content));
      const key = shortHash([places.get(content), isLookedAt]);
      return { kind: "protected", key, auth, isChecked: isLookedAt, login: logins.get(content)?.login };
    }
    return isChecked(route) ? { kind: "checked" } : { kind: "open" };
  };
}

/** Whether the requests of a route have to be as its definition wants them. */
function isChecked({ action, operation, settings: { validation } }: PlannedRoute): boolean {
  return validation?.request?.enabled === true && action.kind === "upstream" && operation !== undefined;
}

/** A login leads through paths of its own, which need a rule with the same protection. */
function loginEntries(entries: readonly RouteEntry[], context: RuleContext): RouteEntry[] {
  const found = new Map<string, RouteEntry | undefined>(entries.map(({ pattern: { shape } }) => [shape, undefined]));
  for (const { guarding } of entries) {
    if (guarding.kind !== "protected" || guarding.login === undefined) continue;
    for (const template of [guarding.login.callbackPath, guarding.login.logoutPath]) {
      const pattern = patternOf({ kind: "template", template });
      if (found.has(pattern.shape)) continue;
      const content = nobodysContent(context);
      found.set(pattern.shape, { pattern, methods: ["GET"], content, guarding, isDisabled: false });
    }
  }
  return [...found.values()].filter((entry) => entry !== undefined);
}

/** Whether some request is meant by both: paths are compared elsewhere. */
export function shareMethod(a: readonly string[], b: readonly string[]): boolean {
  return a.length === 0 || b.length === 0 || a.some((method) => b.includes(method));
}
