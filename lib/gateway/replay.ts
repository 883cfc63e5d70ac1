import type { Bytes } from "../http/handler.ts";

/** A body that may have to be sent more than once. */
export interface Replay {
  /** The body from its start; whoever read it before must have ended. `undefined` when its start is no longer kept. */
  stream(): ReadableStream<Bytes> | undefined;
}

/** Bytes of a body that are kept. */
const MOST_KEPT = 256 * 1024;

/** Keeps the start of a body while it is read, so that it can be sent again as long as little of it has been sent. */
export function createReplay(body: ReadableStream<Bytes>): Replay {
  const reader = body.getReader();
  const kept: Bytes[] = [];
  let length = 0;
  return { stream };

  function stream(): ReadableStream<Bytes> | undefined {
    if (length > MOST_KEPT) return undefined;
    let next = 0;
    return new ReadableStream({
      async pull(controller) {
        const again = kept[next++];
        if (again !== undefined) return controller.enqueue(again);
        const { done, value } = await reader.read();
        if (done) return controller.close();
        length += value.byteLength;
        if (length > MOST_KEPT) kept.length = 0;
        else kept.push(value);
        controller.enqueue(value);
      },
    }, { highWaterMark: 0 });
  }
}
