/**
 * Cross-origin requests of browsers to operations that an upstream answers. The upstream's own CORS headers win. An
 * answer without them may be read by pages of this machine and of permitted origins, with credentials: a mocked answer
 * is anybody's, a real backend isn't.
 *
 * @module
 */
import type { Handler } from "../http/handler.ts";
import { isLoopback } from "../http/host.ts";
import { ALLOW_ORIGIN, PREFLIGHT_VARY, preflightHeaders } from "./cors.ts";

/** Tells whether pages of an origin may read what an upstream answers without a word about CORS. */
export type OriginTest = (origin: string | null) => boolean;

/** Makes the test of origins: loopback names over HTTP and HTTPS, and those permitted. */
export function createOriginTest(permitted: readonly string[]): OriginTest {
  const origins = new Set(permitted);
  return (origin) => origin !== null && (origins.has(origin) || isOfThisMachine(origin));
}

function isOfThisMachine(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) && isLoopback(url);
}

/** Adds what lets a page read an upstream's answer, unless the upstream has decided that itself. */
export function shareAnswer(response: Response, origin: string | null, permits: OriginTest): Response {
  const { status, statusText, body } = response;
  // A status that the Fetch Standard doesn't know can't be constructed; such an answer goes on as it came.
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
 * Answers a preflight for an operation of the upstream: as the upstream does, if it knows CORS, else by the same rule as
 * the answer.
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
  const shared = permits(request.headers.get("origin")) ? preflightHeaders(request, allowed) : [PREFLIGHT_VARY];
  for (const [name, value] of shared) headers.append(name, value);
  return { response: new Response(null, { status: 204, headers }), isUpstream: false };
}
