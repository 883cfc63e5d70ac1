import type { Bytes } from "../../http/handler.ts";

/** A body that may have to be sent more than once. */
export interface Replay {
  /** The body from its start; the stream given before isn't read any more. `undefined` when its start is no longer kept. */
  stream(): ReadableStream<Bytes> | undefined;
}

/** Bytes of a body that are kept. */
const MOST_KEPT = 256 * 1024;

/** Keeps the start of a body while it is read, so that it can be sent again as long as little of it has been sent. */
export function createReplay(body: ReadableStream<Bytes>): Replay {
  const reader = body.getReader();
  const kept: Bytes[] = [];
  let length = 0;
  let reading: Promise<boolean> | undefined;
  return { stream };

  function stream(): ReadableStream<Bytes> | undefined {
    if (length > MOST_KEPT) return undefined;
    let next = 0;
    return new ReadableStream({
      async pull(controller) {
        // A stream that was given up may still wait for a chunk, which belongs to its successor.
        const isThere = next < kept.length || await (reading ??= read());
        const chunk = kept[next];
        if (!isThere || chunk === undefined) return controller.close();
        next++;
        controller.enqueue(chunk);
        if (length > MOST_KEPT) next -= kept.splice(0, next).length;
      },
    }, { highWaterMark: 0 });
  }

  /** Reads a chunk and keeps it; gives `false` at the end of the body. */
  async function read(): Promise<boolean> {
    try {
      const { done, value } = await reader.read();
      if (done) return false;
      length += value.byteLength;
      kept.push(value);
      return true;
    } finally {
      reading = undefined;
    }
  }
}
