/**
 * Logins by OpenID Connect (`x-svc.auth.oauth2`), with the behaviour of Envoy Gateway.
 *
 * @module
 */
import type { AuthSettings, ExtensionSettings, Oauth2Settings } from "../openapi/extension/settings.ts";
import type { PlannedRoute } from "./route.ts";
import { sortedJson } from "./hash.ts";

export interface Login {
  /** The path to which the OpenID provider redirects users after the login. */
  readonly callbackPath: string;
  /** The URL of the callback path, in the format of Envoy Gateway. */
  readonly redirectUrl: string;
  /** The path that logs a user out. */
  readonly logoutPath: string;
}

/** A login that routes of a plan require. */
export interface PlannedLogin {
  readonly auth: AuthSettings;
  readonly oauth2: Oauth2Settings;
  readonly login: Login;
  /** One of the routes that require the login. */
  readonly route: PlannedRoute;
}

/**
 * Matches a valid `redirect_url`. Its scheme and host may be format strings of Envoy, as in
 * `%REQ(x-forwarded-proto)%://%REQ(:authority)%/callback`. Its path may not, because Envoy compares the path literally
 * with that of a request.
 */
export const REDIRECT_URL = /^(?:https?|%REQ\(x-forwarded-proto\)%):\/\/[^/?#]+(\/[^?#%{}]+)$/;

/** Matches a valid `logout_path`. */
export const LOGOUT_PATH = /^\/[^?#%{}]+$/;

/** Returns the paths of a login: those in the settings, or else paths below the prefix of the API. */
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
 * Lists the logins of a plan, by their settings as JSON text: equal settings make one login. Its paths are taken from
 * the first place of the settings in the definition, by JSON Pointer.
 */
export function loginsOf(routes: readonly PlannedRoute[]): Map<string, PlannedLogin> {
  const logins = new Map<string, PlannedLogin>();
  // Routes that inherit `auth` share one object, which is read only once.
  const visited = new Set<AuthSettings>();
  for (const route of routes) {
    const { settings: { auth }, settings, action } = route;
    if (auth?.oauth2 === undefined || action.kind === "disabled" || visited.has(auth)) continue;
    visited.add(auth);
    const content = sortedJson(auth);
    const known = logins.get(content);
    if (known !== undefined && placeOf(known.route) <= placeOf(route)) continue;
    logins.set(content, { auth, oauth2: auth.oauth2, login: loginOf(auth.oauth2, settings), route });
  }
  return logins;
}

/**
 * Returns the issuer without a trailing slash, as clients need it to append `/.well-known/openid-configuration` (OpenID
 * Connect Discovery, section 4.1).
 */
export function issuerOf({ issuer }: Oauth2Settings): string {
  return issuer.replace(/\/+$/, "");
}

/**
 * Tells whether two logins may be used on one host. Envoy Gateway signs the sessions of all logins with one key, and
 * binds them to a host only. So a session of one login is valid for the other, unless both verify the audience of the
 * session's token. With the same `issuer` and `client_id`, this does no harm.
 */
export function canShareHost(a: PlannedLogin, b: PlannedLogin): boolean {
  const isSame = issuerOf(a.oauth2) === issuerOf(b.oauth2) && a.oauth2.client_id === b.oauth2.client_id;
  return isSame || (isVerified(a) && isVerified(b));
}

/** The advice of messages about two logins that can't be used on one host. */
export const SHARED_SESSIONS =
  "Envoy Gateway doesn't tell their sessions on one host apart: users of one are let in by the other. Use the same " +
  "`issuer` and `client_id`, another host, or `auth.jwt` with `audiences` beside `forward_access_token: true` in both.";

/** Tells whether the audience of a session's token is verified, by `auth.jwt` beside the login. */
function isVerified({ auth: { jwt }, oauth2 }: PlannedLogin): boolean {
  return jwt !== undefined && oauth2.forward_access_token === true &&
    jwt.providers.every(({ audiences = [] }) => audiences.length > 0);
}

function placeOf({ origins }: PlannedRoute): string {
  return origins.auth?.pointer ?? "";
}
