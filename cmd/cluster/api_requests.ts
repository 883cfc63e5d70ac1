import { messageOf } from "../../lib/http/message.ts";
import { sleep } from "../io/sleep.ts";
import { readError, readEvent, readLines } from "./api_messages.ts";
import { type CallOptions, KubeError, type WatchEvent } from "./client.ts";
import type { Transport } from "./transport.ts";

/** The time in which the API server must respond, in milliseconds. */
const RESPONSE_TIMEOUT = 30_000;

/**
 * The time without an event after which a watch counts as broken, in milliseconds. An API server sends a bookmark each
 * minute, or ends the watch.
 */
const WATCH_TIMEOUT = 90_000;

/** The most times that a request is sent, if the API server is too busy. */
const MOST_TRIES = 4;

/** The longest delay before a request is sent again, in seconds. */
const LONGEST_DELAY = 5;

const JSON_TYPE = "application/json";

/** Options of {@linkcode ApiRequests.send}. */
export interface ApiRequestOptions extends CallOptions {
  body?: unknown;
  /** The media type of the body. Default: JSON. */
  type?: string;
}

/** Sends requests to an API server, with timeouts and retries. */
export class ApiRequests {
  readonly #transport: Transport;
  readonly #server: string;

  /** @param server URL of the API server, for messages. */
  constructor(transport: Transport, server: string) {
    this.#transport = transport;
    this.#server = server;
  }

  close(): void {
    this.#transport.close();
  }

  /**
   * Sends a request. Sends it again if the server is too busy and has sent `Retry-After`.
   *
   * @returns The body of the response.
   */
  async send(
    method: string,
    path: string,
    { body, type = JSON_TYPE, signal, beforeSend }: ApiRequestOptions = {},
  ): Promise<unknown> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    for (let tries = 1;; tries++) {
      beforeSend?.();
      try {
        return await this.#sendOnce(method, path, text, type, signal);
      } catch (error) {
        if (!(error instanceof KubeError) || !isBusy(error) || tries === MOST_TRIES) throw error;
        const seconds = Math.min(error.retryAfter ?? 1, LONGEST_DELAY);
        await sleep(seconds * 1000, signal);
      }
    }
  }

  /** Reads the events of a watch. Resolves when the server or the signal has ended the watch. */
  async watch(path: string, signal: AbortSignal, listener: (event: WatchEvent) => void): Promise<void> {
    using deadline = new Deadline(RESPONSE_TIMEOUT);
    try {
      const response = await this.#transport.send(path, {
        headers: { accept: JSON_TYPE },
        signal: AbortSignal.any([signal, deadline.signal]),
      });
      if (!response.ok) throw await readError(response);
      if (response.body === null) return;
      deadline.extend(WATCH_TIMEOUT);
      for await (const line of readLines(response.body, () => deadline.extend(WATCH_TIMEOUT))) {
        const event = readEvent(line);
        if (signal.aborted) return;
        listener(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      throw this.#errorOf(error, deadline, "a watch fell silent");
    }
  }

  async #sendOnce(
    method: string,
    path: string,
    body: string | undefined,
    type: string,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    using deadline = new Deadline(RESPONSE_TIMEOUT);
    try {
      const response = await this.#transport.send(path, {
        method,
        headers: { accept: JSON_TYPE, ...(body === undefined ? {} : { "content-type": type }) },
        ...(body === undefined ? {} : { body }),
        signal: signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]),
      });
      if (!response.ok) throw await readError(response);
      return await response.json();
    } catch (error) {
      if (!(error instanceof KubeError)) signal?.throwIfAborted();
      throw this.#errorOf(error, deadline, `no answer within ${RESPONSE_TIMEOUT / 1000} seconds`);
    }
  }

  /**
   * Returns the error to throw: an error of the API server as it is, or else the reason why the API server can't be
   * reached.
   */
  #errorOf(error: unknown, deadline: Deadline, timeout: string): KubeError {
    if (error instanceof KubeError) return error;
    // After a timeout, the connection may be dead. The next request opens a new one.
    if (deadline.signal.aborted) this.#transport.reconnect();
    const cause = deadline.signal.aborted ? timeout : error;
    return new KubeError(0, "", `The API server at ${this.#server} can't be reached: ${messageOf(cause)}`, { cause });
  }
}

/** A timeout, as a signal that is aborted. `extend` starts the time again. */
class Deadline implements Disposable {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout>;

  constructor(milliseconds: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), milliseconds);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  extend(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), milliseconds);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

/**
 * Tells whether an error says that the server is too busy, and when to try again (`Retry-After`; RFC 9110, section
 * 10.2.3).
 */
function isBusy({ status, retryAfter }: KubeError): boolean {
  return (status === 429 || status === 503) && retryAfter !== undefined;
}
