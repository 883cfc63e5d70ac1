/**
 * Which requests are for the mocked API, for programs that see requests to other servers too.
 *
 * @module
 */
import { splitTarget } from "../http/url.ts";
import type { MockRoute, OperationRoute } from "./mock_route.ts";
import type { Router } from "./router.ts";
import { originsIn, urlsOf } from "./server_urls.ts";

/**
 * How far a request is one for the API. `path`: the definition has its path, at an origin of the API; `origin`: the
 * origin is one of the API, but the definition doesn't have the path; `none`: neither.
 */
export type RequestScope = "path" | "origin" | "none";

/** What decides the scope of a request. */
export type ScopedRequest = Pick<Request, "method" | "url" | "headers">;

/** Tells how far requests are for the API. */
export type ScopeTest = (request: ScopedRequest) => RequestScope;

/** The operations of an API, and its URLs beside those of the definition's servers. */
interface ScopedApi {
  readonly operations: readonly OperationRoute[];
  readonly router: Router<MockRoute>;
  readonly baseUrls: readonly string[];
}

/**
 * Makes the test of requests. The API's origins are those in the URLs of the definition's servers and in
 * `MockOptions.baseUrls`. Paths of the definition count at every origin if one of these URLs is relative, or if there
 * are none; absolute `baseUrls` replace relative URLs of servers.
 */
export function createScopeTest(
  { operations, router, baseUrls }: ScopedApi,
): ScopeTest {
  let origins: Origins | undefined;
  return (request) => {
    origins ??= originsOf(operations, baseUrls);
    const isKnown = origins.known.has(new URL(request.url).origin);
    if (!isKnown && !origins.isAny) return "none";
    const match = router.match(request.method, splitTarget(request.url).path, request);
    if (match.kind !== "not-found" || match.unmet !== undefined) return "path";
    return isKnown ? "origin" : "none";
  };
}

/** The origins of an API. */
interface Origins {
  readonly known: ReadonlySet<string | undefined>;
  /** Whether paths of the definition count at every origin. */
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
