/**
 * Bodies of requests of `node:http`.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";

/** A request in Express, or in another framework that uses `node:http`. */
export type NodeRequest = IncomingMessage & {
  /** The body, if a parser of the framework, such as `express.json()`, has already read it. */
  body?: unknown;
};

/** What is known of a body so far. */
export interface Received {
  /** Whether it has more bytes than allowed. */
  isTooLong: boolean;
}

/** The limit of a body in bytes, and what becomes of the body. */
export interface Reading {
  readonly maxBody: number;
  readonly received: Received;
}

/** The body of a request that a parser of the framework has read; `undefined` if none has. */
export function parsedBody(
  { body, headers, readableEnded }: NodeRequest,
): string | Uint8Array<ArrayBuffer> | undefined {
  if (!readableEnded || body === undefined) return undefined;
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
  return isForm ? new URLSearchParams(fieldsOf(body)).toString() : JSON.stringify(body);
}

/** The fields of a form. Parsers make arrays of repeated fields, and objects of fields such as `a[b]`. */
function fieldsOf(value: unknown, name = ""): [name: string, value: string][] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => fieldsOf(item, isRecord(item) ? `${name}[${index}]` : name));
  }
  if (!isRecord(value)) return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, part]) => fieldsOf(part, name === "" ? key : `${name}[${key}]`));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/**
 * The body of a request as a stream with back-pressure: chunks are read when the handler asks for them. The stream
 * fails if the body exceeds `maxBody` or if the client disconnects.
 */
export function streamOf(
  incoming: NodeRequest,
  outgoing: ServerResponse,
  { maxBody, received }: Reading,
): ReadableStream<Uint8Array> {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  let length = 0;
  // The rest of a body precedes the next request of the connection. Node.js skips it only if no part was read.
  outgoing.once("finish", () => void chunks?.return?.().then(() => incoming.resume()).catch(() => {}));
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      chunks ??= incoming.iterator({ destroyOnReturn: false });
      const { done, value } = await chunks.next();
      if (done === true) return controller.close();
      length += value.length;
      received.isTooLong = length > maxBody;
      if (received.isTooLong) controller.error(new RangeError(`The body has more than ${maxBody} bytes.`));
      else controller.enqueue(new Uint8Array(value));
    },
  }, { highWaterMark: 0 });
}
