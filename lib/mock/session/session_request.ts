import type { Problem } from "../../http/problem.ts";
import { splitTarget } from "../../http/url/url.ts";
import type { Session } from "./session.ts";
import { isSessionName } from "./session_name.ts";
import { withUrl } from "../../http/url/request_with_url.ts";
import { writeJson } from "../../schema/json/json.ts";

export const SESSION_HEADER = "x-gw-session";

export interface SessionRequest {
  readonly kind: "session";
  readonly session: Session;
  /** The request, with the session's base path removed from its URL. */
  readonly request: Request;
  /** The base path of the session, `/_gw/s/NAME`; empty if the request doesn't have it. */
  readonly basePath: string;
}

/** The problem of a request with an invalid session name, or with two different names. */
export interface RefusedSession {
  readonly kind: "refused";
  readonly problem: Problem;
}

/**
 * Finds the session of a request: by the base path `/_gw/s/NAME`, else by the header `X-Gw-Session`, else `unnamed`.
 *
 * @param find Returns the session with a name, which begins if there is none.
 * @param prefix The prefix of base paths, such as `/_gw/s/`; absent if the request's path can't have one.
 */
export function sessionOfRequest(
  find: (name: string) => Session,
  request: Request,
  unnamed: Session,
  prefix: string | undefined,
): SessionRequest | RefusedSession {
  const inHeader = request.headers.get(SESSION_HEADER);
  const path = prefix === undefined ? "" : splitTarget(request.url).path;
  if (prefix === undefined || !path.startsWith(prefix)) {
    if (inHeader === null) return { kind: "session", session: unnamed, request, basePath: "" };
    if (!isSessionName(inHeader)) return { kind: "refused", problem: badName(inHeader) };
    return { kind: "session", session: find(inHeader), request, basePath: "" };
  }
  const end = path.indexOf("/", prefix.length);
  const name = path.slice(prefix.length, end === -1 ? undefined : end);
  if (!isSessionName(name)) return { kind: "refused", problem: badName(name) };
  if (inHeader !== null && inHeader !== name) return { kind: "refused", problem: twoNames(name, inHeader) };
  const basePath = prefix + name;
  const rewritten = withUrl(request, withoutBasePath(request.url, basePath));
  return { kind: "session", session: find(name), request: rewritten, basePath };
}

function withoutBasePath(url: string, basePath: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const rest = url.slice(start + basePath.length);
  return url.slice(0, start) + (rest.startsWith("/") ? rest : `/${rest}`);
}

/**
 * Adds the base path of a session to URLs in `Location` and `Link` (RFC 8288) that lead to this server, so that clients
 * stay in the session.
 *
 * @param url The URL of the request.
 */
export function inBasePath(response: Response, basePath: string, url: string): Response {
  const location = response.headers.get("location");
  const link = response.headers.get("link");
  if (location === null && link === null) return response;
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const origin = url.slice(0, start === -1 ? undefined : start);
  const headers = new Headers(response.headers);
  if (location !== null) headers.set("location", addBasePath(location, basePath, origin));
  if (link !== null) {
    headers.set(
      "link",
      link.replace(/<([^<>]*)>/g, (_, target: string) => `<${addBasePath(target, basePath, origin)}>`),
    );
  }
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

/**
 * Adds the base path to a URL reference with an absolute path or with the server's origin. Other references are
 * unchanged.
 */
function addBasePath(reference: string, basePath: string, origin: string): string {
  const isAbsolute = reference.startsWith(`${origin}/`);
  const path = isAbsolute ? reference.slice(origin.length) : reference;
  if (!path.startsWith("/") || path.startsWith("//") || path.startsWith(`${basePath}/`)) return reference;
  return (isAbsolute ? origin : "") + basePath + path;
}

/** Limit of the characters of a name that a message quotes. */
const MOST_REPEATED = 40;

function badName(name: string): Problem {
  const shown = name.length > MOST_REPEATED ? `${name.slice(0, MOST_REPEATED)}…` : name;
  return {
    title: "Bad Request",
    status: 400,
    detail: `${writeJson(shown)} is no name of a session: take 1 to 128 letters, digits and . _ ~ -, in the ` +
      "header X-Gw-Session or after /_gw/s/.",
  };
}

function twoNames(inPath: string, inHeader: string): Problem {
  return {
    title: "Bad Request",
    status: 400,
    detail: `The path names the session ${inPath}, and the header X-Gw-Session names ` +
      `${writeJson(inHeader.slice(0, MOST_REPEATED))}. Name one.`,
  };
}
