/**
 * The `Cache-Control` of responses (`x-svc.cache`; RFC 9111, section 5.2.2).
 *
 * @module
 */
import { securityRequirements } from "../openapi/security_requirement.ts";
import { entries } from "../schema/json/node.ts";
import type { PlannedRoute } from "./route.ts";

/** What the settings of a route say about caching. */
export interface CacheRule {
  readonly maxAge: number;
  /** Whether answers may be for one user: shared caches may not store them. */
  readonly isPrivate: boolean;
}

/**
 * The rule for the responses of a route; `undefined` if its settings have none. Where a request may have credentials, by
 * `auth` or by `security`, answers are private: caches know only those in `Authorization` (RFC 9111, section 3.5), but
 * not those in cookies, other headers or queries.
 */
export function cacheRuleOf(
  { settings, operation }: Pick<PlannedRoute, "settings" | "operation">,
): CacheRule | undefined {
  const { cache, auth } = settings;
  if (cache?.enabled !== true || cache.max_age === undefined) return undefined;
  const isSecured = operation !== undefined &&
    securityRequirements(operation).some((requirement) => entries(requirement).length > 0);
  return { maxAge: cache.max_age, isPrivate: auth !== undefined || isSecured };
}

/** A directive of `Cache-Control`. A quoted string may contain commas. */
const DIRECTIVE = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;

/**
 * The `Cache-Control` of a response. Of what its upstream sends, all that is stricter than the rule stays in force:
 * `no-store`, `no-cache`, `private`, and a shorter time. With one of the three, or with a cookie, the rule adds no time.
 *
 * @param sent The field that the upstream sends. Default: it sends none.
 * @param hasCookie Whether the response sets a cookie, so that it is for one user. Default: no.
 * @returns `null` if the response has no such field.
 */
export function cacheControlOf(
  { maxAge, isPrivate }: CacheRule,
  sent: string | null = null,
  hasCookie = false,
): string | null {
  const directives = (sent?.match(DIRECTIVE) ?? []).map((text) => text.trim()).filter((text) => text !== "");
  const has = (pattern: RegExp): boolean => directives.some((text) => pattern.test(text));
  const keepsTimes = hasCookie || has(/^(?:no-store|no-cache|private)$/i);
  const merged = [
    ...isPrivate && !has(/^(?:no-store|private)$/i) ? ["private"] : [],
    ...directives
      .filter((text) => !isPrivate || !/^(?:public|s-maxage=.*)$/i.test(text))
      .map((text) => keepsTimes ? text : shortened(text, maxAge)),
    ...keepsTimes || has(/^max-age=/i) ? [] : [`max-age=${maxAge}`],
  ];
  return merged.length === 0 ? null : merged.join(", ");
}

/** A directive with a time of at most `most` seconds. An invalid time stays: caches take such a response for stale. */
function shortened(directive: string, most: number): string {
  const [, name, time] = /^(max-age|s-maxage)="?(\d+)"?$/i.exec(directive) ?? [];
  return name === undefined || Number(time) <= most ? directive : `${name}=${most}`;
}
