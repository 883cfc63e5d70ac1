/**
 * The access to a rule tells which requests pass: all (`open`), those that are valid against the definition
 * (`checked`), or those with credentials (`protected`).
 *
 * @module
 */
import { canonical, shortHash } from "../../gateway/hash.ts";
import { type Login, loginsOf, type PlannedLogin } from "../../gateway/login.ts";
import type { PlannedRoute } from "../../gateway/route.ts";
import type { AuthSettings } from "../../openapi/extension/settings.ts";

/** The access to a rule. */
export type Access =
  | { kind: "open" }
  /** Only requests that are valid against the definition pass: Envoy asks the mocks. */
  | { kind: "checked" }
  | ProtectedAccess;

/** Only clients with credentials pass. */
export interface ProtectedAccess {
  readonly kind: "protected";
  /**
   * Part of the HTTPRoute's name: a hash of the place of the settings in the definition. Equal settings have equal
   * keys, and an edit of the settings at their place leaves the key as it is.
   */
  readonly key: string;
  readonly auth: AuthSettings;
  /** The requests are validated too. */
  readonly isChecked: boolean;
  /** The paths of the login, if the settings have one. */
  readonly login: Login | undefined;
}

/** The part of an HTTPRoute's name for the access to its rules; empty for open ones. */
export function labelOf(access: Access): string {
  switch (access.kind) {
    case "open":
      return "";
    case "checked":
      return "checked";
    case "protected":
      return `auth-${access.key}`;
  }
}

/** Facts about the authentication of all routes of a plan, which the access to each route depends on. */
export interface AccessRules {
  /** The authentications by their settings, each with the JSON Pointer of its first place in the definition. */
  readonly pointers: ReadonlyMap<string, string>;
  /** The settings of the authentications with at least one route whose requests are validated. */
  readonly checked: ReadonlySet<string>;
  readonly logins: ReadonlyMap<string, PlannedLogin>;
}

/** Collects the authentications of routes. Equal settings are one authentication, wherever the definition has them. */
export function accessRulesOf(routes: readonly PlannedRoute[]): AccessRules {
  const pointers = new Map<string, string>();
  for (const { settings: { auth }, origins } of routes) {
    const [key, pointer = ""] = [canonical(auth ?? null), origins.auth?.pointer];
    const known = pointers.get(key);
    if (known === undefined || pointer < known) pointers.set(key, pointer);
  }
  const checked = new Set(routes.filter(isChecked).map(({ settings: { auth } }) => canonical(auth ?? null)));
  return { pointers, checked, logins: loginsOf(routes) };
}

/**
 * The access to a route. All routes behind one login share an HTTPRoute and its policy. So if the requests of some are
 * validated, Envoy asks the mocks about all of them, and the mocks let the others pass.
 */
export function accessOf(route: PlannedRoute, { pointers, checked, logins }: AccessRules): Access {
  const { action, settings: { auth } } = route;
  if (action.kind === "disabled") return { kind: "open" };
  if (auth?.jwt === undefined && auth?.oauth2 === undefined && auth?.custom === undefined) {
    return { kind: isChecked(route) ? "checked" : "open" };
  }
  const settings = canonical(auth);
  const isAsked = isChecked(route) || (auth.oauth2 !== undefined && checked.has(settings));
  const key = shortHash([pointers.get(settings), isAsked]);
  return { kind: "protected", key, auth, isChecked: isAsked, login: logins.get(settings)?.login };
}

/** Tells whether the requests of a route are validated against the definition. */
function isChecked({ action, operation, settings: { validation } }: PlannedRoute): boolean {
  return validation?.request?.enabled === true && action.kind === "upstream" && operation !== undefined;
}
