/**
 * Cross-origin requests of browsers (Fetch Standard, section 3.3): every origin may ask, with credentials.
 *
 * @module
 */
import type { HeaderList } from "../http/handler.ts";

/** The header that names the origin whose pages may read an answer. */
export const ALLOW_ORIGIN = "access-control-allow-origin";

/** The `Vary` of answers to preflights. */
export const PREFLIGHT_VARY: readonly [name: string, value: string] = [
  "vary",
  "origin, access-control-request-method, access-control-request-headers",
];

/** Whether a request is a preflight: a browser's question whether another request may follow. */
export function isPreflight(request: Request): boolean {
  return request.method === "OPTIONS" && request.headers.has("origin") &&
    request.headers.has("access-control-request-method");
}

/** The headers of the answer to a preflight. */
export function preflightHeaders(request: Request, allowed: readonly string[]): HeaderList {
  const asked = request.headers.get("access-control-request-method") ?? "";
  const methods = new Set([...allowed, asked]);
  const headers = request.headers.get("access-control-request-headers");
  const privateNetwork = request.headers.has("access-control-request-private-network");
  return [
    [ALLOW_ORIGIN, request.headers.get("origin") ?? "*"],
    ["access-control-allow-credentials", "true"],
    ["access-control-allow-methods", [...methods].join(", ")],
    ...(headers === null ? [] : [["access-control-allow-headers", headers] as const]),
    ...(privateNetwork ? [["access-control-allow-private-network", "true"] as const] : []),
    ["access-control-max-age", "600"],
    PREFLIGHT_VARY,
  ];
}

/**
 * Adds to an answer's headers what lets a page of another origin read it. Headers that the definition declares stay as
 * they are.
 *
 * @param origin The request's `Origin`; `null` when it has none.
 */
export function withCors(headers: HeaderList, origin: string | null): HeaderList {
  if (headers.some(([name]) => name === ALLOW_ORIGIN)) return headers;
  const shared: HeaderList = [...headers, ["vary", "origin"]];
  if (origin === null) return shared;
  const cors: HeaderList = [
    [ALLOW_ORIGIN, origin],
    ["access-control-allow-credentials", "true"],
    ["access-control-expose-headers", headers.map(([name]) => name).join(", ")],
  ];
  const declared = new Set(headers.map(([name]) => name));
  return [...shared, ...cors.filter(([name]) => !declared.has(name))];
}
