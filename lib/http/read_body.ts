import { messageOf } from "./error_message.ts";
import { CONTENT_CODINGS, parseContentEncoding, readBytes, readPlainBytes, TooLargeError } from "./content_coding.ts";
import type { Bytes } from "./handler.ts";

/** What became of reading a body. */
export type ReadBody =
  | { kind: "bytes"; bytes: Bytes }
  | { kind: "too-large" }
  /** It has a content coding that can't be undone. */
  | { kind: "unknown-coding"; message: string }
  /** The client went away, or sent something else than it said. */
  | { kind: "broken"; message: string };

/** A message that has a body. */
export type BodyHolder = Pick<Request, "headers" | "body" | "arrayBuffer">;

/**
 * Reads a body up to a limit, and undoes its content coding. The body of the request is consumed: further readers take
 * the bytes.
 *
 * @param limit The most bytes that are read, and the most that they may come to.
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
