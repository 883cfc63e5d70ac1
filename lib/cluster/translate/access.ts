/**
 * The access to a rule: which of its requests pass to the backend. The access is `open` (all requests), `checked`
 * (requests that are valid against the definition) or `protected` (requests with credentials).
 *
 * @module
 */
import { shortHash, sortedJson } from "../../gateway/hash.ts";
import { type Login, loginsOf, type PlannedLogin } from "../../gateway/login.ts";
import type { PlannedRoute, RoutePlan } from "../../gateway/route.ts";
import type { AuthSettings } from "../../openapi/extension/settings.ts";

export type RouteAccess =
  | { kind: "open" }
  /** Only requests that are valid against the definition pass. Envoy asks the mocks whether a request is valid. */
  | { kind: "checked" }
  | ProtectedAccess;

/** The access of rules with authentication: only requests with credentials pass. */
export interface ProtectedAccess {
  readonly kind: "protected";
  /**
   * The part of the HTTPRoute's name for this authentication: a hash of the place of the settings in the definition.
   * Equal settings have equal keys, and an edit of the settings leaves the key as it is.
   */
  readonly key: string;
  readonly auth: AuthSettings;
  /** Whether the requests are also validated against the definition. */
  readonly isChecked: boolean;
  /** The paths of the login; `undefined` if the settings have no login. */
  readonly login: Login | undefined;
}

/** Returns the part of an HTTPRoute's name for the access of its rules; empty for open rules. */
export function labelOf(access: RouteAccess): string {
  switch (access.kind) {
    case "open":
      return "";
    case "checked":
      return "checked";
    case "protected":
      return `auth-${access.key}`;
  }
}

/** What all routes of a plan have in common about authentication. The access to each route depends on it. */
export interface AccessRules {
  /** The JSON Pointer of the first place of each authentication in the definition, by the settings as JSON. */
  readonly pointers: ReadonlyMap<string, string>;
  /** The settings, as JSON, of each authentication with at least one route whose requests are validated. */
  readonly checked: ReadonlySet<string>;
  readonly logins: ReadonlyMap<string, PlannedLogin>;
}

/**
 * Collects the authentications of all routes of a plan. Equal settings count as one authentication, wherever they are
 * in the definition.
 */
export function accessRulesOf(routes: readonly PlannedRoute[]): AccessRules {
  const pointers = new Map<string, string>();
  for (const { settings: { auth }, origins } of routes) {
    const [key, pointer = ""] = [sortedJson(auth ?? null), origins.auth?.pointer];
    const known = pointers.get(key);
    if (known === undefined || pointer < known) pointers.set(key, pointer);
  }
  const checked = new Set(routes.filter(isChecked).map(({ settings: { auth } }) => sortedJson(auth ?? null)));
  return { pointers, checked, logins: loginsOf(routes) };
}

/**
 * Determines the access to a route. All routes of one login share an HTTPRoute, and so its policy. If the requests of
 * one of them are validated, Envoy asks the mocks about those of all of them, and the mocks let the others pass.
 */
export function accessOf(route: PlannedRoute, { pointers, checked, logins }: AccessRules): RouteAccess {
  const { action, settings: { auth } } = route;
  if (action.kind === "disabled") return { kind: "open" };
  if (auth === undefined || !hasAuth(route)) {
    return { kind: isChecked(route) ? "checked" : "open" };
  }
  const settings = sortedJson(auth);
  const isAsked = isChecked(route) || (auth.oauth2 !== undefined && checked.has(settings));
  const key = shortHash([pointers.get(settings), isAsked]);
  return { kind: "protected", key, auth, isChecked: isAsked, login: logins.get(settings)?.login };
}

/**
 * Tells whether the shared policy of a namespace must validate requests of a plan. Operations with authentication have
 * a policy of their own, which validates their requests, too.
 */
export function needsSharedPolicy({ routes }: Pick<RoutePlan, "routes">): boolean {
  return routes.some((route) => isChecked(route) && !hasAuth(route));
}

function hasAuth({ settings: { auth } }: PlannedRoute): boolean {
  return auth?.jwt !== undefined || auth?.oauth2 !== undefined || auth?.custom !== undefined;
}

/** Tells whether requests of a route are validated against the definition before the upstream gets them. */
function isChecked({ action, operation, settings: { validation } }: PlannedRoute): boolean {
  return validation?.request?.enabled === true && action.kind === "upstream" && operation !== undefined;
}
