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
 * const mock = createMockServer(await loadDocument("openapi.yaml"));
 * const server = setupServer(...mockHandlers(mock));
 * server.listen();
 * ```
 *
 * @module
 */
import { http, type HttpHandler } from "msw";
import { BrokenConnectionError, type MockSession } from "../mod.ts";

/** Which requests the handlers of a mock server answer. */
export interface HandlerOptions {
  /**
   * What happens to requests for an origin of the API with a path that the definition doesn't have. `answer`: the mock
   * server refuses them with 404; `next`: they go on to the next handlers, and at last to the network. Default: `next`.
   */
  undeclared?: "answer" | "next";
}

/**
 * Makes request handlers for `setupServer` and `setupWorker`. They answer the requests for paths of the definition, at
 * the origins of its `servers` and of `MockOptions.baseUrls`, with every method. If one of these URLs is relative, or if
 * there are none, they answer at every origin. Other requests, and those that load a page, go on to the next handlers.
 *
 * @param mock The mock server, or one of its sessions.
 */
export function mockHandlers(
  mock: Pick<MockSession, "fetch" | "scopeOf">,
  { undeclared = "next" }: HandlerOptions = {},
): HttpHandler[] {
  const isAnswered = ({ request }: { request: Request }): boolean => {
    // A page may have the same path as an operation.
    if (request.mode === "navigate") return false;
    const scope = mock.scopeOf(request);
    return scope === "path" || (scope === "origin" && undeclared === "answer");
  };
  return [http.all(isAnswered, ({ request }) => answer(mock, request))];
}

async function answer(mock: Pick<MockSession, "fetch">, request: Request): Promise<Response> {
  try {
    return await mock.fetch(request);
  } catch (error) {
    // MSW makes other errors into responses with status 500, and this response into an error of the network.
    if (error instanceof BrokenConnectionError) return Response.error();
    throw error;
  }
}
