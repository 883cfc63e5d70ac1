import type { Oauth2Settings } from "../../openapi/extension_settings.ts";
import type { PlannedRoute } from "../route.ts";

/** The path that a login comes back to. */
export function callbackPathOf({ redirect_url: url }: Oauth2Settings, route: Pick<PlannedRoute, "settings">): string {
  // Scheme and host may be formats of Envoy: `%REQ(x-forwarded-proto)%://%REQ(:authority)%/callback`.
  const path = url === undefined ? undefined : /^[^/]*\/\/[^/]*(\/[^?#]*)/.exec(url)?.[1];
  return path ?? `${prefixOf(route)}/oauth2/callback`;
}

/** The URL that a login comes back to, as Envoy Gateway takes it. */
export function redirectUrlOf(settings: Oauth2Settings, route: Pick<PlannedRoute, "settings">): string {
  return settings.redirect_url ?? `%REQ(x-forwarded-proto)%://%REQ(:authority)%${callbackPathOf(settings, route)}`;
}

/** The path that ends a login. */
export function logoutPathOf({ logout_path: path }: Oauth2Settings, route: Pick<PlannedRoute, "settings">): string {
  return path ?? `${prefixOf(route)}/oauth2/logout`;
}

function prefixOf({ settings: { path } }: Pick<PlannedRoute, "settings">): string {
  return (path?.prefix ?? "").replace(/\/+$/, "");
}
