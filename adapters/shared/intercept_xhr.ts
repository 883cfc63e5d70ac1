/**
 * Has a mock server answer the requests of `XMLHttpRequest`, in test environments with a DOM: jsdom, happy-dom. Requests
 * for other servers are sent by the environment's own class.
 *
 * https://xhr.spec.whatwg.org/
 *
 * @module
 */
import type { MockServer } from "../../mod.ts";
import { answerRequest } from "./answer_request.ts";
import { absoluteUrl, domRequest } from "./dom_request.ts";
import type { Others } from "./others.ts";
import { replaceFunction } from "./replace_function.ts";
import { timerOf } from "./timer.ts";

/** The class of an environment, as far as it is used. */
interface Xhr extends EventTarget {
  readonly upload: EventTarget;
  responseType: string;
  timeout: number;
  readonly readyState: number;
  readonly status: number;
  readonly statusText: string;
  readonly responseURL: string;
  readonly response: unknown;
  readonly responseText: string;
  readonly responseXML: unknown;
  open(...args: OpenArguments): void;
  setRequestHeader(name: string, value: string): void;
  send(body?: unknown): void;
  abort(): void;
  getResponseHeader(name: string): string | null;
  getAllResponseHeaders(): string;
}

type OpenArguments = [method: string, url: string | URL, isAsync?: boolean, user?: string, password?: string];

const [HEADERS_RECEIVED, LOADING, DONE] = [2, 3, 4];

/** The headers that scripts can't read. https://fetch.spec.whatwg.org/#forbidden-response-header-name */
const FORBIDDEN_RESPONSE_HEADERS: ReadonlySet<string> = new Set(["set-cookie", "set-cookie2"]);

/** A request that was opened and not yet sent. */
interface Opened {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly isAsync: boolean;
}

/** A request that the mock server answers. */
interface Exchange {
  readonly abortion: AbortController;
  readyState: number;
  /** Absent until the server has answered, and after an error. */
  response?: Response | undefined;
  bytes: ArrayBuffer;
}

/**
 * Begins to answer requests.
 *
 * @returns The function that ends it.
 */
export function interceptXhr(mock: MockServer, others: Others): () => void {
  if (Reflect.get(globalThis, "XMLHttpRequest") === undefined) return () => {};
  return replaceFunction(
    globalThis,
    "XMLHttpRequest",
    (original: new () => Xhr, hasEnded) => mockedXhr(original, mock, others, hasEnded),
  );
}

