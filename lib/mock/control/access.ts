/**
 * Access control of the control API: allows clients on the server's own machine, and clients with the token.
 *
 * @module
 */
import type { Problem } from "../../http/problem.ts";
import { refusalOfCallback } from "../../http/callback_header.ts";
import { isForwarded } from "../../http/forwarded_request.ts";
import { hostOf, isLoopback } from "../../http/url/host.ts";
import type { Logins } from "../../http/logins.ts";
import { isFromForeignPage, isNavigation } from "../../http/url/origin.ts";

export interface ControlAccessOptions {
  /** The bearer token with which clients may use the API from anywhere. Default: none. */
  readonly token?: string | undefined;
  /** Returns the IP address of a request's client. Default: unknown, so that clients need the token. */
  readonly clientOf?: ((request: Request) => string | undefined) | undefined;
  /** The logins of browsers, whose cookie stands for the token. Default: none. */
  readonly logins?: Logins | undefined;
}

/**
 * Makes a function that checks a request. It returns the problem of a refused request, and `undefined` for an allowed
 * one.
 */
export function createControlAccess(
  { token, clientOf, logins }: ControlAccessOptions,
): (request: Request) => Problem | undefined {
  const isToken = token === undefined ? undefined : createTokenTest(token);
  return (request) => {
    const callback = refusalOfCallback(request);
    if (callback !== undefined) return callback;
    const given = bearerOf(request.headers.get("authorization")) ?? logins?.tokenOf(request);
    if (isToken !== undefined && given !== undefined && isToken(given)) return undefined;
    const reason = refusalOf(request, clientOf?.(request));
    if (reason === undefined) return undefined;
    if (isToken === undefined) {
      return { title: "Forbidden", status: 403, detail: `${reason} Or let clients with a token in: --control-token.` };
    }
    const detail = given === undefined
      ? `${reason} Or send the token of --control-token: Authorization: Bearer TOKEN.`
      : `The token is not that of --control-token. ${reason}`;
    return { title: "Unauthorized", status: 401, detail };
  };
}

/** Why a request isn't accepted as one of a client on this machine, with advice; `undefined` if it is accepted. */
function refusalOf(request: Request, client: string | undefined): string | undefined {
  const { headers, url } = request;
  if (client === undefined || !isLoopbackAddress(client)) {
    return "gw's own endpoints are for clients of its machine: call them there, by 127.0.0.1 or localhost.";
  }
  if (isForwarded(request)) {
    return "A proxy forwarded this request, so that its client may be anywhere: call gw without the proxy.";
  }
  // Against DNS rebinding: pages of a host name that an attacker resolves to 127.0.0.1 would be same-origin with this
  // server. So the `Host` must be a loopback name itself.
  const host = hostOf({ url, headers });
  const asked = headers.get("host") ?? new URL(url).host;
  if (host === undefined || !isLocalAuthority(asked) || !isLocalAuthority(host)) {
    return "gw's own endpoints are asked by the host localhost, 127.0.0.1 or [::1]: another name may be an attack of " +
      "a web page (DNS rebinding).";
  }
  // A link of another site may open what a GET shows, which the other site can't read.
  const isForeign = isFromForeignPage(request) && !isNavigation(request);
  return isForeign ? "Pages of other origins may not use gw's own endpoints." : undefined;
}

/** Whether an IP address is in 127.0.0.0/8 or is ::1, also as an IPv4-mapped IPv6 address. */
function isLoopbackAddress(address: string): boolean {
  const url = URL.parse(address.includes(":") ? `http://[${address}]/` : `http://${address}/`);
  return url !== null && isLoopback(url);
}

function isLocalAuthority(authority: string): boolean {
  const url = URL.parse(`http://${authority}/`);
  return url !== null && url.pathname === "/" && isLoopback(url);
}

/** Limit of the characters of an `Authorization` header. A longer one is refused. */
const LONGEST_TOKEN = 4096;

/** The bearer token of a request (RFC 6750, section 2.1). */
function bearerOf(authorization: string | null): string | undefined {
  if (authorization === null || authorization.length > LONGEST_TOKEN) return undefined;
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}

/**
 * Makes a function that compares tokens in constant time. Otherwise timing would reveal how much of a guess is right.
 */
export function createTokenTest(token: string): (given: string) => boolean {
  const encoder = new TextEncoder();
  const wanted = encoder.encode(token);
  return (given) => {
    const bytes = encoder.encode(given);
    let difference = bytes.length ^ wanted.length;
    for (let at = 0; at < wanted.length; at++) difference |= (wanted[at] ?? 0) ^ (bytes[at] ?? 0);
    return difference === 0;
  };
}
