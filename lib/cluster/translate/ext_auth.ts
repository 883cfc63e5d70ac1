/**
 * External authorization (Envoy's ext_authz): a server decides on each request before the upstream gets it. For
 * `auth.custom` that is a server of the user, for request validation the mocks.
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
import { child, entries, stringOf } from "../../schema/node.ts";
import { follow } from "../../schema/reference.ts";

/** The largest body that is validated, in bytes; the same as in the embedded gateway. */
const MOST_CHECKED_BODY = 10 * 1024 * 1024;

/** The status if the authorization server can't be reached. It isn't 403, because the request may be fine. */
const STATUS_ON_ERROR = 503;

/** Headers that every authorization server gets. */
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

/** Headers between the gateway and the mocks: no authorization server gets them, even if a definition declares them. */
const INTERNAL_HEADERS: ReadonlySet<string> = new Set<string>(Object.values(HEADERS));

/**
 * `extAuth` of a SecurityPolicy for request validation by the mocks. The path names the fleet, so that the mocks find
 * the plan of the request.
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

/** `extAuth` of a SecurityPolicy for `auth.custom`. */
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

/** The headers for an authorization server: the common ones and those that definitions declare, sorted. */
export function extAuthHeaders(declared: Iterable<string>): string[] {
  const names = new Set([...COMMON_HEADERS, ...lowerCaseNames([...declared])]);
  return [...names].filter((name) => !INTERNAL_HEADERS.has(name) && isToken(name)).sort();
}

/**
 * The request headers that the validation of a plan's requests reads: header parameters of the validated operations,
 * API keys, and headers that path keys have as conditions. Empty if no operation is validated.
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

/** Names of headers in lower case, each once. */
export function lowerCaseNames(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))];
}