function mockedXhr(original: new () => Xhr, mock: MockServer, others: Others, hasEnded: () => boolean): new () => Xhr {
  return class XMLHttpRequest extends original {
    #opened: Opened | undefined;
    #exchange: Exchange | undefined;

    override open(...args: OpenArguments): void {
      this.#exchange?.abortion.abort();
      this.#exchange = undefined;
      super.open(...args);
      const [method, url, isAsync = true] = args;
      this.#opened = { method: method.toUpperCase(), url: absoluteUrl(url), headers: new Headers(), isAsync };
    }

    override setRequestHeader(name: string, value: string): void {
      super.setRequestHeader(name, value);
      this.#opened?.headers.append(name, value);
    }

    override send(body?: unknown): void {
      // The environment's own class doesn't know that the request was sent, and would send it to the network.
      if (this.#exchange !== undefined) throw new DOMException("The request was already sent.", "InvalidStateError");
      const opened = this.#opened;
      if (opened === undefined || hasEnded()) return super.send(body);
      if (others === "pass" && mock.scopeOf(opened) === "none") return super.send(body);
      if (!opened.isAsync) throw new Error("A mock server can't answer a synchronous XMLHttpRequest.");
      this.#opened = undefined;
      const exchange: Exchange = {
        abortion: new AbortController(),
        readyState: 1,
        bytes: new ArrayBuffer(0),
      };
      this.#exchange = exchange;
      dispatchProgress(this, "loadstart");
      const timer = this.timeout > 0
        ? setTimeout(() => this.#fail(exchange, "timeout"), timerOf(this.timeout))
        : undefined;
      this.#send(exchange, opened, body)
        .catch((error: unknown) => this.#fail(exchange, "error", error))
        .finally(() => clearTimeout(timer));
    }

    override abort(): void {
      const exchange = this.#exchange;
      if (exchange === undefined) return super.abort();
      if (exchange.readyState !== DONE) this.#fail(exchange, "abort");
      exchange.readyState = 0;
    }

    async #send(exchange: Exchange, { method, url, headers }: Opened, body: unknown): Promise<void> {
      const hasBody = method !== "GET" && method !== "HEAD" && body !== undefined && body !== null;
      const { signal } = exchange.abortion;
      const request = await domRequest(url, { method, headers, ...(hasBody ? { body: body as BodyInit } : {}) });
      const response = await Promise.race([answerRequest(request, { mock, others, fetch }), aborted(signal)]);
      if (signal.aborted || response === undefined) return;
      if (hasBody) {
        for (const type of ["loadstart", "progress", "load", "loadend"]) dispatchProgress(this.upload, type);
      }
      exchange.response = response;
      this.#advance(exchange, HEADERS_RECEIVED);
      const bytes = await response.arrayBuffer();
      if (signal.aborted) return;
      exchange.bytes = bytes;
      this.#advance(exchange, LOADING);
      dispatchProgress(this, "progress", bytes.byteLength);
      this.#advance(exchange, DONE);
      dispatchProgress(this, "load", bytes.byteLength);
      dispatchProgress(this, "loadend", bytes.byteLength);
    }

    #advance(exchange: Exchange, readyState: number): void {
      exchange.readyState = readyState;
      this.dispatchEvent(new Event("readystatechange"));
    }

    #fail(exchange: Exchange, type: "abort" | "error" | "timeout", error?: unknown): void {
      if (exchange.abortion.signal.aborted || exchange.readyState === DONE) return;
      exchange.abortion.abort();
      exchange.response = undefined;
      this.#advance(exchange, DONE);
      // Clients such as axios take the message of the event, if it has one, as that of their error.
      dispatchProgress(this, type, 0, error instanceof Error ? { message: error.message } : {});
      dispatchProgress(this, "loadend");
    }

    override get readyState(): number {
      return this.#exchange?.readyState ?? super.readyState;
    }

    override get status(): number {
      return this.#exchange === undefined ? super.status : this.#exchange.response?.status ?? 0;
    }

    override get statusText(): string {
      return this.#exchange === undefined ? super.statusText : this.#exchange.response?.statusText ?? "";
    }

    override get responseURL(): string {
      const exchange = this.#exchange;
      if (exchange === undefined) return super.responseURL;
      return exchange.response?.url ?? "";
    }

    override get responseText(): string {
      return this.#exchange === undefined ? super.responseText : textOf(this.#exchange);
    }

    override get responseXML(): unknown {
      return this.#exchange === undefined ? super.responseXML : documentOf(this.#exchange);
    }

    override get response(): unknown {
      const exchange = this.#exchange;
      if (exchange === undefined) return super.response;
      if (this.responseType === "" || this.responseType === "text") return textOf(exchange);
      return exchange.readyState === DONE && exchange.response !== undefined
        ? valueOf(exchange, this.responseType)
        : null;
    }

    override getResponseHeader(name: string): string | null {
      const exchange = this.#exchange;
      if (exchange === undefined) return super.getResponseHeader(name);
      return FORBIDDEN_RESPONSE_HEADERS.has(name.toLowerCase()) ? null : exchange.response?.headers.get(name) ?? null;
    }

    override getAllResponseHeaders(): string {
      const exchange = this.#exchange;
      if (exchange === undefined) return super.getAllResponseHeaders();
      return [...exchange.response?.headers ?? []]
        .filter(([name]) => !FORBIDDEN_RESPONSE_HEADERS.has(name))
        .map(([name, value]) => `${name}: ${value}\r\n`).join("");
    }
  };
}

function dispatchProgress(target: EventTarget, type: string, length = 0, more: { message?: string } = {}): void {
  const event = new ProgressEvent(type, { lengthComputable: length > 0, loaded: length, total: length });
  target.dispatchEvent(Object.assign(event, more));
}

/** Resolves to nothing when a request is aborted. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
}

function textOf({ bytes }: Exchange): string {
  return new TextDecoder().decode(bytes);
}

/** The body of a response as a type of the API has it; `null` if the body isn't of this type. */
function valueOf(exchange: Exchange, type: string): unknown {
  if (type === "arraybuffer") return exchange.bytes;
  if (type === "blob") return new Blob([exchange.bytes], { type: mediaTypeOf(exchange) });
  if (type === "document") return documentOf(exchange);
  try {
    return JSON.parse(textOf(exchange));
  } catch {
    return null;
  }
}

function documentOf(exchange: Exchange): unknown {
  const mediaType = /[/+]xml\b/.test(mediaTypeOf(exchange)) ? "application/xml" : "text/html";
  if (exchange.readyState !== DONE || exchange.response === undefined) return null;
  const parser: new () => { parseFromString(text: string, mediaType: string): unknown } = Reflect.get(
    globalThis,
    "DOMParser",
  );
  return new parser().parseFromString(textOf(exchange), mediaType);
}

function mediaTypeOf({ response }: Exchange): string {
  return response?.headers.get("content-type") ?? "";
}
