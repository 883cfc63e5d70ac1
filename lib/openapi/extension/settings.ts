/**
 * The TypeScript types of the settings of `x-svc`, derived from its schema, and the levels at which each setting is
 * allowed.
 *
 * @module
 */
import type { CUSTOM_AUTH, JWT_PROVIDER, OAUTH2 } from "./auth_schema.ts";
import type { EXTENSION_SCHEMA } from "./schema.ts";
import type { REWRITE, SERVICE, UPSTREAM, UPSTREAM_HOST } from "./upstream_schema.ts";
import type { ValueOf } from "./setting_schema.ts";

/** The key of the extension. */
export const EXTENSION = "x-svc";

/** All settings of an `x-svc`. */
export type ExtensionSettings = ValueOf<typeof EXTENSION_SCHEMA>;

/** The upstream of requests: exactly one of `service` and `host`. */
export type Upstream = ValueOf<typeof UPSTREAM>;

/** A Service of the cluster as upstream. Default namespace: that of the API. Default port: 80. */
export type UpstreamService = ValueOf<typeof SERVICE>;

/** A host outside the cluster as upstream. Default port: 80. */
export type UpstreamHost = ValueOf<typeof UPSTREAM_HOST>;

/** A change of a request's path on its way to the upstream. */
export type Rewrite = ValueOf<typeof REWRITE>;

/** The target of a redirect. Parts of the URL that aren't set are taken from the request. Default status: 302. */
export type Redirect = NonNullable<ExtensionSettings["redirect"]>;

/** Cross-origin requests (Fetch Standard, section 3.3). */
export type CorsSettings = NonNullable<ExtensionSettings["cors"]>;

/** The number of requests that a route allows in a period. */
export type RateLimit = NonNullable<ExtensionSettings["rate_limit"]>;

/** The authentication and authorization of requests: at least one of `jwt`, `oauth2` and `custom`. */
export type AuthSettings = NonNullable<ExtensionSettings["auth"]>;

/** An issuer of JSON Web Tokens (RFC 7519) that are accepted. */
export type JwtProvider = ValueOf<typeof JWT_PROVIDER>;

/** Login of users at the gateway with OpenID Connect. */
export type Oauth2Settings = ValueOf<typeof OAUTH2>;

/** An authorization server that the gateway asks about each request: exactly one of `service` and `host`. */
export type CustomAuth = ValueOf<typeof CUSTOM_AUTH>;

/** The kind of object that has an `x-svc`. */
export type Level = "root" | "path" | "operation";

const EVERYWHERE: readonly Level[] = ["root", "path", "operation"];

/** The levels at which settings are allowed; settings without an entry are allowed at all levels. */
const LEVELS: ReadonlyMap<string, readonly Level[]> = new Map<keyof ExtensionSettings, readonly Level[]>([
  ["hosts", ["root"]],
  ["path", ["root", "path"]],
  ["public_api_path", ["root"]],
  ["analysis", ["root"]],
]);

/** The levels at which a key is allowed. An unknown key is at no wrong level. */
export function levelsOf(key: string): readonly Level[] {
  return LEVELS.get(key) ?? EVERYWHERE;
}
