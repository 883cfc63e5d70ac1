import type { Answer } from "../answer.ts";
import type { Reply } from "../reply.ts";
import type { JournalLimits } from "./limits.ts";
import { type RecordedAnswer, recordOf } from "./recorded_answer.ts";
import type { Slot } from "./slot.ts";

/** The methods of a journal that the budget calls. */
export interface BudgetedJournal {
  /** The slots of the recorded requests. */
  slots(): Iterable<Slot>;
  /** Removes the older half of the requests. */
  dropHalf(): void;
  /** Ends the subscriptions of all listeners. */
  closeListeners(): void;
}

/** The share of the bound on memory beyond which journals drop requests when the memory is measured. */
const FULL = 7 / 8;
/** The largest share of the journals that drop requests between two measurements. */
const DROPPING = 1 / 16;

/**
 * What the journals of all sessions share: the numbering of requests, the records of answers, and the bound on memory.
 *
 * The memory of a request that leaves its journal isn't subtracted, because to look at the oldest request costs each
 * request time. Instead, the memory of all journals is measured when the requests since the last measurement may have
 * filled what was free then.
 */
export class JournalBudget {
  readonly limits: JournalLimits;
  readonly now: () => number;
  readonly #hasClock: boolean;
  /** The journals with requests. */
  readonly #journals = new Set<BudgetedJournal>();
  readonly #reading = new Set<Promise<void>>();
  /** The journals with listeners. */
  readonly listened = new Set<BudgetedJournal>();
  #lastId = 0;
  /** The bytes that may be added before the memory is measured again. */
  #room: number;
  /** The records of answers that were made since the last measurement, each of which is counted. */
  #records = new WeakMap<Answer, RecordedAnswer>();
  #second = 0;
  #headersLeft: number;

  constructor(limits: JournalLimits, now: (() => number) | undefined) {
    this.limits = limits;
    this.now = now ?? (() => 0);
    this.#hasClock = now !== undefined;
    this.#room = limits.bytes;
    this.#headersLeft = limits.headersPerSecond;
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

  /** Registers a journal, which has its first request. */
  open(journal: BudgetedJournal): void {
    this.#journals.add(journal);
  }

  /** Removes an empty journal, so that it can be freed. */
  release(journal: BudgetedJournal): void {
    this.#journals.delete(journal);
  }

  /** The record of the answer of a reply. If it is new, its memory is counted. */
  recordOf(reply: Reply, answer: Answer | undefined): RecordedAnswer {
    const known = answer && this.#records.get(answer);
    if (known !== undefined) return known;
    const record = recordOf(reply, answer, this.limits.body);
    if (answer !== undefined) this.#records.set(answer, record);
    this.#room -= record.bytes;
    return record;
  }

  /** Counts memory that a journal uses, and drops older requests if all journals may exceed the bound. */
  add(bytes: number): void {
    this.#room -= bytes;
    if (this.#room < 0) this.#makeRoom();
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
    // A record that no journal has isn't in the total. Its answer gets a new one, which is counted, at its next request.
    this.#records = new WeakMap();
    this.#room = this.limits.bytes - total;
    return total;
  }

  /**
   * While all journals together exceed the bound on memory, the largest ones drop their older halves. With many journals,
   * several do so before the memory is measured again, because a measurement visits the slots of all.
   */
  #makeRoom(): void {
    while (this.measure() > this.limits.bytes * FULL) {
      const weighed = [...this.#journals].map((journal) => ({ journal, weight: weightOf(journal) }))
        .toSorted((a, b) => b.weight - a.weight);
      const most = weighed[0]?.weight ?? 0;
      if (most === 0) return;
      const largest = weighed.slice(0, Math.ceil(weighed.length * DROPPING));
      for (const { journal, weight } of largest) if (weight > most / 2) journal.dropHalf();
    }
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

/** Estimated memory of a journal in bytes, as if its requests shared no answers. */
function weightOf(journal: BudgetedJournal): number {
  let weight = 0;
  for (const { bytes, answer } of journal.slots()) weight += bytes + (answer?.bytes ?? 0);
  return weight;
}
