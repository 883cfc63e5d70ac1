import { readManagedSource } from "../../../lib/management/source.ts";
import { isLoopback } from "../../../lib/http/url/host.ts";
import { fetchFailureOf } from "../files/read.ts";

/** A response of the management API. */
export interface ClientReply {
  readonly status: number;
  /** The body: the value of its JSON, else its text; `undefined` without a body. */
  readonly body: unknown;
  /** The body as it was sent. */
  readonly text: string;
  /** The texts of the `Warning` headers. */
  readonly warnings: readonly string[];
  /** The addresses of the fleet that serves what was deployed: the `X-Gw-Served-At` header. */
  readonly servedAt: readonly string[];
  /** The entity tag, by which two states of a resource can be told apart; `null` if there is none. */
  readonly etag: string | null;
  /** The file, or the title, after which the resource was named: the `X-Gw-Source` header. */
  readonly source: string | undefined;
}

export interface ClientCall {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path and query of the URL: `/apis/default/todo?dryRun=true`. */
  path: string;
  /** The value of the body, which is sent as JSON. */
  content?: unknown;
  /** The file, or the title, after which the resource is named. */
  source?: string | undefined;
}

/** Thrown if the server can't be reached. The message is a sentence. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/**
 * Sends a request. Resolves with a response of any status; rejects with an {@linkcode UnreachableError} if there is
 * none.
 */
export type Client = (call: ClientCall) => Promise<ClientReply>;

export interface ClientOptions {
  /** The URL of the API, to which paths are appended. */
  server: URL;
  /** Bearer token (RFC 6750). */
  token?: string;
}

/** Creates a client of the management API. */
export function createClient({ server, token }: ClientOptions): Client {
  const base = server.href.replace(/[?#].*$/, "").replace(/\/$/, "");
  return async ({ method, path, content, source: sent }) => {
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${base}${path}`, {
        method,
        redirect: "manual",
        headers: {
          accept: "application/problem+json, application/json;q=0.9",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(content === undefined ? {} : { "content-type": "application/json" }),
          ...(sent === undefined ? {} : { "x-gw-source": encodeURIComponent(sent.toWellFormed()) }),
        },
        ...(content === undefined ? {} : { body: JSON.stringify(content) }),
      });
      text = await response.text();
    } catch (error) {
      throw new UnreachableError(
        `Cannot reach ${base}: ${fetchFailureOf(error)}. Is gw serve running there? Set --server or GW_SERVER.`,
        {
          cause: error,
        },
      );
    }
    const warnings = readWarnings(response.headers.get("warning") ?? "");
    const servedAt = readServedAt(response.headers.get("x-gw-served-at") ?? "", server);
    const body = readBody(text, response.headers.get("content-type"));
    const etag = response.headers.get("etag");
    const source = readManagedSource(response.headers);
    return { status: response.status, body, text, warnings, servedAt, etag, source };
  };
}

function readBody(text: string, mediaType: string | null): unknown {
  if (text === "") return undefined;
  if (mediaType === null || !/^application\/([\w.-]+\+)?json\b/.test(mediaType)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The addresses of a fleet. A server that listens on all addresses calls itself localhost: for a client on another
 * machine, its fleets have the host of `server`.
 */
function readServedAt(field: string, server: URL): string[] {
  return field.split(",").flatMap((written) => {
    const url = URL.parse(written.trim());
    if (url === null) return [];
    if (isLoopback(url) && !isLoopback(server)) url.hostname = server.hostname;
    return [url.href.replace(/\/$/, "")];
  });
}

/** The texts in a `Warning` header such as `299 - "…", 299 - "…"` (RFC 7234, section 5.5). */
function readWarnings(field: string): string[] {
  return [...field.matchAll(/\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => text.replace(/\\(.)/g, "$1"));
}
