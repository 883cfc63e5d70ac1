import { messageOf } from "../../http/message.ts";
import { BodyBuffer } from "../../http/limits/body_limits.ts";
import { joinBytes } from "../../http/content_coding.ts";
import type { Bytes } from "../../http/handler.ts";
import type { MemoryBudget, Reservation } from "../../http/limits/memory_budget.ts";

/** The copy of a body that was passed on, or the reason why there is none. */
export type BodyCopy =
  | { readonly kind: "whole"; readonly bytes: Bytes }
  /** `reason` is a sentence about the body: `It broke off.` */
  | {
    readonly kind: "lost";
    readonly reason: string;
    /** The message of the source stream's error, if the body broke off. */
    readonly failure?: string;
  };

export interface TapOptions {
  /** The largest body that is copied, in bytes. */
  readonly limit: number;
  /** The memory of the copies of all bodies. */
  readonly budget: MemoryBudget;
  /** The bytes that the connection holds of the body, beside the copy. Default: 0. */
  readonly readAhead?: number;
}

const MIB = 1024 * 1024;

const TOO_MANY = "Too many bodies are read at the same time.";

/**
 * Passes a body on and copies it, up to a limit. {@linkcode hold} first holds the body back until a condition is met;
 * {@linkcode body} then passes on what was read, followed by the rest.
 */
export class BodyTap {
  readonly #reader: ReadableStreamDefaultReader<Bytes>;
  readonly #options: TapOptions;
  readonly #ending = Promise.withResolvers<BodyCopy>();
  #reading: Promise<ReadableStreamReadResult<Bytes>> | undefined;
  readonly #reservation: Reservation;
  #copy: BodyBuffer | undefined;
  /** The bytes read so far, if the copy was dropped while the body was held back. Otherwise they are in the copy. */
  #held: Bytes | undefined;
  #isPassing = false;
  #state: "open" | "ended" | "failed" = "open";
  #failure: unknown;
  #lost: string | undefined;

  constructor(source: ReadableStream<Bytes>, options: TapOptions) {
    this.#reader = source.getReader();
    this.#options = options;
    const { budget, readAhead = 0 } = options;
    this.#reservation = budget.open();
    if (this.#reservation.resize(readAhead)) this.#copy = new BodyBuffer(this.#reservation, readAhead);
    else this.#lost = TOO_MANY;
  }

  /** Resolves when the body has ended, broken off, or been cancelled. */
  get ended(): Promise<BodyCopy> {
    return this.#ending.promise;
  }

  /** `ended` after the last byte; `failed` after an error of the source, or when reading was cancelled. */
  get state(): "open" | "ended" | "failed" {
    return this.#state;
  }

  /**
   * The reason why the copy was dropped while the body continues, as a sentence; `undefined` if there still is a copy.
   */
  get lost(): string | undefined {
    return this.#lost;
  }

  /** The message of the source stream's error. */
  get failure(): string {
    return messageOf(this.#failure);
  }

  /**
   * Reads until the body ends, more than `most` bytes have arrived, the copy is dropped, or `release` resolves.
   *
   * @returns Whether the whole body was read.
   */
  async hold(most: number, release: Promise<void>): Promise<boolean> {
    let isReleased = false;
    let wake = (): void => {};
    void release.then(() => {
      isReleased = true;
      wake();
    });
    while (!isReleased && this.#state === "open" && this.#copy !== undefined && this.#copy.size <= most) {
      const read = this.#reading ??= this.#reader.read();
      try {
        // Don't use `Promise.race()`: for each chunk, it would add a reaction to `release` that isn't freed before
        // `release` resolves. A body may have millions of chunks.
        const result = await new Promise<ReadableStreamReadResult<Bytes> | undefined>((resolve, reject) => {
          wake = () => resolve(undefined);
          read.then(resolve, reject);
        });
        if (result !== undefined) this.#take(result);
      } catch (error) {
        this.#fail(error);
      }
    }
    return this.#state === "ended";
  }

  /** The body from its start: bytes if it was read to its end, else a stream. Call this once. */
  body(): Bytes | ReadableStream<Bytes> {
    const held = this.#held ?? this.#copy?.bytes() ?? new Uint8Array();
    this.#held = undefined;
    this.#isPassing = true;
    if (this.#state === "ended") return held;
    let isFirst = held.byteLength > 0;
    return new ReadableStream<Bytes>({
      pull: async (controller) => {
        if (isFirst) {
          isFirst = false;
          return controller.enqueue(held);
        }
        await this.#pass(controller);
      },
      cancel: (reason) => this.cancel(reason),
    }, { highWaterMark: 0 });
  }

  async cancel(reason?: unknown): Promise<void> {
    if (this.#state === "open") {
      this.#state = "failed";
      this.#finish("It was not read to its end.");
    }
    await this.#reader.cancel(reason).catch(() => {});
  }

  /** Returns the memory of the copy to the budget. Call this when the copy is no longer needed. */
  release(): void {
    this.#reservation.release();
  }

  async #pass(controller: ReadableStreamDefaultController<Bytes>): Promise<void> {
    if (this.#state === "failed") return controller.error(this.#failure);
    try {
      const result = await (this.#reading ??= this.#reader.read());
      this.#take(result);
      if (result.done) controller.close();
      else controller.enqueue(result.value);
    } catch (error) {
      this.#fail(error);
      controller.error(error);
    }
  }

  #take({ done, value }: ReadableStreamReadResult<Bytes>): void {
    this.#reading = undefined;
    if (!done) return this.#keep(value);
    if (this.#state !== "open") return;
    this.#state = "ended";
    this.#finish(this.#lost);
  }

  #fail(error: unknown): void {
    if (this.#state !== "open") return;
    this.#reading = undefined;
    this.#state = "failed";
    this.#failure = error;
    this.#finish("It broke off.", this.failure);
  }

  #keep(chunk: Bytes): void {
    const copy = this.#copy;
    if (copy === undefined) return;
    const { limit } = this.#options;
    if (copy.size + chunk.byteLength > limit) return this.#lose(`It has more than ${limit / MIB} MiB.`, copy, chunk);
    if (!copy.append(chunk)) this.#lose(TOO_MANY, copy, chunk);
  }

  /** Drops the copy. If the body is held back, its bytes are kept, because they must still be passed on. */
  #lose(reason: string, copy: BodyBuffer, chunk: Bytes): void {
    if (!this.#isPassing) this.#held = joinBytes([copy.bytes(), chunk]);
    this.#lost = reason;
    this.#copy = undefined;
    // The connection goes on holding what it has read ahead.
    this.#reservation.resize(this.#options.readAhead ?? 0);
  }

  #finish(lost: string | undefined, failure?: string): void {
    const copy = this.#copy;
    const isWhole = lost === undefined && copy !== undefined;
    this.#ending.resolve(
      isWhole
        ? { kind: "whole", bytes: copy.bytes() }
        : { kind: "lost", reason: lost ?? "It broke off.", ...failure === undefined ? {} : { failure } },
    );
  }
}
