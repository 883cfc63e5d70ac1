/**
 * Keeps the bodies of requests for a journal: those that the server reads for its answer, and other short bodies, which
 * are read after the answer. Recording delays no answer.
 *
 * @module
 */
import type { BodyHolder } from "../../http/body.ts";

/** A request whose body is kept when the server reads it. */
export interface TappedRequest extends BodyHolder {
  /** The body, after the server has read it. */
  readonly tapped: Uint8Array | undefined;
}

/**
 * Whether a request has a body of at most `most` bytes by its `Content-Length`, and no content coding. A body of
 * unknown length (`Transfer-Encoding: chunked`) doesn't count as short.
 */
export function hasShortBody({ method, headers }: Pick<Request, "method" | "headers">, most: number): boolean {
  if (method === "GET" || method === "HEAD") return false;
  const length = headers.get("content-length");
  return length !== null && Number(length) > 0 && Number(length) <= most && !headers.has("content-encoding");
}

/** Wraps a request so that its body is kept when the server reads it. */
export function tapBody(request: Request): TappedRequest {
  let tapped: Uint8Array | undefined;
  return {
    headers: request.headers,
    get body() {
      return request.body;
    },
    arrayBuffer: async () => {
      const buffer = await request.arrayBuffer();
      tapped = new Uint8Array(buffer);
      return buffer;
    },
    get tapped() {
      return tapped;
    },
  };
}
