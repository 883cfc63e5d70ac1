/**
 * Which requests are for the mocked API, for programs that see requests to other servers too.
 *
 * @module
 */
import { splitTarget } from "../http/url.ts";
import type { MockEngine } from "./mock_server.ts";
import { originsIn, urlsOf } from "./server_urls.ts";

/**
 * How far a request is one for the API. `path`: the definition has its path, at an origin of the API; `origin`: the
 * origin is one of the API, but the definition doesn't have the path; `none`: neither.
 */
export type RequestScope = "path" | "origin" | "none";

/** Tells how far requests are for the API. */
export type ScopeTest = (request: Request) => RequestScope;

/**
 * Makes the test of requests. The API's origins are those in the URLs of the definition's servers and in
 * `MockOptions.baseUrls`. Paths of the definition count at every origin if one of these URLs is relative, or if there
 * are none; absolute `baseUrls` replace relative URLs of servers.
 */
export function createScopeTest(
  { operations, router, baseUrls }: Pick<MockEngine, "operations" | "router" | "baseUrls">,
): ScopeTest {
  const own = originsIn(baseUrls);
  const declared = new Set<string | undefined>();
  for (const { operation } of operations) {
    const urls = urlsOf(operation);
    for (const origin of urls.length === 0 ? [undefined] : originsIn(urls)) declared.add(origin);
  }
  const known = new Set([...own, ...declared]);
  const isAnywhere = own.length === 0 ? declared.has(undefined) : own.includes(undefined);
  return (request) => {
    const isKnown = known.has(new URL(request.url).origin);
    if (!isKnown && !isAnywhere) return "none";
    const match = router.match(request.method, splitTarget(request.url).path, request);
    if (match.kind !== "not-found" || match.unmet !== undefined) return "path";
    return isKnown ? "origin" : "none";
  };
}
