/**
 * Whether a message has a body, and the body's bytes.
 *
 * @module
 */
import { messageOf } from "./message.ts";
import { CONTENT_CODINGS, parseContentEncoding, readBytes, readPlainBytes, TooLargeError } from "./content_coding.ts";
import type { Bytes } from "./handler.ts";

/**
 * Tells whether a request has a body. A GET or HEAD request never has one in the Fetch API.
 *
 * `body` is read only if there is neither `Content-Length` nor `Transfer-Encoding`, which a request of HTTP/2 may lack:
 * reading `body` makes a stream, and a large body is read more slowly from a stream.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.ok(hasBody(new Request("http://localhost/pets", { method: "POST", body: "Tom" })));
 * assert.ok(!hasBody(new Request("http://localhost/pets")));
 * ```
 */
export function hasBody(request: Pick<Request, "method" | "headers" | "body">): boolean {
  const { method, headers } = request;
  if (method === "GET" || method === "HEAD") return false;
  const length = headers.get("content-length");
  if (length !== null) return Number(length) !== 0;
  return headers.has("transfer-encoding") || request.body !== null;
}

/**
 * Whether responses with a status have no body, and can't be constructed with one.
 *
 * @see {@link https://fetch.spec.whatwg.org/#null-body-status Fetch Standard, section 2.2.3}
 */
export function isNullBodyStatus(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** The result of reading a body. */
export type ReadBody =
  | { kind: "bytes"; bytes: Bytes }
  | { kind: "too-large" }
  /** The body has a content coding that isn't supported. */
  | { kind: "unknown-coding"; message: string }
  /** The client disconnected, or the body can't be decoded by its content coding. */
  | { kind: "broken"; message: string };

/** A message that has a body. */
export type BodyHolder = Pick<Request, "headers" | "body" | "arrayBuffer">;

/** The bytes of a body, once it has been read. The function that reads it sets them, since a body can be read only once. */
export interface KnownBody {
  bytes?: Uint8Array | undefined;
}

/**
 * Reads a body up to a limit, and decodes its content coding. The body of the request is consumed.
 *
 * @param limit The most bytes of the body, as it was sent and after decoding.
 */
export async function readBody(request: BodyHolder, limit: number): Promise<ReadBody> {
  try {
    const length = request.headers.get("content-length");
    if (length !== null && Number(length) > limit) return { kind: "too-large" };
    const written = request.headers.get("content-encoding");
    const codings = parseContentEncoding(written);
    if (codings === undefined) {
      const message = `has the content coding ${written}, which can't be undone here: send it as ` +
        `${CONTENT_CODINGS.join(", ")}, or without a coding`;
      return { kind: "unknown-coding", message };
    }
    if (codings.length === 0) {
      return { kind: "bytes", bytes: await readPlainBytes(request, Number(length ?? NaN), limit) };
    }
    if (request.body === null) return { kind: "bytes", bytes: new Uint8Array() };
    return { kind: "bytes", bytes: await readBytes(request.body, limit, codings) };
  } catch (error) {
    if (error instanceof TooLargeError) return { kind: "too-large" };
    return { kind: "broken", message: messageOf(error) };
  }
}
