/**
 * The routes of a plan as entries: the requests that a rule takes, its content, and its protection.
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

/** The protection of a rule. */
export type Guarding =
  | { kind: "open" }
  /** Valid requests pass; the mocks check them. */
  | { kind: "checked" }
  /** Authenticated clients pass; with `isChecked`, their requests are checked too. */
  | {
    kind: "protected";
    /** Equal for equal protection, and stable while the settings stay at their place in the definition. */
    key: string;
    auth: AuthSettings;
    isChecked: boolean;
    /** The paths of the login, if there is one. */
    login: Login | undefined;
  };

/** Requests, and the content of the rule that takes them. */
export interface RouteEntry {
  readonly pattern: PathPattern;
  /** Empty for all methods. */
  readonly methods: readonly string[];
  readonly content: RuleContent;
  readonly guarding: Guarding;
  readonly isDisabled: boolean;
  /** Whether the entry takes the requests to its path, with and without a slash at the end, that no other entry takes. */
  readonly isUndeclared?: true;
  /** Absent for paths of a login, and for requests that no route is for. */
  readonly route?: PlannedRoute;
}

/** Makes the entries of a plan. `HEAD` belongs to the entry of `GET`, unless `HEAD` has a route of its own. */
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
 * Gives the function that finds the protection of a route. Equal settings are one protection, wherever they are written.
 * All operations behind one login are in one HTTPRoute: if some of their requests are checked, all are, and the mocks let
 * the others pass.
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

/** Whether the requests of a route are checked against its definition. */
function isChecked({ action, operation, settings: { validation } }: PlannedRoute): boolean {
  return validation?.request?.enabled === true && action.kind === "upstream" && operation !== undefined;
}

/** The entries for the paths of logins, which need a rule with the same protection. */
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

/** Whether two entries have a method in common. */
export function shareMethod(a: readonly string[], b: readonly string[]): boolean {
  return a.length === 0 || b.length === 0 || a.some((method) => b.includes(method));
}
