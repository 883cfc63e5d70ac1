import type { ExtensionSettings, Oauth2Settings } from "../../openapi/extension_settings.ts";

/** Where a login leads through. */
export interface Login {
  /** The path that it comes back to. */
  readonly callbackPath: string;
  /** The URL that it comes back to, as Envoy Gateway takes it. */
  readonly redirectUrl: string;
  /** The path that ends it. */
  readonly logoutPath: string;
}

/** Where a login leads through: paths of its own below the prefix of the API, unless the settings name others. */
export function loginOf(
  { redirect_url: url, logout_path: logout }: Oauth2Settings,
  { path }: ExtensionSettings,
): Login {
  const prefix = (path?.prefix ?? "").replace(/\/+$/, "");
  // Scheme and host may be formats of Envoy: `%REQ(x-forwarded-proto)%://%REQ(:authority)%/callback`.
  const written = url === undefined ? undefined : /^[^/]*\/\/[^/]*(\/[^?#]*)/.exec(url)?.[1];
  const callbackPath = written ?? `${prefix}/oauth2/callback`;
  return {
    callbackPath,
    redirectUrl: url ?? `%REQ(x-forwarded-proto)%://%REQ(:authority)%${callbackPath}`,
    logoutPath: logout ?? `${prefix}/oauth2/logout`,
  };
}
