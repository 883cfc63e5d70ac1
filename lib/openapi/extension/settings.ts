/**
 * The types of the settings of `x-svc`, made from its schema, and the levels at which each may stand.
 *
 * @module
 */
import type { CUSTOM_AUTH, JWT_PROVIDER, OAUTH2 } from "./auth_schema.ts";
import type { EXTENSION_SCHEMA } from "./schema.ts";
import type { REWRITE, SERVICE, UPSTREAM, UPSTREAM_HOST } from "./upstream_schema.ts";
import type { ValueOf } from "./setting_schema.ts";

/** The settings of an `x-svc`. */
export type ExtensionSettings = ValueOf<typeof EXTENSION_SCHEMA>;

/** Where requests go: exactly one of `service` and `host`. */
export type Upstream = ValueOf<typeof UPSTREAM>;

/** A Service of the cluster. Without a namespace it is in that of the API; its port is 80 by default. */
export type UpstreamService = ValueOf<typeof SERVICE>;

/** A host outside the cluster. Its port is 80 by default. */
export type UpstreamHost = ValueOf<typeof UPSTREAM_HOST>;

/** How the path changes on its way to the upstream. */
export type Rewrite = ValueOf<typeof REWRITE>;

/** Where clients are redirected; parts that aren't given are those of the request. The status is 302 by default. */
export type Redirect = NonNullable<ExtensionSettings["redirect"]>;

/** Cross-origin requests (Fetch Standard, section 3.3). */
export type CorsSettings = NonNullable<ExtensionSettings["cors"]>;

/** The rate limit: how many requests are allowed. */
export type RateLimit = NonNullable<ExtensionSettings["rate_limit"]>;

/** The authentication and authorization that requests need: at least one of `jwt`, `oauth2` and `custom`. */
export type AuthSettings = NonNullable<ExtensionSettings["auth"]>;

/** An issuer of tokens (RFC 7519). */
export type JwtProvider = ValueOf<typeof JWT_PROVIDER>;

/** A login by OpenID Connect at the gateway. */
export type Oauth2Settings = ValueOf<typeof OAUTH2>;

/** A server that authorizes each request: exactly one of `service` and `host`. */
export type CustomAuth = ValueOf<typeof CUSTOM_AUTH>;

/** The level of an `x-svc`: the kind of object that has it. */
export type Level = "root" | "path" | "operation";

const EVERYWHERE: readonly Level[] = ["root", "path", "operation"];

/** The levels of the settings that can't stand everywhere. */
const LEVELS: Readonly<Partial<Record<keyof ExtensionSettings, readonly Level[]>>> = {
  hosts: ["root"],
  path: ["root", "path"],
  public_api_path: ["root"],
  analysis: ["root"],
};

/** The levels at which a setting may stand. */
export function levelsOf(key: keyof ExtensionSettings): readonly Level[] {
  return LEVELS[key] ?? EVERYWHERE;
}
