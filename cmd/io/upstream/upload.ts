import { enterFast, type Leave } from "./fast_uploads.ts";
import type { Bytes } from "../../../lib/http/handler.ts";

/** The body of a request that is sent to an upstream. */
export interface Upload {
  readonly chunks: AsyncIterable<Bytes>;
  /**
   * Why reading failed: the client sent nothing for the idle timeout (`silence`) or disconnected (`gone`); else
   * `undefined`.
   */
  readonly failure: "silence" | "gone" | undefined;
  /** Whether a chunk is awaited from the client. If not, the upstream is to take the last chunk, or has got them all. */
  readonly isReading: boolean;
  /** The time when `isReading` last changed, on the clock of `performance.now()`. */
  readonly since: number;
  /**
   * Stops reading: the iteration then throws. If the iteration ended normally, the upstream would take the body for
   * complete.
   */
  cancel(): void;
}

/** A chunk of this size shows that the client sends fast: the server has read ahead of it already. */
const FAST = 32 * 1024;
/** A client that sends less than this in {@linkcode SPAN} milliseconds sends slowly. */
const SLOW = 512 * 1024;
const SPAN = 2_000;
/** Milliseconds without a chunk after which an upload counts as slow. */
const LONGEST_PAUSE = 10_000;

/**
 * Reads the body of a client's request.
 *
 * @param idleTimeout Milliseconds that may pass between two chunks; 0 for no limit.
 * @param leave Ends the upload as a fast one. Default: it isn't one yet.
 */
export function createUpload(body: ReadableStream<Bytes>, idleTimeout: number, leave?: Leave): Upload {
  const reader = body.getReader();
  let failure: Upload["failure"];
  let isCancelled = false;
  const ending = new AbortController();
  let since = performance.now();
  let received = 0;
  let isReading = false;
  let changed = since;
  return {
    chunks: { [Symbol.asyncIterator]: iterate },
    get failure() {
      return failure;
    },
    get isReading() {
      return isReading;
    },
    get since() {
      return changed;
    },
    cancel,
  };

  async function* iterate(): AsyncGenerator<Bytes, void> {
    try {
      for (;;) {
        const { done, value } = await read();
        if (isCancelled) throw new Error("The upload was cancelled.");
        if (done) return;
        if (leave !== undefined) checkSpeed(value.byteLength);
        else if (value.byteLength >= FAST) {
          leave = await enterFast(0, ending.signal);
          if (isCancelled) throw new Error("The upload was cancelled.");
        }
        if (value.byteLength > 0) yield value;
      }
    } finally {
      cancel();
    }
  }

  async function read(): Promise<ReadableStreamReadResult<Bytes>> {
    const timer = idleTimeout > 0 ? setTimeout(giveUp, idleTimeout) : undefined;
    const pause = leave === undefined ? undefined : setTimeout(slowDown, LONGEST_PAUSE);
    setReading(true);
    try {
      return await reader.read();
    } catch (error) {
      failure ??= "gone";
      throw error;
    } finally {
      setReading(false);
      clearTimeout(timer);
      clearTimeout(pause);
    }
  }

  function setReading(value: boolean): void {
    isReading = value;
    changed = performance.now();
  }

  function checkSpeed(bytes: number): void {
    received += bytes;
    const now = performance.now();
    if (now - since < SPAN) return;
    if (received < SLOW) slowDown();
    since = now;
    received = 0;
  }

  /** Lets another fast upload go on. */
  function slowDown(): void {
    leave?.();
    leave = undefined;
  }

  function giveUp(): void {
    failure = "silence";
    cancel();
  }

  function cancel(): void {
    if (isCancelled) return;
    isCancelled = true;
    ending.abort();
    slowDown();
    reader.cancel().catch(() => {});
  }
}
