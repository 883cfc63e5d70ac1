import { sharesCredentialsWithAll } from "../../openapi/lint/extensions.ts";
import type { CorsSettings } from "../../openapi/extension/settings.ts";
import type { CorsFilter } from "./http_route.ts";

/** Origins as a CORS filter has them. */
export const CORS_ORIGIN = /^\*$|^https?:\/\/(?:(?:\*\.)?(?:[a-zA-Z0-9-]+\.)*[a-zA-Z0-9-]+|\*)(?::[0-9]{1,5})?$/;

/** The filter for `cors`; `undefined` where no page may ask, which needs none. */
export function corsFilterOf(settings: CorsSettings): CorsFilter | undefined {
  const { origins = [], methods, headers = [], expose_headers: exposed = [], max_age: age } = settings;
  const credentials = settings.credentials === true && !sharesCredentialsWithAll(settings);
  if (origins.length === 0) return undefined;
  return {
    allowOrigins: allOr(origins),
    ...(credentials ? { allowCredentials: true } : {}),
    allowMethods: methods === undefined ? ["*"] : allOr(methods),
    ...(headers.length === 0 ? {} : { allowHeaders: allOr(headers) }),
    ...(exposed.length === 0 ? {} : { exposeHeaders: allOr(exposed) }),
    ...(age === undefined ? {} : { maxAge: Math.max(1, age) }),
  };
}

/** `*` stands alone. */
function allOr(values: readonly string[]): string[] {
  return values.includes("*") ? ["*"] : [...new Set(values)];
}
