/**
 * The bodies of requests, for a journal. It has those that the server reads anyway; a short one that the server doesn't
 * need is read after its answer. No answer waits for a body because of the journal.
 *
 * @module
 */
import type { BodyHolder } from "../../http/body.ts";

/** A request whose body is kept when it is read at once. */
export interface TappedRequest extends BodyHolder {
  /** The body, once it was read. */
  readonly tapped: Uint8Array | undefined;
}

/**
 * Whether a request says that it has a body of at most so many bytes, without a content coding. A body of unknown
 * length (`Transfer-Encoding: chunked`) isn't short.
 */
export function hasShortBody({ method, headers }: Pick<Request, "method" | "headers">, most: number): boolean {
  if (method === "GET" || method === "HEAD") return false;
  const length = headers.get("content-length");
  return length !== null && Number(length) > 0 && Number(length) <= most && !headers.has("content-encoding");
}

/** Makes a request that keeps its body for the journal when a check reads it. */
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
