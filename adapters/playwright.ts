/**
 * Mock servers in Playwright: pages get their answers from the process of the tests, without a port.
 *
 * @example
 * ```ts ignore Needs Playwright; docs/testing.md has the same, and is run.
 * import { expect, test as base } from "@playwright/test";
 * import { type MockSession, mockFixture } from "openapi-gw/playwright";
 *
 * const test = base.extend<{ api: MockSession }>({ api: [mockFixture("openapi.yaml"), { auto: true }] });
 *
 * test("shows an error when the server is down", async ({ page, api }) => {
 *   await api.rules.add("GET /pets: 503");
 *   await page.goto("http://localhost:3000/");
 *   await expect(page.getByRole("alert")).toBeVisible();
 *   await api.requests.verify({ operation: "GET /pets", count: 1 });
 * });
 * ```
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createMockServer, type MockOptions, type MockServer, type MockSession } from "../mod.ts";
import { brokenBy } from "./shared/broken_connection.ts";
import { type Definition, loadDocument } from "./shared/load_document.ts";
import { withDelays } from "./shared/sleep.ts";

export type { MockSession } from "../mod.ts";
export type { Definition } from "./shared/load_document.ts";

/** Options of {@linkcode routeToMock}. */
export interface RoutingOptions {
  /**
   * What happens to requests to an origin of the API with a path that the definition doesn't have. `answer`: the mock
   * server answers them with 404. `next`: they go on to other routes, and finally to the network. Default: `next`,
   * because pages and scripts may come from the same origin.
   */
  undeclared?: "answer" | "next";
}

/** The parts of Playwright's `Page` and `BrowserContext` that the adapter uses. */
export interface RoutingTarget {
  /** Adds a route. */
  route(matches: (url: URL) => boolean, handler: (route: InterceptedRoute) => Promise<void>): Promise<unknown>;
  /** Removes a route. */
  unroute(matches: (url: URL) => boolean, handler: (route: InterceptedRoute) => Promise<void>): Promise<unknown>;
}

/** The parts of Playwright's `Route` that the adapter uses. */
export interface InterceptedRoute {
  /** The request of the page. */
  request(): InterceptedRequest;
  /** Answers the request. */
  fulfill(response: { status: number; headers: Record<string, string>; body: Buffer }): Promise<void>;
  /** Leaves the request to routes that were added earlier. */
  fallback(): Promise<void>;
  /** Makes the request fail. */
  abort(reason: string): Promise<void>;
}

/** The parts of Playwright's `Request` that the adapter uses. */
export interface InterceptedRequest {
  /** The method, in upper case. */
  method(): string;
  /** The URL. */
  url(): string;
  /** The headers, including those that the browser adds. */
  allHeaders(): Promise<Record<string, string>>;
  /** The body. */
  postDataBuffer(): Buffer | null;
  /** Whether the request loads a page. */
  isNavigationRequest(): boolean;
}

/**
 * Makes a Playwright fixture: a session of a mock server, one for each test. All tests of a worker share the mock
 * server. All pages of a test's context get their answers from the test's session, so that tests don't affect each
 * other.
 *
 * @param definition The definition, or several that are mocked together: paths from the working directory, URLs, or
 * objects. They are read once in each worker.
 */
export function mockFixture(
  definition: Definition | readonly Definition[],
  options: MockOptions & RoutingOptions = {},
): (fixtures: { context: RoutingTarget }, use: (api: MockSession) => Promise<void>) => Promise<void> {
  let started: Promise<MockServer> | undefined;
  let tests = 0;
  return async ({ context }, use) => {
    started ??= startMock(isList(definition) ? definition : [definition], options);
    const session = (await started).session(`test-${++tests}`);
    const stop = await routeToMock(context, session, options);
    try {
      await use(session);
    } finally {
      await stop();
      session.reset();
    }
  };
}

/**
 * Makes a mock server answer the requests that a page, or all pages of a context, send to the API: requests for paths
 * of the definition, at the origins of its `servers` and of `MockOptions.baseUrls`. If one of these URLs is relative,
 * or if there are none, it answers at every origin. It doesn't answer requests that load a page.
 *
 * @returns A function that removes the route.
 */
export async function routeToMock(
  target: RoutingTarget,
  mock: Pick<MockSession, "fetch" | "scopeOf">,
  { undeclared = "next" }: RoutingOptions = {},
): Promise<() => Promise<void>> {
  const stopped = new AbortController();
  const matches = (url: URL): boolean => {
    const scope = mock.scopeOf({ method: "GET", url: url.href, headers: new Headers() });
    return scope === "path" || (scope === "origin" && undeclared === "answer");
  };
  const handle = async (route: InterceptedRoute): Promise<void> => {
    try {
      await answer(mock, route, stopped.signal);
    } catch (error) {
      // The route is being removed: the page may be closed, and then takes no answer.
      if (!stopped.signal.aborted) throw error;
    }
  };
  await target.route(matches, handle);
  return async () => {
    stopped.abort();
    await target.unroute(matches, handle);
  };
}

async function answer(mock: Pick<MockSession, "fetch">, route: InterceptedRoute, signal: AbortSignal): Promise<void> {
  const request = route.request();
  if (request.isNavigationRequest()) return await route.fallback();
  let response: Response;
  let body: Buffer;
  try {
    response = await mock.fetch(withDelays(await requestOf(request, signal)));
    body = Buffer.from(await response.arrayBuffer());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return await route.abort(brokenBy(error) === "reset" ? "connectionreset" : "connectionclosed");
  }
  const headers = Object.fromEntries(response.headers);
  // Playwright expects several `Set-Cookie` headers as one value with line feeds between them.
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) headers["set-cookie"] = cookies.join("\n");
  await route.fulfill({ status: response.status, headers, body });
}

async function requestOf(request: InterceptedRequest, signal: AbortSignal): Promise<Request> {
  const method = request.method();
  // In HTTP/2, the headers contain pseudo-headers such as `:method`, which `Request` refuses.
  const headers = Object.entries(await request.allHeaders()).filter(([name]) => !name.startsWith(":"));
  const body = method === "GET" || method === "HEAD" ? null : request.postDataBuffer();
  return new Request(request.url(), { method, headers, body: body === null ? null : new Uint8Array(body), signal });
}

async function startMock(definitions: readonly Definition[], options: MockOptions): Promise<MockServer> {
  const documents = await Promise.all(definitions.map((definition) => loadDocument(definition)));
  // Only the tests' own pages send requests, whichever origin they have.
  return await createMockServer(documents, { isForeign: () => false, ...options });
}

function isList(definition: Definition | readonly Definition[]): definition is readonly Definition[] {
  return Array.isArray(definition);
}
