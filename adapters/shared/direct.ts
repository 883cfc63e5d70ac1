/**
 * Fast path from a request of `node:http` to its response. Some handlers of `createMock` need no `Request` and
 * `Response` of the Fetch API. To create these two objects takes longer than to find the answer.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Handler } from "../../mod.ts";

/**
 * Symbols that lib/http/direct.ts registers under the same names: the key of the method that takes a whole answer, and
 * the mark of handlers that can use the fast path.
 */
const TAKE_ANSWER = Symbol.for("openapi-gw.takeAnswer");
const ALLOWS_DIRECT = Symbol.for("openapi-gw.allowsDirect");

/**
 * Matches a request target that the URL parser wouldn't change. Requests with other targets don't use the fast path.
 */
const PLAIN_TARGET = /^\/(?![/.])(?:[\w~!$&()*+,;=:@?-]|\.(?![./]|%2e)|%(?!2e)|\/(?![/.]|%2e))*$/i;

/** An answer in the form that `ServerResponse.writeHead` and `end` take. */
interface Prepared {
  readonly status: number;
  /** Names and values alternate, as in `rawHeaders`. */
  readonly headers: string[];
  readonly body: Uint8Array | undefined;
}

/**
 * Caches prepared answers. The key is the `init` object, which is the same for all requests that get the same answer.
 */
const prepared = new WeakMap<ResponseInit, Prepared>();

/**
 * A handler that can answer a {@linkcode DirectRequest} instead of a `Request`, because it reads no other properties.
 */
export type DirectHandler = (request: DirectRequest) => Response | Promise<Response>;

export function answersDirectly(handler: Handler): handler is Handler & DirectHandler {
  return Object.hasOwn(handler, ALLOWS_DIRECT);
}

/** Methods whose requests can use the fast path; true for those whose requests have no body in the Fetch API. */
const METHODS: ReadonlyMap<string | undefined, boolean> = new Map([
  ["GET", true],
  ["HEAD", true],
  ["DELETE", false],
  ["PATCH", false],
  ["POST", false],
  ["PUT", false],
]);

/**
 * Makes the request for the fast path.
 *
 * @param read Makes the `Request`, for handlers that read the body.
 * @param maxBody The most bytes that the body may have.
 * @returns `undefined` if the request can't use the fast path: it has another method, a body that is too long or has no
 * declared length, or a URL that the URL parser may change.
 */
export function directRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  read: () => Request,
  maxBody: number,
): DirectRequest | undefined {
  const { method = "", url = "", headers: { host = "", "content-length": length, "transfer-encoding": coding } } =
    incoming;
  const isBodiless = METHODS.get(method);
  if (isBodiless === undefined || !PLAIN_TARGET.test(url)) return undefined;
  if (length !== undefined && Number(length) > maxBody || !isBodiless && coding !== undefined) return undefined;
  const origin = originOf("encrypted" in incoming.socket ? "https:" : "http:", host);
  if (origin === undefined) return undefined;
  const hasBody = !isBodiless && length !== undefined;
  return new DirectRequest(incoming, outgoing, { method, url: origin + url, read: hasBody ? read : undefined });
}

let last: { readonly written: string; readonly origin: string | undefined } = { written: "", origin: undefined };

/**
 * The origin of a host; `undefined` if the URL parser would change it. Caches the last result, because most requests
 * have the same host.
 */
function originOf(protocol: string, host: string): string | undefined {
  const written = `${protocol}//${host}`;
  if (last.written !== written) {
    last = { written, origin: URL.canParse(written) && new URL(written).origin === written ? written : undefined };
  }
  return last.origin;
}

/** A subset of `Headers` that looks names up in `rawHeaders`, without making a map. */
class DirectHeaders {
  readonly #written: readonly string[];

  /** @param written Names and values, which alternate, as in `rawHeaders`. */
  constructor(written: readonly string[]) {
    this.#written = written;
  }

  /** The values of a header, joined with commas as by `Headers.get`; `null` if the request doesn't have the header. */
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

  /** The names in lower case; a repeated header has its name repeated. */
  keys(): Iterator<string> & Iterable<string> {
    return this.#written.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()).values();
  }
}

/** The subset of `Request` that handlers on the fast path read. */
export class DirectRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: DirectHeaders;
  readonly #outgoing: ServerResponse;
  readonly #read: (() => Request) | undefined;
  #request: Request | undefined;

  /** @param request.read Makes the `Request`; absent for a request without a body. */
  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { method, url, read }: { method: string; url: string; read: (() => Request) | undefined },
  ) {
    this.method = method;
    this.url = url;
    this.headers = new DirectHeaders(incoming.rawHeaders);
    this.#outgoing = outgoing;
    this.#read = read;
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    return this.#full?.body ?? null;
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return await this.#full?.arrayBuffer() ?? new ArrayBuffer(0);
  }

  /** The request in full: only a handler that reads the body needs it. */
  get #full(): Request | undefined {
    return this.#request ??= this.#read?.();
  }

  /** Sends an answer. Returns {@linkcode SENT}, which tells the listener that nothing is left to send. */
  [TAKE_ANSWER](init: ResponseInit, body: Uint8Array | null): Response {
    let answer = prepared.get(init);
    if (answer === undefined) prepared.set(init, answer = prepare(this.method, init, body));
    this.#outgoing.writeHead(answer.status, answer.headers);
    this.#outgoing.end(answer.body);
    return SENT;
  }
}

/** A sentinel: the response was already sent. */
export const SENT: Response = new Response(null);

function prepare(method: string, init: ResponseInit, body: Uint8Array | null): Prepared {
  const { status = 200 } = init;
  const headers = new Headers(init.headers);
  // The definition may tell the length of a body that HEAD doesn't get.
  if (body !== null && !(method === "HEAD" && headers.has("content-length"))) {
    headers.set("content-length", String(body.length));
  }
  return { status, headers: [...headers].flat(), body: body ?? undefined };
}
