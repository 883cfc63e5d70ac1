/** What became of reading a body. */
export type ReadBody =
  | { kind: "bytes"; bytes: Uint8Array<ArrayBuffer> }
  | { kind: "too-large" }
  /** The client went away, or sent something else than it said. */
  | { kind: "broken"; message: string };

/** A message that has a body. */
export type BodyHolder = Pick<Request, "headers" | "body" | "arrayBuffer">;

/** The content codings (RFC 9110, section 8.4.1) that the platform undoes. */
const CODINGS = new Map<string, CompressionFormat>([["gzip", "gzip"], ["x-gzip", "gzip"], ["deflate", "deflate"]]);

/**
 * Reads a body as far as it may be large, and undoes its content coding. Afterwards the request has no body any more:
 * who needs it again goes on with the bytes.
 *
 * @param limit The most bytes that are read.
 */
export async function readBody(request: BodyHolder, limit: number): Promise<ReadBody> {
  try {
    const length = request.headers.get("content-length");
    if (length !== null && Number(length) > limit) return { kind: "too-large" };
    const coding = CODINGS.get(request.headers.get("content-encoding")?.trim().toLowerCase() ?? "");
    // Asking for `body` makes a stream, which costs three times as much as reading everything at once.
    if (length !== null && coding === undefined) {
      return { kind: "bytes", bytes: new Uint8Array(await request.arrayBuffer()) };
    }
    if (request.body === null) return { kind: "bytes", bytes: new Uint8Array() };
    const decoded = coding === undefined ? request.body : request.body.pipeThrough(new DecompressionStream(coding));
    return await collect(decoded, limit);
  } catch (error) {
    return { kind: "broken", message: error instanceof Error ? error.message : String(error) };
  }
}

async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>, limit: number): Promise<ReadBody> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of stream) {
    length += chunk.byteLength;
    if (length > limit) return { kind: "too-large" };
    chunks.push(chunk);
  }
  return { kind: "bytes", bytes: new Uint8Array(await new Blob(chunks).arrayBuffer()) };
}
