/**
 * Tells requests for the mocked API from other requests, for programs that see both.
 *
 * @module
 */
import { splitTarget } from "../http/url/url.ts";
import type { MockRoute, OperationRoute } from "./operation/mock_route.ts";
import type { Router } from "./route/router.ts";
import { originsIn, urlsOf } from "./route/server_urls.ts";

/**
 * Whether a request is for the API. `path`: the definition has the request's path, and the origin is one of the API's.
 * `origin`: the origin is one of the API's, but the definition doesn't have the path. `none`: the request is for
 * another server.
 */
export type RequestScope = "path" | "origin" | "none";

/** The parts of a request that decide whether it is for the API. */
export type ScopedRequest = Pick<Request, "method" | "url" | "headers">;

export type ScopeTest = (request: ScopedRequest) => RequestScope;

/** The operations of an API, and the option `baseUrls`. */
interface ScopedApi {
  readonly operations: readonly OperationRoute[];
  readonly router: Router<MockRoute>;
  readonly baseUrls: readonly string[];
}

/**
 * Makes a function that tells whether a request is for the API. The API's origins are those in the URLs of the
 * definition's servers and in `MockOptions.baseUrls`. If a URL of either is relative, or if there are none, the API has
 * all origins. Absolute `baseUrls` replace relative URLs of servers.
 */
export function createScopeTest(
  { operations, router, baseUrls }: ScopedApi,
): ScopeTest {
  let origins: Origins | undefined;
  return (request) => {
    origins ??= originsOf(operations, baseUrls);
    const { protocol, origin } = new URL(request.url);
    // `data:` and `blob:` URLs name no server.
    if (protocol !== "http:" && protocol !== "https:") return "none";
    const isKnown = origins.known.has(origin);
    if (!isKnown && !origins.isAny) return "none";
    if (hasPath(router, request)) return "path";
    return isKnown ? "origin" : "none";
  };
}

/** Whether the definition has the path of a request, with any method and at any origin. */
export function hasPath(router: Router<MockRoute>, request: ScopedRequest): boolean {
  const match = router.match(request.method, splitTarget(request.url).path, request);
  return match.kind !== "not-found" || match.unmet !== undefined;
}

interface Origins {
  readonly known: ReadonlySet<string | undefined>;
  /** Whether the API has all origins, because one of its URLs is relative. */
  readonly isAny: boolean;
}

function originsOf(operations: readonly OperationRoute[], baseUrls: readonly string[]): Origins {
  const own = originsIn(baseUrls);
  const declared = new Set<string | undefined>();
  for (const { operation } of operations) {
    const urls = urlsOf(operation);
    for (const origin of urls.length === 0 ? [undefined] : originsIn(urls)) declared.add(origin);
  }
  const isAny = own.length === 0 ? declared.has(undefined) : own.includes(undefined);
  return { known: new Set([...own, ...declared]), isAny };
}
