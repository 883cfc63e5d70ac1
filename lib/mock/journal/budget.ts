import type { JournalLimits } from "./limits.ts";
import { AnswerRecords } from "./recorded_answer.ts";

/** A journal, as the budget sees it. */
export interface BudgetedJournal {
  /** Memory of the requests in bytes, as estimated, as if they shared no answers. */
  readonly weight: number;
  /** Forgets the older half of the requests. */
  dropHalf(): void;
  /** Closes the listeners. */
  closeListeners(): void;
}

/** What the journals of all sessions share: their numbers, their memory, and the records of answers. */
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

  /** Memory of all journals in bytes, as estimated. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of the next request. */
  nextId(): number {
    return ++this.#lastId;
  }

  /** Whether the headers of one more request are recorded. */
  takesHeaders(time: number): boolean {
    if (!this.#hasClock) return true;
    if (time - this.#second >= 1000 || time < this.#second) {
      this.#second = time;
      this.#headersLeft = this.limits.headersPerSecond;
    }
    return this.#headersLeft-- > 0;
  }

  /** Counts memory that a journal has taken, or with a negative number has freed. */
  count(bytes: number): void {
    this.#bytes += bytes;
  }

  /** If all journals together take too much memory, the one with the most loses its older half. */
  makeRoom(latest: BudgetedJournal): void {
    this.#used.add(latest);
    while (this.#bytes > this.limits.bytes) {
      let largest = latest;
      for (const other of this.#used) if (other.weight > largest.weight) largest = other;
      largest.dropHalf();
    }
  }

  /** Forgets a journal that is empty. */
  release(journal: BudgetedJournal): void {
    this.#used.delete(journal);
  }

  /** Closes the listeners of all journals. */
  closeListeners(): void {
    for (const journal of this.listened) journal.closeListeners();
  }

  /** Adds a body that is being read. */
  addReading(reading: Promise<void>): void {
    this.#reading.add(reading);
    void reading.then(() => this.#reading.delete(reading));
  }

  /** Whether bodies are being read now. */
  get isReading(): boolean {
    return this.#reading.size > 0;
  }

  /** Resolves when the bodies are there that are being read now. */
  async settled(): Promise<void> {
    await Promise.all(this.#reading);
  }
}
