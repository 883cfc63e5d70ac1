import type { ReadyAnswer } from "./send.ts";

/** The answers of one operation, by what clients asked for. */
export interface AnswerCache {
  get(key: string): ReadyAnswer | Promise<ReadyAnswer> | undefined;
  /** Keeps an answer for the next request that asks for the same; one that couldn't be prepared is tried again. */
  set(key: string, preparing: Promise<ReadyAnswer>): void;
}

/** How much is kept. */
export interface AnswerLimits {
  /** Answers of one operation. */
  answers: number;
  /** Bytes that the answers of all operations hold, those to clients that accept anything not counted. */
  bytes: number;
}

const LIMITS: AnswerLimits = { answers: 200, bytes: 32 * 1024 * 1024 };

/** Bytes of an answer besides its key and body: headers and the object itself. */
const OVERHEAD = 1024;

/** `Accept` of clients that say nothing: their answers number no more than the operations, and always stay. */
const PLAIN: ReadonlySet<string> = new Set(["", "*/*"]);

interface Kept {
  readonly answers: Map<string, ReadyAnswer | Promise<ReadyAnswer>>;
  bytes: number;
}

/**
 * Makes the caches of operations, which share a limit: clients that never ask for the same twice must not fill the
 * memory. A cache with too many answers is emptied; all of them are when they hold too many bytes.
 *
 * @returns A function that makes the cache of one operation.
 */
export function createAnswerCaches(limits: AnswerLimits = LIMITS): () => AnswerCache {
  /** The caches that hold anything that counts. */
  const weighed = new Set<Kept>();
  let bytes = 0;
  return create;

  function create(): AnswerCache {
    const kept: Kept = { answers: new Map(), bytes: 0 };
    const { answers } = kept;
    return {
      get: (key) => answers.get(key),
      set(key, preparing) {
        if (answers.size >= limits.answers) empty(kept);
        answers.set(key, preparing);
        preparing.then((answer) => {
          if (answers.get(key) !== preparing) return;
          answers.set(key, answer);
          if (!PLAIN.has(key)) weigh(kept, sizeOf(key, answer));
        }, () => answers.get(key) === preparing && answers.delete(key));
      },
    };
  }

  function weigh(kept: Kept, size: number): void {
    kept.bytes += size;
    bytes += size;
    weighed.add(kept);
    if (bytes > limits.bytes) { for (const one of weighed) empty(one); }
  }

  function empty(kept: Kept): void {
    bytes -= kept.bytes;
    kept.bytes = 0;
    kept.answers.clear();
    weighed.delete(kept);
  }
}

function sizeOf(key: string, { body, text }: ReadyAnswer): number {
  const chunks = body === null ? [] : body instanceof Uint8Array ? [body] : body;
  const length = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return OVERHEAD + key.length + length + (text?.length ?? 0);
}
