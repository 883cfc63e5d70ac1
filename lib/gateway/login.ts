/**
 * Logins by OpenID Connect (`x-svc.auth.oauth2`), as Envoy Gateway does them.
 *
 * @module
 */
import type { AuthSettings, ExtensionSettings, Oauth2Settings } from "../openapi/extension/settings.ts";
import type { PlannedRoute } from "./route.ts";
import { canonical } from "./hash.ts";

/** Where a login leads through. */
export interface Login {
  /** The path that it comes back to. */
  readonly callbackPath: string;
  /** The URL that it comes back to, as Envoy Gateway takes it. */
  readonly redirectUrl: string;
  /** The path that ends it. */
  readonly logoutPath: string;
}

/** A login that some routes of a plan ask for. */
export interface PlannedLogin {
  readonly auth: AuthSettings;
  readonly oauth2: Oauth2Settings;
  readonly login: Login;
  /** A route that asks for it. */
  readonly route: PlannedRoute;
}

/**
 * URLs that a login may come back to. Scheme and host may be formats of Envoy, as in
 * `%REQ(x-forwarded-proto)%://%REQ(:authority)%/callback`; its path is compared with that of a request as it is written.
 */
export const REDIRECT_URL = /^(?:https?|%REQ\(x-forwarded-proto\)%):\/\/[^/?#]+(\/[^?#%{}]+)$/;

/** Paths that may end a login. */
export const LOGOUT_PATH = /^\/[^?#%{}]+$/;

/** Where a login leads through: paths of its own below the prefix of the API, unless the settings name others. */
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

/** The logins of a plan, by what protects their routes. Equal ones are one, with the paths of where it is written first. */
export function loginsOf(routes: readonly PlannedRoute[]): Map<string, PlannedLogin> {
  const logins = new Map<string, PlannedLogin>();
  // What is written once for many operations is one object.
  const seen = new Set<AuthSettings>();
  for (const route of routes) {
    const { settings: { auth }, settings, action } = route;
    if (auth?.oauth2 === undefined || action.kind === "disabled" || seen.has(auth)) continue;
    seen.add(auth);
    const content = canonical(auth);
    const known = logins.get(content);
    if (known !== undefined && placeOf(known.route) <= placeOf(route)) continue;
    logins.set(content, { auth, oauth2: auth.oauth2, login: loginOf(auth.oauth2, settings), route });
  }
  return logins;
}

/** The issuer as it is asked for its configuration (OpenID Connect Discovery, section 4.1): without a slash at its end. */
export function issuerOf({ issuer }: Oauth2Settings): string {
  return issuer.replace(/\/+$/, "");
}

/**
 * Whether the users of two logins are told apart on a host that both have. Envoy Gateway signs all sessions with one key,
 * and says in them only which host they are for: who has one gets past the other login with it. So both have to have the
 * same users, or tokens are looked at as well.
 */
export function areToldApart(a: PlannedLogin, b: PlannedLogin): boolean {
  const isSame = issuerOf(a.oauth2) === issuerOf(b.oauth2) && a.oauth2.client_id === b.oauth2.client_id;
  return isSame || (isVerified(a) && isVerified(b));
}

/** Why logins can't share a host, and what to do. */
export const SAME_SESSIONS =
  "Envoy Gateway doesn't tell their sessions on one host apart, so that who is let in there is let in here. Use the same " +
  "`issuer` and `client_id`, another host, or `auth.jwt` with `audiences` beside `forward_access_token: true` in both.";

/** Whether it is looked at for whom a session's token was made. */
function isVerified({ auth: { jwt }, oauth2 }: PlannedLogin): boolean {
  return jwt !== undefined && oauth2.forward_access_token === true &&
    jwt.providers.every(({ audiences = [] }) => audiences.length > 0);
}

function placeOf({ origins }: PlannedRoute): string {
  return origins.auth?.pointer ?? "";
}
