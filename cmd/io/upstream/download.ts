import type { Dispatcher } from "undici";
import type { Bytes } from "../../../lib/http/handler.ts";

/** The body of a response as it arrives from an upstream. */
export interface Download {
  push(chunk: Uint8Array): void;
  end(): void;
  fail(error: Error): void;
  /** The body: bytes if it has arrived completely, else a stream. Call this at most once. */
  body(): Bytes | ReadableStream<Bytes> | null;
}

/** The number of bytes that may wait for a client. While more wait, the upstream is paused (back-pressure). */
const MOST_WAITING = 64 * 1024;

/**
 * Receives the body of a response. A client that reads slowly pauses the upstream; a client that cancels aborts the
 * upstream's request.
 */
export function createDownload(upstream: Pick<Dispatcher.DispatchController, "pause" | "resume" | "abort">): Download {
  let waiting: Bytes[] = [];
  let size = 0;
  let ending: "end" | Error | undefined;
  let stream: ReadableStreamDefaultController<Bytes> | undefined;
  return { push, end, fail, body };

  function push(chunk: Uint8Array): void {
    const bytes = new Uint8Array(chunk);
    if (stream !== undefined) stream.enqueue(bytes);
    else waiting.push(bytes);
    size += bytes.byteLength;
    if (stream === undefined ? size > MOST_WAITING : (stream.desiredSize ?? 0) <= 0) upstream.pause();
  }

  function end(): void {
    ending = "end";
    stream?.close();
  }

  function fail(error: Error): void {
    ending = error;
    stream?.error(error);
  }

  function body(): Bytes | ReadableStream<Bytes> | null {
    if (ending === "end") return joined(waiting, size);
    return new ReadableStream<Bytes>({
      start(controller) {
        for (const chunk of waiting) controller.enqueue(chunk);
        waiting = [];
        stream = controller;
        if (ending instanceof Error) controller.error(ending);
      },
      pull: () => upstream.resume(),
      cancel() {
        stream = undefined;
        upstream.abort(new Error("The client has disconnected."));
      },
    }, { highWaterMark: MOST_WAITING, size: ({ byteLength }) => byteLength });
  }
}

function joined(chunks: readonly Bytes[], size: number): Bytes | null {
  const [first] = chunks;
  if (first === undefined || chunks.length === 1) return first ?? null;
  const all = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return all;
}
