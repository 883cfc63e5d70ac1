/**
 * Limits of reading the bodies of all requests of a server: their memory, and the time between their bytes.
 *
 * @module
 */
import type { Bytes, HeaderList } from "../handler.ts";
import { MemoryBudget, type Reservation } from "./memory_budget.ts";
import type { Problem } from "../problem.ts";

/** What the bodies of all requests share. */
export interface BodyLimits {
  /** The memory of the bodies while they are read. A body that is streamed to an upstream takes none. */
  readonly memory: MemoryBudget;
  /** Watches the time between the bytes of a body. Default: no limit. */
  readonly watch?: BodyWatch;
}

/** Starts to watch a body. Calls `giveUp` if no bytes arrive for too long. */
export type BodyWatch = (giveUp: () => void) => {
  /** Call this when bytes have arrived. */
  readonly progress: () => void;
  readonly stop: () => void;
};

/** The most bytes that the bodies of all requests may have together while they are read. */
export const MOST_BODIES = 64 * 1024 * 1024;

/** Makes the limits of a server whose environment gives none: a bound on memory, none on time. */
export function defaultBodyLimits(): BodyLimits {
  return { memory: new MemoryBudget(MOST_BODIES) };
}

/** The most milliseconds between two bytes of a body. */
export const MOST_SILENCE = 60_000;

/**
 * The bytes that a body takes beside those that are kept, as soon as it is read as a stream: Deno's server (2.9) reads
 * ahead 256 KiB, and as much waits for the garbage collector.
 */
export const READ_AHEAD = 512 * 1024;

/** Seconds until a client should try again. */
const RETRY_AFTER = 5;

/**
 * The error for a body that the server doesn't read to its end: too many bodies are in memory, or the client fell
 * silent. The request can't be answered then, only refused with the problem.
 */
export class UnreadBodyError extends Error {
  override readonly name = "UnreadBodyError";

  constructor(readonly problem: Problem & { readonly detail: string }, readonly headers: HeaderList) {
    super(problem.detail);
  }
}

export function tooManyBodies(): UnreadBodyError {
  const detail = "The bodies of too many requests are being read at the same time. Try again later.";
  const problem = { title: "Service Unavailable", status: 503, detail };
  return new UnreadBodyError(problem, [["retry-after", String(RETRY_AFTER)], ["connection", "close"]]);
}

export function silentBody(): UnreadBodyError {
  const detail = `The body of the request has not gone on for ${MOST_SILENCE / 1000} s.`;
  return new UnreadBodyError({ title: "Request Timeout", status: 408, detail }, [["connection", "close"]]);
}

const FIRST_BLOCK = 16 * 1024;
const LARGEST_BLOCK = 1024 * 1024;

/**
 * Collects the chunks of a body in blocks, whose memory it reserves before it allocates them. Chunks of one byte each,
 * kept in a list, would take a hundred times the memory.
 */
export class BodyBuffer {
  readonly #reservation: Reservation | undefined;
  readonly #least: number;
  readonly #blocks: Bytes[] = [];
  /** The bytes of all blocks. */
  #capacity = 0;
  #size = 0;

  /**
   * @param reservation The memory of the body; `undefined` for no limit.
   * @param least The bytes that are reserved in any case.
   */
  constructor(reservation: Reservation | undefined, least = 0) {
    this.#reservation = reservation;
    this.#least = least;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a chunk. Returns `false`, and changes nothing, if there is no memory for it. */
  append(chunk: Bytes): boolean {
    const last = this.#blocks.at(-1);
    const free = this.#capacity - this.#size;
    if (chunk.byteLength > free) {
      const added = Math.max(chunk.byteLength - free, Math.min(LARGEST_BLOCK, Math.max(FIRST_BLOCK, this.#size / 4)));
      const block = Math.ceil(added);
      if (this.#reservation?.resize(Math.max(this.#least, this.#capacity + block)) === false) return false;
      this.#blocks.push(new Uint8Array(block));
      this.#capacity += block;
    }
    const fitting = Math.min(free, chunk.byteLength);
    if (last !== undefined && fitting > 0) last.set(chunk.subarray(0, fitting), last.byteLength - free);
    if (fitting < chunk.byteLength) this.#blocks.at(-1)?.set(chunk.subarray(fitting));
    this.#size += chunk.byteLength;
    return true;
  }

  /** The bytes of all chunks so far. */
  bytes(): Bytes {
    const [only, ...others] = this.#blocks;
    if (only === undefined) return new Uint8Array();
    if (others.length === 0) return only.subarray(0, this.#size);
    const bytes = new Uint8Array(this.#size);
    let at = 0;
    for (const block of this.#blocks) {
      bytes.set(block.subarray(0, this.#size - at), at);
      at += block.byteLength;
    }
    return bytes;
  }
}
