import type { Answer } from "../answer/answer.ts";
import { sizeOfAnswer } from "../answer/answer_cache.ts";
import type { Outcome } from "../../openapi/extension/rule.ts";

/** Limit of the memory of cached answers, in bytes. When it is exceeded, the cache is emptied. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The answer of a rule, and the `Accept` header for which it was made. */
interface RuleAnswer {
  readonly accept: string | null;
  readonly answer: Answer | Promise<Answer>;
}

/**
 * Caches the last answer of each rule for each operation. One limit applies to all operations together, since a rule
 * can apply to all of them and have a body of 16 MiB.
 */
export class RuleAnswers {
  readonly #most: number;
  #answers = new WeakMap<object, WeakMap<Outcome, RuleAnswer>>();
  #bytes = 0;

  /** @param most Limit of the bytes of all answers together. Default: 32 MiB. */
  constructor(most: number = MOST_BYTES) {
    this.#most = most;
  }

  /** The cached answer of a rule for an operation, if its `Accept` header was the same. */
  get(handler: object, outcome: Outcome, accept: string | null): Answer | Promise<Answer> | undefined {
    const known = this.#answers.get(handler)?.get(outcome);
    return known?.accept === accept ? known.answer : undefined;
  }

  /** Caches the answer of a rule for an operation, or its promise. Replaces the answer for another `Accept` header. */
  set(handler: object, outcome: Outcome, { accept, answer }: RuleAnswer): void {
    if (!(answer instanceof Promise)) this.#makeRoom(sizeOfAnswer(answer));
    let answers = this.#answers.get(handler);
    if (answers === undefined) this.#answers.set(handler, answers = new WeakMap());
    answers.set(outcome, { accept, answer });
  }

  #makeRoom(size: number): void {
    if (this.#bytes + size > this.#most) {
      this.#answers = new WeakMap();
      this.#bytes = 0;
    }
    this.#bytes += size;
  }
}
