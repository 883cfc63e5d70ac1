import type { Problem } from "../problem.ts";

/**
 * Host and port of a URL (RFC 3986, section 3.2, without user information). `*` isn't allowed here, although the RFC
 * allows it in names: no real host has it, and gw's patterns of hosts use it as a wildcard.
 */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|(?:[-a-z0-9._~!$&'()+,;=]|%[0-9a-f]{2})+)(?::([0-9]{0,5}))?$/i;

/**
 * An empty label of a domain name. Only the last label may be empty, since it names the root of the DNS (RFC 1034,
 * section 3.1).
 */
const EMPTY_LABEL = /^\.|\.\./;

const LONGEST_NAME = 255;
const LAST_PORT = 65_535;

/** The problem for a request whose host isn't well-formed (RFC 9112, section 3.2). */
export const BAD_HOST: Problem = {
  title: "Bad Request",
  status: 400,
  detail: "The request doesn't say a well-formed host. Send one, such as api.example.com:8080, in the header Host.",
};

/**
 * Returns the host that a request is meant for, in lower case, without port and final dot. The host of the URL takes
 * precedence over the header `Host`. The header must be well-formed even so, because Deno builds the URL from it:
 * `Host: a/b` puts `/b` into the path.
 *
 * @param request A request as the server got it. HTTP/2 and HTTP/1.0 have no header `Host`.
 * @param parse Parses the host. Default: a parser without cache.
 * @returns `undefined` when the target or the header has no well-formed host.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const headers = new Headers();
 * assert.equal(hostOf({ url: "http://API.example.com.:8080/pets", headers }), "api.example.com");
 * assert.equal(hostOf({ url: "http://evil.example#.example.com/pets", headers }), undefined);
 * ```
 */
export function hostOf(
  { url, headers }: { url: string; headers: Pick<Headers, "get"> },
  parse: HostParser = parseHost,
): string | undefined {
  if (!url.startsWith("http://") && !/^https?:\/\//i.test(url)) return undefined;
  const start = url.indexOf("//") + 2;
  const slash = url.indexOf("/", start);
  const authority = slash === -1 ? url.slice(start) : url.slice(start, slash);
  const header = headers.get("host");
  if (header !== null && header !== authority && parse(header) === undefined) return undefined;
  return parse(authority);
}

/**
 * Parses host and port of a URL. Returns the host in lower case, without port and final dot; `undefined` if host or
 * port isn't well-formed.
 */
export type HostParser = (authority: string) => string | undefined;

/**
 * Makes a parser of hosts for one server. The parser caches its last result, because nearly all requests to a server
 * have the same host.
 */
export function createHostParser(): HostParser {
  let last: { readonly authority: string; readonly host: string | undefined } = { authority: "", host: undefined };
  return function parseAgain(authority) {
    if (authority !== last.authority) last = { authority, host: parseHost(authority) };
    return last.host;
  };
}

/** Parses host and port of a URL: see {@linkcode HostParser}. */
export function parseHost(authority: string): string | undefined {
  const [, host = "", port = ""] = AUTHORITY.exec(authority) ?? [];
  if (host === "" || host.length > LONGEST_NAME || Number(port) > LAST_PORT || EMPTY_LABEL.test(host)) return undefined;
  if (host.startsWith("[") && !URL.canParse(`http://${host}`)) return undefined;
  const name = host.toLowerCase();
  return name.endsWith(".") ? name.slice(0, -1) : name;
}

/**
 * Tells whether a URL names this machine: `localhost` and names under it (RFC 6761, section 6.3), 127.0.0.0/8 and ::1.
 * The name isn't looked up in the DNS.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.ok(isLoopback(new URL("http://127.1:9000/hook")));
 * assert.ok(!isLoopback(new URL("http://localhost.example.com/")));
 * ```
 */
export function isLoopback({ hostname }: Pick<URL, "hostname">): boolean {
  // `URL` has already normalised the notations of an IPv4 address: `0x7f.1` is `127.0.0.1`.
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" ||
    /^127(?:\.\d{1,3}){3}$/.test(name) || /^\[::ffff:7f[0-9a-f]{2}:/.test(name);
}
