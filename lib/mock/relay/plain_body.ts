import { type ReadBody, readBody } from "../../http/body.ts";
import type { Bytes } from "../../http/handler.ts";
import { MOST_BODY } from "./limits.ts";

/** Undoes the content coding of a body that was read. */
export function plainBody(bytes: Bytes, headers: Headers): ReadBody | Promise<ReadBody> {
  if (!headers.has("content-encoding") || bytes.byteLength === 0) return { kind: "bytes", bytes };
  return readBody({
    headers,
    get body() {
      return streamOf(bytes);
    },
    arrayBuffer: () => Promise.resolve(bytes.slice().buffer),
  }, MOST_BODY);
}

function streamOf(bytes: Bytes): ReadableStream<Bytes> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
