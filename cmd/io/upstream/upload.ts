import type { Bytes } from "../../../lib/http/handler.ts";

/** The body of a request that is sent to an upstream. */
export interface Upload {
  readonly chunks: AsyncIterable<Bytes>;
  /**
   * Why reading failed: the client sent nothing for the idle timeout (`silence`) or disconnected (`gone`); else
   * `undefined`.
   */
  readonly failure: "silence" | "gone" | undefined;
  /**
   * Stops reading: the iteration then throws. If the iteration ended normally, the upstream would take the body for
   * complete.
   */
  cancel(): void;
}

/**
 * Reads the body of a client's request.
 *
 * @param idleTimeout Milliseconds that may pass between two chunks; 0 for no limit.
 */
export function createUpload(body: ReadableStream<Bytes>, idleTimeout: number): Upload {
  const reader = body.getReader();
  let failure: Upload["failure"];
  let isCancelled = false;
  return {
    chunks: { [Symbol.asyncIterator]: iterate },
    get failure() {
      return failure;
    },
    cancel,
  };

  async function* iterate(): AsyncGenerator<Bytes, void> {
    try {
      for (;;) {
        const { done, value } = await read();
        if (isCancelled) throw new Error("The upload was cancelled.");
        if (done) return;
        if (value.byteLength > 0) yield value;
      }
    } finally {
      cancel();
    }
  }

  async function read(): Promise<ReadableStreamReadResult<Bytes>> {
    const timer = idleTimeout > 0 ? setTimeout(giveUp, idleTimeout) : undefined;
    try {
      return await reader.read();
    } catch (error) {
      failure ??= "gone";
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  function giveUp(): void {
    failure = "silence";
    cancel();
  }

  function cancel(): void {
    if (isCancelled) return;
    isCancelled = true;
    reader.cancel().catch(() => {});
  }
}
