/**
 * Mock servers as request handlers of MSW, in Node.js and in browsers.
 *
 * @example
 * ```ts ignore Needs MSW; docs/testing.md has the same, and is run.
 * import { setupServer } from "msw/node";
 * import { createMockServer } from "openapi-gw";
 * import { mockHandlers } from "openapi-gw/msw";
 * import { loadDocument } from "openapi-gw/node";
 *
 * const mock = await createMockServer(await loadDocument("openapi.yaml"));
 * const server = setupServer(...mockHandlers(mock));
 * server.listen();
 * ```
 *
 * @module
 */
import { http, type HttpHandler } from "msw";
import type { MockSession } from "../mod.ts";
import { brokenBy } from "./shared/broken_connection.ts";
import { completeGlobals } from "./shared/node_globals.ts";
import { withDelays } from "./shared/sleep.ts";

/** Options of {@linkcode mockHandlers}. */
export interface HandlerOptions {
  /**
   * What happens to requests to an origin of the API with a path that the definition doesn't have. `answer`: the mock
   * server answers them with 404. `next`: they go on to the next handlers, and finally to the network. Default: `next`.
   */
  undeclared?: "answer" | "next";
}

/**
 * Makes request handlers for `setupServer` and `setupWorker`. They answer all requests, whatever their method, for
 * paths of the definition at the origins of its `servers` and of `MockOptions.baseUrls`. If one of these URLs is
 * relative, or if there are none, they answer at every origin. Other requests, and requests that load a page, go on to
 * the next handlers.
 *
 * @param mock The mock server, or one of its sessions.
 */
export function mockHandlers(
  mock: Pick<MockSession, "fetch" | "scopeOf">,
  { undeclared = "next" }: HandlerOptions = {},
): HttpHandler[] {
  // Handlers have no end, so the globals stay for the rest of the test file.
  completeGlobals();
  const isAnswered = ({ request }: { request: Request }): boolean => {
    // Don't answer a request that loads a page: its URL may have the path of an operation.
    if (request.mode === "navigate") return false;
    const scope = mock.scopeOf(request);
    return scope === "path" || (scope === "origin" && undeclared === "answer");
  };
  return [http.all(isAnswered, ({ request }) => answer(mock, request))];
}

async function answer(mock: Pick<MockSession, "fetch">, request: Request): Promise<Response> {
  try {
    return await mock.fetch(withDelays(request));
  } catch (error) {
    // A rule demands a broken connection. MSW turns `Response.error()` into a network error, and other errors into a
    // response with status 500.
    if (brokenBy(error) !== undefined) return Response.error();
    throw error;
  }
}
