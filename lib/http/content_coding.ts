/**
 * Reads bodies and decodes their content coding (gzip, deflate). The limit of a body's size also applies after
 * decoding, because a small compressed body may expand to gigabytes.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-8.4 RFC 9110, section 8.4, Content-Encoding}
 * @module
 */
import {
  BodyBuffer,
  type BodyLimits,
  type BodyWatch,
  READ_AHEAD,
  silentBody,
  tooManyBodies,
} from "./limits/body_limits.ts";
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

/** The size of the buffer for bytes that are dropped. */
const DROPPED_AT_ONCE = 16 * 1024;

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

/** How a body is read. */
export interface DecodingOptions {
  /** The content codings of the body, in the order in which the sender applied them. Default: none. */
  readonly codings?: readonly ContentCoding[] | undefined;
  /** What the bodies of all requests may take together. Default: no limit. */
  readonly limits?: BodyLimits | undefined;
  /** The value of `Content-Length`; `NaN` without this header. Default: `NaN`. */
  readonly length?: number;
}

/**
 * Reads a body to its end and decodes its content codings.
 *
 * @param limit The most bytes that the body may have, before and after each decoding.
 * @throws {TooLargeError} When the body has more bytes.
 * @throws {UnreadBodyError} When a limit of all bodies is exceeded.
 * @throws {TypeError} When the body isn't encoded by its codings.
 */
export async function readBytes(
  body: ReadableStream<Bytes>,
  limit: number,
  { codings = [], limits, length = NaN }: DecodingOptions = {},
): Promise<Bytes> {
  const reservation = limits?.memory.open();
  const readAhead = length < READ_AHEAD ? length : READ_AHEAD;
  // The body isn't even looked at, since the server reads ahead as soon as it is.
  if (reservation?.resize(readAhead) === false) throw tooManyBodies();
  let isSilent = false;
  const watched = limits?.watch?.(() => {
    isSilent = true;
    reading.cancel().catch(() => {});
  });
  const coded = watched === undefined || codings.length === 0 ? body : body.pipeThrough(observed(watched.progress));
  const reader = codings.toReversed().reduce(
    (stream, coding) => stream.pipeThrough(sliced(limit)).pipeThrough(new DecompressionStream(coding)),
    coded,
  ).getReader();
  let reading: { cancel(): Promise<void> } = reader;
  const buffer = new BodyBuffer(reservation, readAhead);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isSilent) throw silentBody();
      if (done) break;
      watched?.progress();
      if (buffer.size + value.byteLength > limit) throw tooLarge(limit);
      if (!buffer.append(value)) throw tooManyBodies();
    }
  } catch (error) {
    // The connection of a refused body holds what it has read ahead, until the client has sent the rest. If another
    // body took its place at once, the connections of refused bodies would take more memory than all bodies may.
    if (reservation !== undefined && codings.length === 0 && !isSilent) {
      reservation.resize(readAhead);
      reader.releaseLock();
      const dropping = dropRest(body);
      reading = dropping;
      dropping.ended.then(end, end);
    } else {
      // Coded bytes aren't read on, as decoding them takes time.
      reader.cancel().catch(() => {});
      end();
    }
    throw error;
  }
  end();
  return buffer.bytes();

  function end(): void {
    watched?.stop();
    reservation?.release();
  }
}

/**
 * Reads a body without content coding to its end. `arrayBuffer()` reads a short body, since reading the stream `body`
 * costs three times as much. A longer body is read from the stream, so that it takes memory only as its bytes arrive: a
 * client may declare a length and never send the bytes.
 *
 * @param length The value of `Content-Length`; `NaN` without this header.
 * @param limit The most bytes that the body may have.
 * @throws {TooLargeError} When the body has more bytes. The body is cancelled then.
 * @throws {UnreadBodyError} When a limit of all bodies is exceeded.
 */
export async function readPlainBytes(
  message: Pick<Request, "body" | "arrayBuffer">,
  length: number,
  limit: number,
  limits?: BodyLimits,
): Promise<Bytes> {
  if (length <= Math.min(limit, MOST_PREALLOCATED)) return await readShort(message, length, limits);
  return message.body === null ? new Uint8Array() : await readBytes(message.body, limit, { limits, length });
}

async function readShort(
  message: Pick<Request, "arrayBuffer">,
  length: number,
  limits: BodyLimits | undefined,
): Promise<Bytes> {
  if (limits === undefined) return new Uint8Array(await message.arrayBuffer());
  const reservation = limits.memory.open();
  if (!reservation.resize(length)) throw tooManyBodies();
  let watched: ReturnType<BodyWatch> | undefined;
  try {
    return new Uint8Array(
      await new Promise<ArrayBuffer>((resolve, reject) => {
        watched = limits.watch?.(() => reject(silentBody()));
        message.arrayBuffer().then(resolve, reject);
      }),
    );
  } finally {
    watched?.stop();
    reservation.release();
  }
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

/** Reads a body to its end and drops it. A body of Deno's server is read into the same buffer again and again. */
function dropRest(body: ReadableStream<Bytes>): { readonly ended: Promise<void>; cancel(): Promise<void> } {
  const reader = byteReaderOf(body);
  if (reader === undefined) {
    const plain = body.getReader();
    return { ended: dropChunks(() => plain.read()), cancel: () => plain.cancel() };
  }
  let buffer = new Uint8Array(DROPPED_AT_ONCE);
  const read = async (): Promise<{ readonly done: boolean }> => {
    const { done, value } = await reader.read(buffer);
    if (value !== undefined) buffer = new Uint8Array(value.buffer);
    return { done };
  };
  return { ended: dropChunks(read), cancel: () => reader.cancel() };
}

async function dropChunks(read: () => Promise<{ readonly done: boolean }>): Promise<void> {
  while (!(await read()).done);
}

/** A reader with a buffer of its own; `undefined` if the stream isn't one of bytes. */
function byteReaderOf(body: ReadableStream<Bytes>): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

/** Passes chunks on unchanged, and tells of each. */
function observed(onChunk: () => void): TransformStream<Bytes, Bytes> {
  return new TransformStream({
    transform(chunk, controller) {
      onChunk();
      controller.enqueue(chunk);
    },
  });
}

function tooLarge(limit: number): TooLargeError {
  return new TooLargeError(`It has more than ${limit} bytes.`);
}
