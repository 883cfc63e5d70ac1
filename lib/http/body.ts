/**
 * Tells whether a message has a body, and reads a body up to a limit.
 *
 * @module
 */
import { messageOf } from "./message.ts";
import { CONTENT_CODINGS, parseContentEncoding, readBytes, readPlainBytes, TooLargeError } from "./content_coding.ts";
import { type BodyLimits, UnreadBodyError } from "./limits/body_limits.ts";
import type { Bytes } from "./handler.ts";

/**
 * Tells whether a request has a body. A GET or HEAD request never has a body in the Fetch API. `Content-Length` or
 * `Transfer-Encoding` decides; only a request with neither, as HTTP/2 allows, is asked for its `body`. Otherwise
 * reading `body` would make a stream, from which a large body is read more slowly.
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
 * Tells whether the Fetch API allows no body in a response with this status.
 *
 * @see {@link https://fetch.spec.whatwg.org/#null-body-status Fetch Standard, section 2.2.3}
 */
export function isNullBodyStatus(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

export type ReadBody =
  | { kind: "bytes"; bytes: Bytes }
  | { kind: "too-large" }
  /** The body has a content coding that `parseContentEncoding` doesn't support. */
  | { kind: "unknown-coding"; message: string }
  /** The client disconnected, or the body can't be decoded by its content coding. */
  | { kind: "broken"; message: string };

/** The parts of a `Request` or `Response` from which its body is read. */
export type BodyHolder = Pick<Request, "headers" | "body" | "arrayBuffer">;

/**
 * The bytes of a message's body, once it has been read. The function that reads the body sets them, since a body can be
 * read only once.
 */
export interface KnownBody {
  bytes?: Uint8Array | undefined;
}

/**
 * Reads the whole body of a message, up to a limit, and decodes its content coding. The body can't be read again
 * afterwards.
 *
 * @param limit The most bytes that the body may have, before and after decoding.
 * @param limits What the bodies of all requests may take together. Default: no limit.
 * @throws {UnreadBodyError} When a limit of all bodies is exceeded.
 */
export async function readBody(request: BodyHolder, limit: number, limits?: BodyLimits): Promise<ReadBody> {
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
      return { kind: "bytes", bytes: await readPlainBytes(request, Number(length ?? NaN), limit, limits) };
    }
    if (request.body === null) return { kind: "bytes", bytes: new Uint8Array() };
    return {
      kind: "bytes",
      bytes: await readBytes(request.body, limit, { codings, limits, length: Number(length ?? NaN) }),
    };
  } catch (error) {
    if (error instanceof UnreadBodyError) throw error;
    if (error instanceof TooLargeError) return { kind: "too-large" };
    return { kind: "broken", message: messageOf(error) };
  }
}
