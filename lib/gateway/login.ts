/**
 * Logins by OpenID Connect (`x-svc.auth.oauth2`), as Envoy Gateway implements them.
 *
 * @module
 */
import type { AuthSettings, ExtensionSettings, Oauth2Settings } from "../openapi/extension/settings.ts";
import type { PlannedRoute } from "./route.ts";
import { canonical } from "./hash.ts";

/** The paths of a login. */
export interface Login {
  /** The path of the callback. */
  readonly callbackPath: string;
  /** The URL of the callback, in the format of Envoy Gateway. */
  readonly redirectUrl: string;
  /** The path that logs a user out. */
  readonly logoutPath: string;
}

/** A login that routes of a plan need. */
export interface PlannedLogin {
  readonly auth: AuthSettings;
  readonly oauth2: Oauth2Settings;
  readonly login: Login;
  /** A route that requires the login. */
  readonly route: PlannedRoute;
}

/**
 * Valid `redirect_url`s. Scheme and host may be format strings of Envoy, as in
 * `%REQ(x-forwarded-proto)%://%REQ(:authority)%/callback`. The path may not: Envoy compares it literally with the path
 * of a request.
 */
export const REDIRECT_URL = /^(?:https?|%REQ\(x-forwarded-proto\)%):\/\/[^/?#]+(\/[^?#%{}]+)$/;

/** Valid `logout_path`s. */
export const LOGOUT_PATH = /^\/[^?#%{}]+$/;

/** The paths of a login: below the prefix of the API, unless the settings name others. */
export function loginOf(
  { redirect_url: url, logout_path: logout }: Oauth2Settings,
  { path }: ExtensionSettings,
): Login {
  const prefix = (path?.prefix ?? "").replace(/\/+$/, "");
  const written = url === undefined ? undefined : REDIRECT_URL.exec(url)?.[1];
  const callbackPath = written ?? `${prefix}/oauth2/callback`;
  return {
    callbackPath,
    redirectUrl: url ?? `%REQ(x-forwarded-proto)%://%REQ(:authority)%${callbackPath}`,
    logoutPath: logout ?? `${prefix}/oauth2/logout`,
  };
}

/**
 * The logins of a plan, by their settings as JSON text. Equal settings make one login. Its paths are those of the
 * settings' first place in the definition, by JSON Pointer.
 */
export function loginsOf(routes: readonly PlannedRoute[]): Map<string, PlannedLogin> {
  const logins = new Map<string, PlannedLogin>();
  // Operations that inherit a setting share one object.
  const visited = new Set<AuthSettings>();
  for (const route of routes) {
    const { settings: { auth }, settings, action } = route;
    if (auth?.oauth2 === undefined || action.kind === "disabled" || visited.has(auth)) continue;
    visited.add(auth);
    const content = canonical(auth);
    const known = logins.get(content);
    if (known !== undefined && placeOf(known.route) <= placeOf(route)) continue;
    logins.set(content, { auth, oauth2: auth.oauth2, login: loginOf(auth.oauth2, settings), route });
  }
  return logins;
}

/**
 * The issuer without a trailing slash, to which clients append `/.well-known/openid-configuration` (OpenID Connect
 * Discovery, section 4.1).
 */
export function issuerOf({ issuer }: Oauth2Settings): string {
  return issuer.replace(/\/+$/, "");
}

/**
 * Tells whether two logins can share a host. Envoy Gateway signs all sessions with one key, and binds them to a host
 * only: a session of one login is valid for the other. So either both logins have the same `issuer` and `client_id`, or
 * both also verify the audience of the session's token.
 */
export function areToldApart(a: PlannedLogin, b: PlannedLogin): boolean {
  const isSame = issuerOf(a.oauth2) === issuerOf(b.oauth2) && a.oauth2.client_id === b.oauth2.client_id;
  return isSame || (isVerified(a) && isVerified(b));
}

/** Tells why logins can't share a host, and what to do. */
export const SAME_SESSIONS =
  "Envoy Gateway doesn't tell their sessions on one host apart: users of one are let in by the other. Use the same " +
  "`issuer` and `client_id`, another host, or `auth.jwt` with `audiences` beside `forward_access_token: true` in both.";

/** Tells whether the audience of a session's token is verified. */
function isVerified({ auth: { jwt }, oauth2 }: PlannedLogin): boolean {
  return jwt !== undefined && oauth2.forward_access_token === true &&
    jwt.providers.every(({ audiences = [] }) => audiences.length > 0);
}

function placeOf({ origins }: PlannedRoute): string {
  return origins.auth?.pointer ?? "";
}
