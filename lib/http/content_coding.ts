/**
 * Reads bodies up to a limit, which also applies to the decoded body: a small compressed body may expand to gigabytes.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-8.4 RFC 9110, section 8.4, Content-Encoding}
 * @module
 */
import type { Bytes } from "./handler.ts";

/** A content coding that this program can decode. */
export type ContentCoding = "gzip" | "deflate";

const CODINGS = new Map<string, ContentCoding>([["gzip", "gzip"], ["x-gzip", "gzip"], ["deflate", "deflate"]]);

/** The names of the codings that can be decoded. */
export const CONTENT_CODINGS: readonly string[] = ["gzip", "deflate"];

/** The most codings of one body. */
const MOST_CODINGS = 3;

/**
 * Bytes that are decompressed at a time. `DecompressionStream` returns the result as one chunk, which may be 1,032
 * times as large with DEFLATE: at most about 4 MiB.
 */
const SLICE = 4 * 1024;

/**
 * The longest body that is read by `arrayBuffer()`: the runtime allocates the declared length before the body arrives.
 */
const MOST_AT_ONCE = 64 * 1024;

/** A body has more bytes than may be read. */
export class TooLargeError extends RangeError {
  override name = "TooLargeError";
}

/**
 * Reads the value of `Content-Encoding`.
 *
 * @returns The codings in the order in which they were applied; `undefined` when one of them can't be decoded.
 */
export function parseContentEncoding(value: string | null): readonly ContentCoding[] | undefined {
  const names = (value ?? "").toLowerCase().split(",").map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const codings = names.flatMap((name) => CODINGS.get(name) ?? []);
  return codings.length === names.length && codings.length <= MOST_CODINGS ? codings : undefined;
}

/**
 * Reads a body to its end and decodes its codings.
 *
 * @param codings In the order in which they were applied.
 * @param limit The most bytes that the body may have, as it was sent and after each decoding.
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
  // Leaving the loop cancels the stream.
  for await (const chunk of decoded) {
    length += chunk.byteLength;
    if (length > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return joinBytes(chunks);
}

/**
 * Reads a body without codings to its end. A short body is read by `arrayBuffer()`, as the stream of `body` costs three
 * times as much. A longer body takes memory only as it arrives: a client may declare a length and never send the bytes.
 *
 * @param length The declared length; `NaN` without one.
 * @param limit The most bytes that the body may have.
 * @throws {TooLargeError} When the body has more bytes. The body is cancelled then.
 */
export async function readPlainBytes(
  message: Pick<Request, "body" | "arrayBuffer">,
  length: number,
  limit: number,
): Promise<Bytes> {
  if (length <= Math.min(limit, MOST_AT_ONCE)) return new Uint8Array(await message.arrayBuffer());
  return message.body === null ? new Uint8Array() : await readBytes(message.body, limit);
}

/** Joins the chunks of a body. */
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
 * Splits chunks into slices, so that none becomes a large chunk when it is decompressed. More bytes than the limit are
 * an error.
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
