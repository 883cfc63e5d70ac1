/**
 * Tells whose web page sent a request, by the headers that browsers set and pages can't change: `Origin` (RFC 6454,
 * section 7) and `Sec-Fetch-Site` (Fetch Metadata Request Headers).
 *
 * @module
 * @see {@link https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header Fetch Metadata, section 2.2}
 */
import { isLoopback } from "./host.ts";

/** Whether pages of an origin, such as `https://app.example.com`, may do what pages of other sites may not. */
export type OriginTest = (origin: string) => boolean;

/** The parts of a request that tell whose page sent it. */
interface AskedRequest {
  readonly url: string;
  readonly headers: Pick<Headers, "get">;
}

/** Makes the test of origins: permitted origins pass, and HTTP and HTTPS origins with a loopback host. */
export function createOriginTest(permitted: readonly string[]): OriginTest {
  const origins = new Set(permitted);
  return (origin) => origins.has(origin) || isOfThisMachine(origin);
}

function isOfThisMachine(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) && isLoopback(url);
}

/**
 * Tells whether a page of another origin sent a request, and the origin isn't permitted. Programs other than browsers
 * send neither header, so their requests aren't foreign. A page whose host name an attacker resolves to this machine
 * (DNS rebinding) isn't foreign either: that takes a test of the request's host.
 *
 * @param permits Whether pages of another origin may send the request. Default: none may.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const headers = new Headers({ host: "localhost:8080", origin: "https://evil.example" });
 * assert.ok(isFromForeignPage({ url: "http://localhost:8080/pets", headers }));
 * assert.ok(!isFromForeignPage({ url: "http://localhost:8080/pets", headers: new Headers() }));
 * ```
 */
export function isFromForeignPage(
  { url, headers }: AskedRequest,
  permits: OriginTest = permitsNone,
): boolean {
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  if (origin === null && site === null) return false;
  const own = ownOrigins(headers.get("host") ?? URL.parse(url)?.host ?? "");
  if (origin !== null && !own.includes(origin)) return !permits(origin);
  switch (site) {
    case null:
    case "none":
    case "same-origin":
      return false;
    case "same-site":
      // Browsers leave out `Origin` of navigations, images and the like. All pages of this machine are of one site, so
      // they are permitted if this server's own origin would be.
      return !own.some(permits);
    default:
      return true;
  }
}

/** Tells whether a page of the server's own origin sent a request. Browsers say so for all that may change something. */
export function isFromOwnPage({ url, headers }: AskedRequest): boolean {
  const origin = headers.get("origin");
  if (origin === null) return headers.get("sec-fetch-site") === "same-origin";
  return ownOrigins(headers.get("host") ?? URL.parse(url)?.host ?? "").includes(origin);
}

/**
 * Tells whether a browser loads a document of its own window, as for a link that somebody follows. The page with the
 * link can't read the document. It could show it in a frame, but that is no `document` (Fetch Metadata, section 2.1).
 */
export function isNavigation({ method, headers }: AskedRequest & { readonly method: string }): boolean {
  return (method === "GET" || method === "HEAD") && headers.get("sec-fetch-mode") === "navigate" &&
    headers.get("sec-fetch-dest") === "document";
}

function permitsNone(): boolean {
  return false;
}

/** The origins of a server's own pages. A proxy in front of it may end TLS. */
function ownOrigins(authority: string): string[] {
  return ["http", "https"].flatMap((scheme) => URL.parse(`${scheme}://${authority}`)?.origin ?? []);
}
