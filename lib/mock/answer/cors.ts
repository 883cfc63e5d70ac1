/**
 * CORS headers of answers and preflights (Fetch Standard, section 3.3).
 * Pages of every origin may read a mocked answer, with credentials. An operation that an upstream answers has the
 * upstream's own CORS headers. If it has none, only pages of loopback and of permitted origins may read the answer,
 * since the upstream may be a real backend with private data.
 *
 * @module
 */
import type { Handler, HeaderList } from "../../http/handler.ts";
import type { OriginTest } from "../../http/url/origin.ts";

const ALLOW_ORIGIN = "access-control-allow-origin";

/** The `Vary` header of answers to preflights. */
export const PREFLIGHT_VARY: readonly [name: string, value: string] = [
  "vary",
  "origin, access-control-request-method, access-control-request-headers",
];

/** The headers of a response that tell a browser which pages may read it. */
export const SHARING_HEADERS: readonly string[] = [
  ALLOW_ORIGIN,
  "access-control-allow-credentials",
  "access-control-expose-headers",
];

/** Whether a request is a CORS preflight: `OPTIONS` with `Origin` and `Access-Control-Request-Method`. */
export function isPreflight(request: Request): boolean {
  return request.method === "OPTIONS" && request.headers.has("origin") &&
    request.headers.has("access-control-request-method");
}

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
 * Adds CORS headers, so that pages of other origins can read an answer. Headers that the definition declares aren't
 * changed.
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

/**
 * Adds CORS headers to an upstream's answer for a permitted origin, unless the upstream has sent CORS headers itself.
 */
export function shareAnswer(response: Response, origin: string | null, permits: OriginTest): Response {
  const { status, statusText, body } = response;
  // `new Response` throws for a status outside 200-599, so such a response is returned unchanged.
  if (response.headers.has(ALLOW_ORIGIN) || status < 200 || status > 599) return response;
  const headers = new Headers(response.headers);
  if (!/(?:^|,)\s*(?:\*|origin)\s*(?:,|$)/i.test(headers.get("vary") ?? "")) headers.append("vary", "origin");
  if (origin !== null && permits(origin)) {
    if (!headers.has("access-control-expose-headers")) {
      headers.set("access-control-expose-headers", [...response.headers.keys()].join(", "));
    }
    headers.set(ALLOW_ORIGIN, origin);
    headers.set("access-control-allow-credentials", "true");
  }
  return new Response(body, { status, statusText, headers });
}

/**
 * Answers a preflight for an operation of the upstream. The upstream's own answer is returned if it has CORS headers,
 * or if `permits` is `undefined`. Otherwise the answer allows the request if `permits` allows its origin.
 *
 * @param allowed The methods of the path.
 */
export async function answerPreflight(
  request: Request,
  allowed: readonly string[],
  upstream: Handler,
  permits: OriginTest | undefined,
): Promise<{ response: Response; isUpstream: boolean }> {
  const response = await upstream(request);
  if (permits === undefined || response.headers.has(ALLOW_ORIGIN)) return { response, isUpstream: true };
  await response.body?.cancel();
  const headers = new Headers({ allow: allowed.join(", ") });
  const shared = permits(request.headers.get("origin") ?? "") ? preflightHeaders(request, allowed) : [PREFLIGHT_VARY];
  for (const [name, value] of shared) headers.append(name, value);
  return { response: new Response(null, { status: 204, headers }), isUpstream: false };
}
