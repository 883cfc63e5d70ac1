/**
 * Reads bodies and decodes their content coding (gzip, deflate). The limit of a body's size also applies after
 * decoding, because a small compressed body may expand to gigabytes.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-8.4 RFC 9110, section 8.4, Content-Encoding}
 * @module
 */
import type { Bytes } from "./handler.ts";

export type ContentCoding = "gzip" | "deflate";

const CODINGS = new Map<string, ContentCoding>([["gzip", "gzip"], ["x-gzip", "gzip"], ["deflate", "deflate"]]);

/** The content codings that this program can decode, for messages. */
export const CONTENT_CODINGS: readonly string[] = ["gzip", "deflate"];

/** The most content codings that one body may have: `Content-Encoding: gzip, gzip` has two. */
const MOST_CODINGS = 3;

/**
 * The number of compressed bytes that are decompressed at a time. `DecompressionStream` gives the result of each write
 * as one chunk, and DEFLATE expands up to 1,032 times, so a chunk has at most about 4 MiB.
 */
const SLICE = 4 * 1024;

/**
 * The longest body that is read by `arrayBuffer()`, in bytes. Deno allocates the whole declared length before the body
 * arrives, so a client could take memory without sending a longer body.
 */
const MOST_PREALLOCATED = 64 * 1024;

/** The error for a body that has more bytes than its limit. */
export class TooLargeError extends RangeError {
  override name = "TooLargeError";
}

/**
 * Parses the value of `Content-Encoding`.
 *
 * @returns The codings in the order in which the sender applied them; `undefined` when one of them can't be decoded.
 */
export function parseContentEncoding(value: string | null): readonly ContentCoding[] | undefined {
  const names = (value ?? "").toLowerCase().split(",").map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const codings = names.flatMap((name) => CODINGS.get(name) ?? []);
  return codings.length === names.length && codings.length <= MOST_CODINGS ? codings : undefined;
}

/**
 * Reads a body to its end and decodes its content codings.
 *
 * @param codings The content codings, in the order in which the sender applied them.
 * @param limit The most bytes that the body may have, before and after each decoding.
 * @throws {TooLargeError} When the body has more bytes. The body is cancelled then.
 * @throws {TypeError} When the body isn't encoded by its codings.
 */
export async function readBytes(
  body: ReadableStream<Bytes>,
  limit: number,
  codings: readonly ContentCoding[] = [],
): Promise<Bytes> {
  const decoded = codings.toReversed().reduce(
    (stream, coding) => stream.pipeThrough(sliced(limit)).pipeThrough(new DecompressionStream(coding)),
    body,
  );
  const chunks: Bytes[] = [];
  let length = 0;
  // Leaving this loop cancels the stream, also by an exception.
  for await (const chunk of decoded) {
    length += chunk.byteLength;
    if (length > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return joinBytes(chunks);
}

/**
 * Reads a body without content coding to its end. `arrayBuffer()` reads a short body, since reading the stream `body`
 * costs three times as much. A longer body is read from the stream, so that it takes memory only as its bytes arrive: a
 * client may declare a length and never send the bytes.
 *
 * @param length The value of `Content-Length`; `NaN` without this header.
 * @param limit The most bytes that the body may have.
 * @throws {TooLargeError} When the body has more bytes. The body is cancelled then.
 */
export async function readPlainBytes(
  message: Pick<Request, "body" | "arrayBuffer">,
  length: number,
  limit: number,
): Promise<Bytes> {
  if (length <= Math.min(limit, MOST_PREALLOCATED)) return new Uint8Array(await message.arrayBuffer());
  return message.body === null ? new Uint8Array() : await readBytes(message.body, limit);
}

export function joinBytes(chunks: readonly Uint8Array[]): Bytes {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/**
 * Splits chunks of compressed bytes into slices of `SLICE` bytes, because each is decompressed into one chunk. Throws
 * {@linkcode TooLargeError} when there are more bytes than the limit.
 */
function sliced(limit: number): TransformStream<Bytes, Bytes> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      length += chunk.byteLength;
      if (length > limit) throw tooLarge(limit);
      for (let start = 0; start < chunk.byteLength; start += SLICE) {
        controller.enqueue(chunk.subarray(start, start + SLICE));
      }
    },
  });
}

function tooLarge(limit: number): TooLargeError {
  return new TooLargeError(`It has more than ${limit} bytes.`);
}
