/**
 * The short way from a request of `node:http` to its response, for handlers of `createMock` that need neither a
 * `Request` nor a `Response` of the Fetch API: making those takes longer than the answer.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Handler } from "../../mod.ts";

/** The keys by which the library and this module know each other: those of lib/http/direct.ts. */
const TAKE_ANSWER = Symbol.for("openapi-gw.takeAnswer");
const ALLOWS_DIRECT = Symbol.for("openapi-gw.allowsDirect");

/** A target that the URL parser leaves as it is; others go the long way. */
const PLAIN_TARGET = /^\/(?![/.])(?:[\w~!$&()*+,;=:@?-]|\.(?![./]|%2e)|%(?!2e)|\/(?![/.]|%2e))*$/i;

/** An answer that is prepared for `node:http`. */
interface Prepared {
  readonly status: number;
  /** Names and values by turns. */
  readonly headers: string[];
  readonly body: Uint8Array | undefined;
}

/** The answers that were sent before, by their `init`. */
const prepared = new WeakMap<ResponseInit, Prepared>();

/** A handler that reads so little of a request that it can answer {@linkcode DirectRequest}s. */
export type DirectHandler = (request: DirectRequest) => Response | Promise<Response>;

/** Whether a handler can answer {@linkcode DirectRequest}s. */
export function answersDirectly(handler: Handler): handler is Handler & DirectHandler {
  return Object.hasOwn(handler, ALLOWS_DIRECT);
}

/**
 * Makes the request for a handler that answers directly.
 *
 * @returns `undefined` for a request that needs the long way: one with a body, or whose URL the URL parser may change.
 */
export function directRequest(incoming: IncomingMessage, outgoing: ServerResponse): DirectRequest | undefined {
  const { method, url = "", headers: { host = "" } } = incoming;
  if (method !== "GET" || !PLAIN_TARGET.test(url)) return undefined;
  const origin = originOf("encrypted" in incoming.socket ? "https:" : "http:", host);
  return origin === undefined ? undefined : new DirectRequest(incoming, outgoing, origin + url);
}

let last: { readonly written: string; readonly origin: string | undefined } = { written: "", origin: undefined };

/** The origin of a host, as the URL parser writes it; remembers the last, because most requests have the same. */
function originOf(protocol: string, host: string): string | undefined {
  const written = `${protocol}//${host}`;
  if (last.written !== written) {
    last = { written, origin: URL.canParse(written) && new URL(written).origin === written ? written : undefined };
  }
  return last.origin;
}

/** The headers of a request, read by single names. */
class DirectHeaders {
  readonly #written: readonly string[];

  /** @param written Names and values by turns, as they came. */
  constructor(written: readonly string[]) {
    this.#written = written;
  }

  /** The values of a header, joined as the Fetch API joins them; `null` without the header. */
  get(name: string): string | null {
    const written = this.#written;
    let found: string | null = null;
    for (let index = 0; index < written.length; index += 2) {
      const key = written[index] ?? "";
      if (key.length !== name.length || key !== name && key.toLowerCase() !== name.toLowerCase()) continue;
      const value = written[index + 1] ?? "";
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }
}

/** What a handler that answers directly reads of a request. */
export class DirectRequest {
  readonly method = "GET";
  readonly url: string;
  readonly headers: DirectHeaders;
  readonly body = null;
  readonly #outgoing: ServerResponse;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, url: string) {
    this.url = url;
    this.headers = new DirectHeaders(incoming.rawHeaders);
    this.#outgoing = outgoing;
  }

  /** Sends an answer. Returns an empty response, which says that the answer was sent. */
  [TAKE_ANSWER](init: ResponseInit, body: Uint8Array | null): Response {
    let answer = prepared.get(init);
    if (answer === undefined) prepared.set(init, answer = prepare(init, body));
    this.#outgoing.writeHead(answer.status, answer.headers);
    this.#outgoing.end(answer.body);
    return SENT;
  }
}

/** Stands for a response that was sent. */
export const SENT: Response = new Response(null);

function prepare(init: ResponseInit, body: Uint8Array | null): Prepared {
  const { status = 200 } = init;
  const headers = new Headers(init.headers);
  if (body !== null) headers.set("content-length", String(body.length));
  return { status, headers: [...headers].flat(), body: body ?? undefined };
}
