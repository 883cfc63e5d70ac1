import { type ReadBody, readBody } from "../../http/body.ts";
import type { Bytes } from "../../http/handler.ts";
import { MOST_RELAYED_BODY } from "./limits.ts";
import type { Queue } from "./queue.ts";

/**
 * Decodes the content coding of a body, and calls `use` with the result. Bodies with a content coding are decoded and
 * used one at a time, because a few kilobytes may decode to megabytes.
 *
 * @param decoding The queue of bodies with a content coding.
 */
export async function usePlainBody<Result>(
  bytes: Bytes,
  headers: Headers,
  decoding: Queue,
  use: (read: ReadBody) => Promise<Result>,
): Promise<Result> {
  if (!headers.has("content-encoding") || bytes.byteLength === 0) return await use({ kind: "bytes", bytes });
  const coded = {
    headers,
    get body() {
      return streamOf(bytes);
    },
    arrayBuffer: () => Promise.resolve(bytes.slice().buffer),
  };
  return await decoding(async () => await use(await readBody(coded, MOST_RELAYED_BODY)));
}

function streamOf(bytes: Bytes): ReadableStream<Bytes> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
