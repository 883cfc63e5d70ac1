/**
 * External authorization (Envoy's ext_authz): Envoy asks a server about each request before the upstream gets it. The
 * server is the user's for `auth.custom`, and the mocks for request validation.
 *
 * @module
 */
import { HEADERS } from "../names.ts";
import type { BackendRef } from "./gateway_api.ts";
import type { Mocks } from "./rendering.ts";
import type { FleetRef, RoutePlan } from "../../gateway/route.ts";
import { isToken } from "../../http/token.ts";
import type { CustomAuth } from "../../openapi/extension/settings.ts";
import { listParameters } from "../../openapi/parameter.ts";
import { child, entries, stringOf } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";

/** The largest body that is validated, in bytes, as in the embedded gateway. */
const MOST_CHECKED_BODY = 10 * 1024 * 1024;

/**
 * The status of the response if the authorization server can't be reached. It isn't 403, because the request may be
 * allowed.
 */
const STATUS_ON_ERROR = 503;

/** The headers of a request that Envoy sends to every authorization server. */
export const COMMON_HEADERS: readonly string[] = [
  "accept",
  "authorization",
  "content-encoding",
  "content-type",
  "cookie",
  "origin",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-request-id",
];

/**
 * The headers that the gateway sets for the mocks. No authorization server gets them, even if a definition declares
 * them.
 */
const INTERNAL_HEADERS: ReadonlySet<string> = new Set<string>(Object.values(HEADERS));

/**
 * Makes `extAuth` of a SecurityPolicy for request validation by the mocks. The path names the fleet, by which the mocks
 * find the plans.
 */
export function validationExtAuth({ namespace, name }: FleetRef, headers: readonly string[], mocks: Mocks): unknown {
  const backendRef: BackendRef = { name: mocks.name, namespace: mocks.namespace, port: mocks.checkPort };
  return {
    headersToExtAuth: headers,
    bodyToExtAuth: { maxRequestBytes: MOST_CHECKED_BODY },
    statusOnError: STATUS_ON_ERROR,
    http: { backendRefs: [backendRef], path: `/check/${namespace}/${name}` },
  };
}

/** Makes `extAuth` of a SecurityPolicy for `auth.custom`. */
export function customExtAuth(
  { path, response_headers: responseHeaders = [] }: CustomAuth,
  backendRef: BackendRef,
  headers: readonly string[],
): unknown {
  return {
    headersToExtAuth: headers,
    statusOnError: STATUS_ON_ERROR,
    http: {
      backendRefs: [backendRef],
      ...(path === undefined ? {} : { pathOverride: path }),
      ...(responseHeaders.length === 0 ? {} : { headersToBackend: lowerCaseNames(responseHeaders) }),
    },
  };
}

/**
 * Returns the headers that Envoy sends to an authorization server, sorted: the common headers and those that
 * definitions declare.
 */
export function extAuthHeaders(declared: Iterable<string>): string[] {
  const names = new Set([...COMMON_HEADERS, ...lowerCaseNames([...declared])]);
  return [...names].filter((name) => !INTERNAL_HEADERS.has(name) && isToken(name)).sort();
}

/**
 * Returns the headers that the validation of a plan's requests reads: header parameters of validated operations, API
 * keys, and headers in conditions of path keys. Empty if no operation is validated.
 */
export function declaredHeaders({ routes, document }: RoutePlan): Set<string> {
  const names = new Set<string>();
  const operations = routes.flatMap(({ operation, settings: { validation } }) =>
    operation !== undefined && validation?.request?.enabled === true ? [operation] : []
  );
  if (operations.length === 0) return names;
  for (const { name } of routes.flatMap(({ conditions }) => conditions?.headers ?? [])) names.add(name);
  for (const parameter of operations.flatMap(listParameters)) {
    if (parameter.in === "header") names.add(parameter.name.toLowerCase());
  }
  for (const [, written] of entries(child(child(document.root, "components"), "securitySchemes"))) {
    const scheme = follow(document, written);
    const name = stringOf(child(scheme, "name"));
    if (name !== undefined && stringOf(child(scheme, "in")) === "header") names.add(name.toLowerCase());
  }
  return names;
}

/** Returns the names in lower case, without repetitions. */
export function lowerCaseNames(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))];
}
