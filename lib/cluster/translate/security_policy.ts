/**
 * Makes the SecurityPolicies of Envoy Gateway for the authentication of protected routes.
 *
 * @see {@link https://gateway.envoyproxy.io/docs/api/extension_types/#securitypolicy Envoy Gateway, SecurityPolicy}
 * @module
 */
import type { KubernetesObject } from "../object.ts";
import type { ProtectedAccess } from "./access.ts";
import { backendOf } from "./backends.ts";
import { customExtAuth, validationExtAuth } from "./ext_auth.ts";
import { ENVOY_API, routeRef } from "./gateway_api.ts";
import { makeObject, type RenderContext } from "./rendering.ts";
import { issuerOf, type Login } from "../../gateway/login.ts";
import type { AuthSettings, Oauth2Settings } from "../../openapi/extension/settings.ts";

/**
 * Makes the SecurityPolicy of a protected HTTPRoute, with the objects that it refers to.
 *
 * @param headers The headers that an authorization server gets.
 */
export function securityPolicy(
  route: string,
  { auth: { jwt, oauth2, custom }, isChecked, login }: ProtectedAccess,
  headers: readonly string[],
  context: RenderContext,
): { policy: KubernetesObject; needs: readonly KubernetesObject[] } {
  const server = custom === undefined ? undefined : backendOf(custom, context);
  const spec = {
    targetRefs: [routeRef(route)],
    ...(jwt === undefined ? {} : { jwt: { providers: jwt.providers.map(jwtProvider) } }),
    ...(oauth2 === undefined || login === undefined ? {} : { oidc: oidcSpec(oauth2, login, jwt !== undefined) }),
    ...(custom === undefined || server === undefined ? {} : { extAuth: customExtAuth(custom, server.ref, headers) }),
    ...(isChecked ? { extAuth: validationExtAuth(context.plan.fleet, headers, context.mocks) } : {}),
  };
  const policy = makeObject(context, { apiVersion: ENVOY_API, kind: "SecurityPolicy", name: route, spec });
  return { policy, needs: server?.needs ?? [] };
}

type JwtProvider = NonNullable<AuthSettings["jwt"]>["providers"][number];

function jwtProvider({ name, issuer, audiences = [], jwks_uri: uri }: JwtProvider): unknown {
  return {
    name,
    ...(issuer === undefined ? {} : { issuer }),
    ...(audiences.length === 0 ? {} : { audiences }),
    remoteJWKS: { uri },
  };
}

/**
 * Header matches for requests of programs and scripts, which can't use the login page of a provider. Envoy answers them
 * 401 instead of a redirect to the login. The navigation of a browser has none of these headers.
 */
const NOT_NAVIGATION = [
  { name: "authorization", type: "RegularExpression", value: "(?i)bearer .*" },
  { name: "accept", type: "RegularExpression", value: "(?i)\\s*application/(?:[-.0-9a-z]+\\+)?json\\b.*" },
  { name: "sec-fetch-mode", type: "RegularExpression", value: "cors|same-origin|websocket" },
  { name: "x-requested-with", type: "Exact", value: "XMLHttpRequest" },
];

/**
 * Makes `oidc` of a SecurityPolicy. With `jwt` beside it, a request with a token in `Authorization` needs no login,
 * because `jwt` verifies the token.
 */
function oidcSpec(oauth2: Oauth2Settings, { redirectUrl, logoutPath }: Login, hasJwt: boolean): unknown {
  const { client_id: clientID, client_secret_ref: secret, scopes = [], forward_access_token: isForwarded } = oauth2;
  return {
    provider: { issuer: issuerOf(oauth2) },
    clientID,
    clientSecret: { name: secret.name },
    redirectURL: redirectUrl,
    logoutPath,
    denyRedirect: { headers: NOT_NAVIGATION },
    ...(hasJwt ? { passThroughAuthHeader: true } : {}),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(isForwarded === true ? { forwardAccessToken: true } : {}),
  };
}
