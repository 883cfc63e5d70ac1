import type { JournalLimits } from "./limits.ts";
import { AnswerRecords } from "./recorded_answer.ts";

/** The methods of a journal that the budget calls. */
export interface BudgetedJournal {
  /** Estimated memory of the journal in bytes, as if requests shared no answers. */
  readonly weight: number;
  /** Removes the older half of the requests. */
  dropHalf(): void;
  /** Ends the subscriptions of all listeners. */
  closeListeners(): void;
}

/**
 * What the journals of all sessions share: the numbering of requests, the bound on memory, and the records of answers.
 */
export class JournalBudget {
  readonly limits: JournalLimits;
  readonly now: () => number;
  readonly records: AnswerRecords;
  readonly #hasClock: boolean;
  readonly #used = new Set<BudgetedJournal>();
  readonly #reading = new Set<Promise<void>>();
  /** The journals with listeners. */
  readonly listened = new Set<BudgetedJournal>();
  #lastId = 0;
  #bytes = 0;
  #second = 0;
  #headersLeft: number;

  constructor(limits: JournalLimits, now: (() => number) | undefined) {
    this.limits = limits;
    this.now = now ?? (() => 0);
    this.#hasClock = now !== undefined;
    this.records = new AnswerRecords(limits.body);
    this.#headersLeft = limits.headersPerSecond;
  }

  /** Estimated memory of all journals, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of the next request. */
  nextId(): number {
    return ++this.#lastId;
  }

  /**
   * Counts a request, and returns whether its headers are recorded: only those of the first requests in each second
   * are.
   */
  takesHeaders(time: number): boolean {
    if (!this.#hasClock) return true;
    if (time - this.#second >= 1000 || time < this.#second) {
      this.#second = time;
      this.#headersLeft = this.limits.headersPerSecond;
    }
    return this.#headersLeft-- > 0;
  }

  /** Adds to the memory of all journals. A negative number frees memory. */
  count(bytes: number): void {
    this.#bytes += bytes;
  }

  /** While all journals together exceed the bound on memory, the largest one drops its older half. */
  makeRoom(latest: BudgetedJournal): void {
    this.#used.add(latest);
    while (this.#bytes > this.limits.bytes) {
      let largest = latest;
      for (const other of this.#used) if (other.weight > largest.weight) largest = other;
      largest.dropHalf();
    }
  }

  /** Removes an empty journal, so that it can be freed. */
  release(journal: BudgetedJournal): void {
    this.#used.delete(journal);
  }

  /** Ends the subscriptions to all journals. */
  closeListeners(): void {
    for (const journal of this.listened) journal.closeListeners();
  }

  /** Registers a body that is being read. */
  addReading(reading: Promise<void>): void {
    this.#reading.add(reading);
    void reading.then(() => this.#reading.delete(reading));
  }

  /** Whether a body is being read. */
  get isReading(): boolean {
    return this.#reading.size > 0;
  }

  /** Resolves when all bodies that are being read now have been read. */
  async settled(): Promise<void> {
    await Promise.all(this.#reading);
  }
}
