import { refusalOfCallback } from "../../lib/http/callback_header.ts";
import { isForwarded } from "../../lib/http/forwarded_request.ts";
import { BAD_HOST, hostOf, isLoopback } from "../../lib/http/url/host.ts";
import { isFromForeignPage } from "../../lib/http/url/origin.ts";
import { type Problem, problemResponse } from "../../lib/http/problem.ts";
import { splitTarget } from "../../lib/http/url/url.ts";
import { messageOf } from "../../lib/http/message.ts";
import type { Tokens, User } from "./tokens.ts";

export interface AccessOptions {
  /** The valid tokens. Default: no authentication. */
  tokens?: Tokens;
  /** Origins whose pages may use the API. */
  corsOrigins: readonly string[];
  /** Whether the server listens on loopback only: then another name in `Host` is an attack (DNS rebinding). */
  isLocal: boolean;
}

export type Access =
  | { kind: "allowed"; user: User; headers: readonly (readonly [string, string])[] }
  | { kind: "answered"; user: User; response: Response };

/** The user of requests without credentials. */
const ANYBODY: User = { name: "anonymous", groups: [] };

/** Paths that need no authentication: probes of Kubernetes send no credentials. */
const OPEN_PATHS = new Set(["/healthz", "/readyz"]);

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** The CORS headers for pages of permitted origins. */
const CORS = {
  methods: "GET, POST, PUT, DELETE",
  requestHeaders: "authorization, content-type, if-match",
  responseHeaders: "etag, link, location, retry-after, warning, x-gw-served-at",
  maxAge: "600",
} as const;

/** Creates the function that decides whether a request to the management API is allowed. */
export function createAccess({ tokens, corsOrigins, isLocal }: AccessOptions): (request: Request) => Promise<Access> {
  const permits = (origin: string): boolean => corsOrigins.includes(origin);
  return async (request) => {
    const callback = refusalOfCallback(request);
    if (callback !== undefined) return refuse(callback);
    if (hostOf(request) === undefined) return refuse(BAD_HOST);
    const host = authorityOf(request);
    const origin = request.headers.get("origin");
    if (tokens === undefined && isLocal && isForwarded(request)) return refuse(FROM_PROXY);
    // DNS rebinding: an attacker's host name that resolves to 127.0.0.1 would make the attacker's pages same-origin.
    if (tokens === undefined && isLocal && !isLocalHost(host)) return refuse(strangeHost(host));
    // A link of another site may lead to the API: a browser shows the answer to its user, and not to the page.
    const isLink = origin === null && SAFE_METHODS.has(request.method);
    if (!isLink && isFromForeignPage(request, permits)) return refuse(strangeOrigin(origin ?? "another site"));
    const isPermitted = origin !== null && permits(origin);
    if (isPermitted && request.method === "OPTIONS" && request.headers.has("access-control-request-method")) {
      const response = new Response(null, { status: 204, headers: preflight(origin) });
      return { kind: "answered", user: ANYBODY, response };
    }
    const headers = isPermitted ? corsHeaders(origin) : [];
    if (tokens === undefined || OPEN_PATHS.has(splitTarget(request.url).path)) {
      return { kind: "allowed", user: ANYBODY, headers };
    }
    try {
      const token = bearerOf(request);
      const user = token === undefined ? undefined : await tokens.find(token);
      return user === undefined ? unauthorized(request, headers) : { kind: "allowed", user, headers };
    } catch (error) {
      return unknowable(error, headers);
    }
  };
}

/** The bearer token of a request (RFC 6750, section 2.1). */
export function bearerOf({ headers }: Pick<Request, "headers">): string | undefined {
  const [, token] = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "") ?? [];
  return token;
}

/** The response if the cluster can't check a token, because its TokenReview API is unavailable. */
function unknowable(error: unknown, headers: readonly (readonly [string, string])[]): Access {
  const response = problemResponse(
    { title: "Service Unavailable", status: 503, detail: `The token can't be checked: ${messageOf(error)}` },
    [["retry-after", "5"], ...headers],
  );
  return { kind: "answered", user: ANYBODY, response };
}

function unauthorized(request: Request, headers: readonly (readonly [string, string])[]): Access {
  const given = request.headers.has("authorization");
  const detail = given
    ? "The token is not valid. Ask the operator of this server for one."
    : "A token is needed: send the header Authorization: Bearer TOKEN, or set GW_TOKEN for gw's commands.";
  const challenge = given ? 'Bearer realm="gw", error="invalid_token"' : 'Bearer realm="gw"';
  const response = problemResponse(
    { title: "Unauthorized", status: 401, detail },
    [["www-authenticate", challenge], ...headers],
  );
  return { kind: "answered", user: ANYBODY, response };
}

function refuse(problem: Problem): Access {
  return { kind: "answered", user: ANYBODY, response: problemResponse(problem) };
}

/** Without tokens the API is for the programs of its machine, and a proxy of this machine passes on requests of all. */
const FROM_PROXY: Problem = {
  title: "Forbidden",
  status: 403,
  detail:
    "A proxy passed this request on, so that its client may be anywhere: call this server without the proxy, or " +
    "give it --token-file.",
};

function strangeHost(host: string): Problem {
  const detail = `This server accepts localhost and its addresses as its host, not ${host}: ` +
    "another name may be an attack of a web page (DNS rebinding). With --token-file any name is accepted.";
  return { title: "Forbidden", status: 403, detail };
}

function strangeOrigin(origin: string): Problem {
  const detail = `Pages of ${origin} may not use this server. Permit them with --cors-origin, if you trust them.`;
  return { title: "Forbidden", status: 403, detail };
}

/** Host and port as the client wrote them. HTTP/2 has no `Host` field; there they come from the request target. */
function authorityOf({ headers, url }: Request): string {
  return headers.get("host") ?? new URL(url).host;
}

function isLocalHost(host: string): boolean {
  const url = URL.parse(`http://${host}/`);
  return url !== null && isLoopback(url);
}

function preflight(origin: string): Headers {
  return new Headers([
    ["access-control-allow-origin", origin],
    ["access-control-allow-methods", CORS.methods],
    ["access-control-allow-headers", CORS.requestHeaders],
    ["access-control-max-age", CORS.maxAge],
    ["vary", "Origin"],
  ]);
}

function corsHeaders(origin: string): [string, string][] {
  return [
    ["access-control-allow-origin", origin],
    ["access-control-expose-headers", CORS.responseHeaders],
    ["vary", "Origin"],
  ];
}
