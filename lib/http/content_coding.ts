/**
 * Reads bodies that may be large, and may grow as their content coding is undone: never more than a limit is held.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-8.4 RFC 9110, section 8.4, Content-Encoding}
 * @module
 */
import type { Bytes } from "./handler.ts";

/** A coding that can be undone. */
export type ContentCoding = "gzip" | "deflate";

const CODINGS = new Map<string, ContentCoding>([["gzip", "gzip"], ["x-gzip", "gzip"], ["deflate", "deflate"]]);

/** The codings that can be undone, as a client may name them. */
export const CONTENT_CODINGS: readonly string[] = ["gzip", "deflate"];

/** More codings of one body are refused: nobody needs them. */
const MOST_CODINGS = 3;

/**
 * Bytes that are decompressed at a time. DEFLATE makes at most 1,032 times as many of them, which `DecompressionStream`
 * gives as one chunk.
 */
const SLICE = 4 * 1024;

/** The most bytes that `arrayBuffer()` is asked for: the runtime allocates a declared length before any of it arrives. */
const MOST_AT_ONCE = 64 * 1024;

/** A body has more bytes than may be read. */
export class TooLargeError extends RangeError {
  override name = "TooLargeError";
}

/**
 * Reads the value of `Content-Encoding`.
 *
 * @returns The codings in the order in which they were applied; `undefined` when one of them can't be undone.
 */
export function parseContentEncoding(value: string | null): readonly ContentCoding[] | undefined {
  const names = (value ?? "").toLowerCase().split(",").map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const codings = names.flatMap((name) => CODINGS.get(name) ?? []);
  return codings.length === names.length && codings.length <= MOST_CODINGS ? codings : undefined;
}

/**
 * Reads a body to its end and undoes its codings.
 *
 * @param codings In the order in which they were applied.
 * @param limit The most bytes that the body may have, as it was sent and after each coding is undone.
 * @throws {TooLargeError} When it has more. The body is cancelled then.
 * @throws {TypeError} When it isn't what its codings say.
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
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/**
 * Reads a body without codings to its end. A short one is read at once, as asking for `body` makes a stream, which costs
 * three times as much. A longer one takes memory only as it arrives: a client may declare it and never send it.
 *
 * @param length The declared length; `NaN` without one.
 * @param limit The most bytes that the body may have.
 * @throws {TooLargeError} When it has more. The body is cancelled then.
 */
export async function readPlainBytes(
  message: Pick<Request, "body" | "arrayBuffer">,
  length: number,
  limit: number,
): Promise<Bytes> {
  if (length <= Math.min(limit, MOST_AT_ONCE)) return new Uint8Array(await message.arrayBuffer());
  return message.body === null ? new Uint8Array() : await readBytes(message.body, limit);
}

/** Passes bytes on in slices; more than the limit are an error. */
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
