/**
 * Policies of Envoy Gateway: authentication, request checks, limits, retries and timeouts.
 *
 * @module
 */
import type { KubernetesObject } from "../object.ts";
import { backendOf } from "./backends.ts";
import { givenHeaders } from "./ext_auth.ts";
import { type BackendRef, ENVOY_API, GATEWAY_GROUP, type TrafficSettings } from "./gateway_api.ts";
import type { MakeObject, Mocks } from "./rendering.ts";
import type { Guarding } from "./route_entry.ts";
import { shortHash } from "../../gateway/hash.ts";
import { issuerOf, type Login } from "../../gateway/login.ts";
import type { FleetRef } from "../../gateway/route.ts";
import type { CustomAuth, Oauth2Settings } from "../../openapi/extension/settings.ts";

/** The largest body that is checked, in bytes; the embedded gateway has the same limit. */
export const MOST_CHECKED_BODY = 10 * 1024 * 1024;

/** The API or static route of a policy. */
export interface PolicyContext {
  readonly name: string;
  readonly namespace: string;
  readonly fleet: FleetRef;
  readonly mocks: Mocks;
  readonly make: MakeObject;
}

/** The policy with limits, retries and timeouts for some rules of a route. */
export function trafficPolicy(
  route: string,
  rules: readonly string[],
  traffic: TrafficSettings,
  make: MakeObject,
): KubernetesObject {
  return make({
    apiVersion: ENVOY_API,
    kind: "BackendTrafficPolicy",
    name: `${route}.${shortHash(traffic)}`,
    spec: { targetRefs: rules.map((sectionName) => ({ ...routeRef(route), sectionName })), ...traffic },
  });
}

/** The policy that lets only some clients into a route, with the objects that it refers to. */
export function protectionPolicy(
  route: string,
  { auth: { jwt, oauth2, custom }, isChecked, login }: Extract<Guarding, { kind: "protected" }>,
  checkedHeaders: readonly string[],
  context: PolicyContext,
): { policy: KubernetesObject; needs: readonly KubernetesObject[] } {
  const asked = custom === undefined ? undefined : backendOf(custom, context);
  const spec = {
    targetRefs: [routeRef(route)],
    ...(jwt === undefined ? {} : {
      jwt: {
        providers: jwt.providers.map(({ name, issuer, audiences, jwks_uri: uri }) => ({
          name,
          ...(issuer === undefined ? {} : { issuer }),
          ...(audiences === undefined || audiences.length === 0 ? {} : { audiences }),
          remoteJWKS: { uri },
        })),
      },
    }),
    ...(oauth2 === undefined || login === undefined ? {} : { oidc: loginSpec(oauth2, login, jwt !== undefined) }),
    ...(custom === undefined || asked === undefined ? {} : { extAuth: customAuth(custom, asked.ref, checkedHeaders) }),
    ...(isChecked ? { extAuth: requestCheck(context.fleet, checkedHeaders, context.mocks) } : {}),
  };
  const policy = context.make({ apiVersion: ENVOY_API, kind: "SecurityPolicy", name: route, spec });
  return { policy, needs: asked?.needs ?? [] };
}

/**
 * Requests of programs and scripts get 401 instead of a redirect to the login page. Requests from an address bar have none
 * of these headers.
 */
const NO_BROWSERS = [
  { name: "authorization", type: "RegularExpression", value: "(?i)bearer .*" },
  { name: "accept", type: "RegularExpression", value: "(?i)\\s*application/(?:[-.0-9a-z]+\\+)?json\\b.*" },
  { name: "sec-fetch-mode", type: "RegularExpression", value: "cors|same-origin|websocket" },
  { name: "x-requested-with", type: "Exact", value: "XMLHttpRequest" },
];

function loginSpec(oauth2: Oauth2Settings, { redirectUrl, logoutPath }: Login, areTokensTaken: boolean): unknown {
  const { client_id: clientID, client_secret_ref: secret, scopes = [], forward_access_token: isForwarded } = oauth2;
  return {
    provider: { issuer: issuerOf(oauth2) },
    clientID,
    clientSecret: { name: secret.name },
    redirectURL: redirectUrl,
    logoutPath,
    denyRedirect: { headers: NO_BROWSERS },
    // A request with a token needs no login; `jwt` verifies the token.
    ...(areTokensTaken ? { passThroughAuthHeader: true } : {}),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(isForwarded === true ? { forwardAccessToken: true } : {}),
  };
}

/** The `extAuth` that has the mocks check requests against the definition. */
export function requestCheck(
  { namespace, name }: FleetRef,
  headers: readonly string[],
  { name: service, namespace: home, checkPort: port }: Mocks,
): unknown {
  return {
    headersToExtAuth: headers,
    bodyToExtAuth: { maxRequestBytes: MOST_CHECKED_BODY },
    // An unreachable server isn't the client's error.
    statusOnError: 503,
    http: { backendRefs: [{ name: service, namespace: home, port }], path: `/check/${namespace}/${name}` },
  };
}

function customAuth(
  { path, response_headers: given = [] }: CustomAuth,
  backend: BackendRef,
  headers: readonly string[],
): unknown {
  return {
    headersToExtAuth: headers,
    statusOnError: 503,
    http: {
      backendRefs: [backend],
      ...(path === undefined ? {} : { pathOverride: path }),
      ...(given.length === 0 ? {} : { headersToBackend: givenHeaders(given) }),
    },
  };
}

function routeRef(name: string): { group: string; kind: string; name: string } {
  return { group: GATEWAY_GROUP, kind: "HTTPRoute", name };
}
