import type { MockServer } from "../../mod.ts";
import { type Others, refusal } from "./others.ts";

/** What answers intercepted requests: the mock server, or the network. */
export interface Interception {
  readonly mock: Pick<MockServer, "fetch" | "scopeOf">;
  readonly others: Others;
  /** Sends a request to the network. */
  readonly fetch: typeof fetch;
}

const MOST_REDIRECTS = 20;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** The request headers that describe a body: https://fetch.spec.whatwg.org/#request-body-header-name */
const BODY_HEADERS = ["content-encoding", "content-language", "content-location", "content-type"];

/**
 * Answers a request by the mock server if it is for the API, else from the network unless the option `others` refuses
 * it. Follows redirects as `fetch` does: https://fetch.spec.whatwg.org/#http-redirect-fetch
 *
 * @throws {TypeError} If the request is refused, or a redirect can't be followed.
 */
export async function answerRequest(request: Request, { mock, others, fetch }: Interception): Promise<Response> {
  for (let next = request, redirects = 0;; redirects++) {
    if (mock.scopeOf(next) === "none") {
      if (others === "refuse") throw new TypeError(refusal(next));
      const response = await fetch(next);
      return redirects === 0 ? response : withUrl(response, response.url, true);
    }
    // A body can be read once, and a redirect may need it again.
    const copy = next.body !== null && next.redirect === "follow" ? next.clone() : next;
    const response = await mock.fetch(next);
    const target = redirectTarget(response, next);
    if (target === undefined) return withUrl(response, next.url, redirects > 0);
    await response.body?.cancel();
    if (redirects === MOST_REDIRECTS) throw new TypeError(`${request.url} redirects more than ${redirects} times.`);
    next = redirected(copy, target, response.status);
  }
}

/** The URL to which a response redirects its request; `undefined` if the program gets the response. */
function redirectTarget(response: Response, { url, redirect }: Request): string | undefined {
  const location = response.headers.get("location");
  if (!REDIRECTS.has(response.status) || redirect === "manual") return undefined;
  if (redirect === "error") throw new TypeError(`${url} redirects, and the request forbids that.`);
  if (location === null) return undefined;
  const target = URL.canParse(location, url) ? new URL(location, url).href : "";
  if (!/^https?:/.test(target)) throw new TypeError(`${url} redirects to ${location}, which is no HTTP URL.`);
  return target;
}

/** The request that follows a redirect. */
function redirected(request: Request, target: string, status: number): Request {
  const { method, signal } = request;
  const headers = new Headers(request.headers);
  if (new URL(target).origin !== new URL(request.url).origin) {
    for (const name of ["authorization", "cookie", "proxy-authorization"]) headers.delete(name);
  }
  const losesBody = status === 303 ? method !== "GET" && method !== "HEAD" : status < 303 && method === "POST";
  if (losesBody) {
    for (const name of BODY_HEADERS) headers.delete(name);
    return new Request(target, { headers, signal });
  }
  const { body } = request;
  return new Request(target, { method, headers, signal, ...(body === null ? {} : { body, duplex: "half" }) });
}

/** Sets the properties of a response that tell of its request: those of `new Response()` are empty. */
function withUrl(response: Response, url: string, isRedirected: boolean): Response {
  return Object.defineProperties(response, {
    url: { value: url.replace(/#.*$/s, "") },
    redirected: { value: isRedirected },
  });
}
