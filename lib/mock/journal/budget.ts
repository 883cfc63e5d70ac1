import type { HeaderList } from "../../http/handler.ts";
import { MemoryBudget } from "../../http/limits/memory_budget.ts";
import type { Answer } from "../answer/answer.ts";
import type { Reply } from "../operation/reply.ts";
import { type JournalLimits, MOST_ALL_LISTENERS, MOST_ALL_WAITING } from "./limits.ts";
import { RecentTexts } from "./recent_texts.ts";
import { type RecordedAnswer, recordOf } from "./recorded_answer.ts";
import type { Slot } from "./slot.ts";

export interface BudgetedJournal {
  /** The slots of the recorded requests. */
  slots(): Iterable<Slot>;
  dropHalf(): void;
  closeListeners(): void;
}

/** When journals exceed their limit of memory, they drop requests until they fill at most this share of it. */
const TARGET_SHARE = 7 / 8;
/** Of requests beyond those that are recorded with details in a second, one in this number has them, too. */
const SAMPLED = 64;
/** Between two measurements of memory, this share of the journals drops requests: the largest ones. */
const DROPPING_SHARE = 1 / 16;

/**
 * What the journals of all sessions share: the numbering of requests, the records of answers, and the limit of memory.
 * The memory of dropped requests isn't subtracted, since looking up the oldest request would slow down each recording.
 * Instead, the memory of new requests is added up. When the sum exceeds what was free, memory is measured anew, by
 * visiting all requests.
 */
export class JournalBudget {
  readonly limits: JournalLimits;
  readonly now: () => number;
  /** Returns milliseconds since any time, for durations; absent if they aren't measured. */
  readonly stopwatch: (() => number) | undefined;
  /** `limits.detailsPerSecond`; infinite without a clock. */
  readonly #detailsPerSecond: number;
  readonly #journals = new Set<BudgetedJournal>();
  readonly #reading = new Set<Promise<void>>();
  readonly texts = new RecentTexts();
  /** The headers that were recorded last. A request with the same headers shares them. */
  headers: HeaderList = [];
  /** The listeners of each journal that has some. */
  readonly #listened = new Map<BudgetedJournal, number>();
  #listeners = 0;
  /** The memory of short bodies that are read only to be recorded. */
  readonly bodies = new MemoryBudget(MOST_ALL_WAITING);
  /** The memory for what waits for listeners. */
  readonly waiting = new MemoryBudget(MOST_ALL_WAITING);
  #lastId = 0;
  /** The bytes that may be added before memory is measured again. */
  #free: number;
  /**
   * The records of answers that were made and counted since the last measurement. Requests with the same answer share
   * its record.
   */
  #records = new WeakMap<Answer, RecordedAnswer>();
  #second = 0;
  #detailsLeft: number;

  constructor(limits: JournalLimits, now: (() => number) | undefined, stopwatch?: () => number) {
    this.limits = limits;
    this.stopwatch = stopwatch;
    this.now = now ?? (() => 0);
    this.#detailsPerSecond = now === undefined ? Infinity : limits.detailsPerSecond;
    this.#free = limits.bytes;
    this.#detailsLeft = this.#detailsPerSecond;
  }

  nextId(): number {
    return ++this.#lastId;
  }

  /**
   * Counts a request, and returns whether its headers, body and path parameters are recorded: those of the first
   * `detailsPerSecond` requests in each second, and of one in {@linkcode SAMPLED} after that.
   */
  takeDetails(time: number): boolean {
    if (time - this.#second >= 1000 || time < this.#second) {
      this.#second = time;
      this.#detailsLeft = this.#detailsPerSecond;
    }
    return this.#detailsLeft-- > 0 || this.#detailsLeft % SAMPLED === 0;
  }

  /** Adds a journal that has recorded its first request. */
  open(journal: BudgetedJournal): void {
    this.#journals.add(journal);
  }

  /** Removes an empty journal, so that it can be garbage-collected. */
  release(journal: BudgetedJournal): void {
    this.#journals.delete(journal);
  }

  /** The record of an answer. The memory of a new record is counted. */
  recordOf(reply: Reply, answer: Answer | undefined): RecordedAnswer {
    const known = answer && this.#records.get(answer);
    if (known !== undefined) return known;
    const record = recordOf(reply, answer, this.limits.body);
    if (answer !== undefined) this.#records.set(answer, record);
    this.#free -= record.bytes;
    return record;
  }

  /** Counts memory that a journal uses. Drops older requests if all journals may exceed the limit. */
  add(bytes: number): void {
    this.#free -= bytes;
    if (this.#free < 0) this.#dropOldRequests();
  }

  /** Estimates the memory of all journals, in bytes. An answer that requests share counts once. */
  measure(): number {
    const answers = new Set<RecordedAnswer>();
    let total = 0;
    for (const journal of this.#journals) {
      for (const { bytes, answer } of journal.slots()) {
        total += bytes;
        if (answer === undefined || answers.has(answer)) continue;
        answers.add(answer);
        total += answer.bytes;
      }
    }
    // Forget the records of answers: `total` doesn't contain a record that no journal has any more. The next request
    // with that answer makes a new record, which is counted.
    this.#records = new WeakMap();
    this.#free = this.limits.bytes - total;
    return total;
  }

  /**
   * While all journals together exceed the limit of memory, the largest journals drop the older half of their requests.
   * With many journals, several do so between two measurements, because a measurement visits all requests.
   */
  #dropOldRequests(): void {
    while (this.measure() > this.limits.bytes * TARGET_SHARE) {
      const measured = [...this.#journals].map((journal) => ({ journal, memory: memoryOf(journal) }))
        .toSorted((a, b) => b.memory - a.memory);
      const most = measured[0]?.memory ?? 0;
      if (most === 0) return;
      const largest = measured.slice(0, Math.ceil(measured.length * DROPPING_SHARE));
      for (const { journal, memory } of largest) if (memory > most / 2) journal.dropHalf();
    }
  }

  /** @throws {RangeError} If all journals together have too many listeners. */
  addListener(journal: BudgetedJournal): void {
    if (this.#listeners >= MOST_ALL_LISTENERS) {
      throw new RangeError(
        `All journals have ${MOST_ALL_LISTENERS} listeners at most. Close streams that aren't needed.`,
      );
    }
    this.#listeners++;
    this.#listened.set(journal, (this.#listened.get(journal) ?? 0) + 1);
  }

  removeListeners(journal: BudgetedJournal, count: number): void {
    this.#listeners -= count;
    const left = (this.#listened.get(journal) ?? 0) - count;
    if (left > 0) this.#listened.set(journal, left);
    else this.#listened.delete(journal);
  }

  closeListeners(): void {
    for (const journal of [...this.#listened.keys()]) journal.closeListeners();
  }

  addReading(reading: Promise<void>): void {
    this.#reading.add(reading);
    void reading.then(() => this.#reading.delete(reading));
  }

  get isReading(): boolean {
    return this.#reading.size > 0;
  }

  /** Resolves when all bodies that are being read now have been read. */
  async settled(): Promise<void> {
    await Promise.all(this.#reading);
  }
}

/** Estimated memory of a journal in bytes, without regard to answers that requests share. */
function memoryOf(journal: BudgetedJournal): number {
  let memory = 0;
  for (const { bytes, answer } of journal.slots()) memory += bytes + (answer?.bytes ?? 0);
  return memory;
}
