import type { Bytes } from "../http/handler.ts";

/**
 * Reads a body as it is, as far as it may be large.
 *
 * @param limit The most bytes that are read.
 * @returns The bytes; `undefined` when there are more.
 */
export async function readLimited(
  { headers, body }: Pick<Request, "headers" | "body">,
  limit: number,
): Promise<Bytes | undefined> {
  if (body === null) return new Uint8Array();
  if (Number(headers.get("content-length") ?? 0) > limit) {
    await body.cancel();
    return undefined;
  }
  const chunks: Bytes[] = [];
  let length = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
