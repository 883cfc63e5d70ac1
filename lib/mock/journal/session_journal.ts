/**
 * The journal of one session. Recording must be cheap, so a request only fills a slot of a ring buffer. Entries are
 * made from slots when the journal is read.
 *
 * @module
 */
import type { Reply, ReplyDetails } from "../reply.ts";
import type { RequestViolation } from "../validation/violation.ts";
import type { JournalBudget } from "./budget.ts";
import type { JournalEntry } from "./entry.ts";
import type { Journal, JournalListener } from "./journal.ts";
import { MOST_LISTENERS, MOST_VIOLATIONS } from "./limits.ts";
import { startOf } from "./recorded_answer.ts";
import { hasShortBody, tapBody, type TappedRequest } from "./request_body.ts";
import { copyHeaders, createSlot, emptySlot, entryOf, NO_PARAMETERS, type Slot, SLOT_BYTES } from "./slot.ts";

/** The journal of one session, as a ring buffer. */
export class SessionJournal implements Journal {
  readonly #session: string;
  readonly #budget: JournalBudget;
  readonly #listeners = new Set<JournalListener>();
  #slots: Slot[] = [];
  /** The index of the slot for the next request. */
  #next = 0;
  #size = 0;
  #isClosed = false;
  /** Estimated memory of the journal in bytes, as if requests shared no answers. */
  weight = 0;

  constructor(session: string, budget: JournalBudget) {
    this.#session = session;
    this.#budget = budget;
  }

  get size(): number {
    return this.#size;
  }

  tap(request: Request): TappedRequest | undefined {
    return hasShortBody(request, this.#budget.limits.body) ? tapBody(request) : undefined;
  }

  record(request: Request, reply: Reply, { pathParameters = NO_PARAMETERS, answer, sent }: ReplyDetails): void {
    const { most } = this.#budget.limits;
    if (most === 0 || this.#isClosed) return;
    if (this.#size === most) this.#drop(1);
    const slot = this.#slots[this.#next] ??= createSlot();
    this.#next = this.#next + 1 === most ? 0 : this.#next + 1;
    this.#size++;
    slot.id = this.#budget.nextId();
    slot.time = this.#budget.now();
    slot.method = request.method;
    slot.url = request.url;
    slot.pathParameters = pathParameters;
    slot.operation = reply.operation === undefined ? undefined : this.#budget.records.namesOf(reply.operation);
    slot.answer = this.#budget.records.of(reply, answer);
    let bytes = SLOT_BYTES + 2 * slot.url.length;
    if (this.#budget.takesHeaders(slot.time)) bytes += copyHeaders(request.headers, slot);
    // Requests share the record of an answer, so its memory counts once, with the first of them.
    if (slot.answer.uses++ === 0) this.#budget.count(slot.answer.bytes);
    this.weight += slot.answer.bytes;
    this.#grow(slot, bytes);
    const pending = this.#addParts(slot, request, reply, sent);
    this.#budget.makeRoom(this);
    if (this.#listeners.size > 0) void this.#publish(slot, pending);
  }

  *entries(): Iterable<JournalEntry> {
    const { most } = this.#budget.limits;
    for (let index = this.#next - this.#size; index < this.#next; index++) {
      const slot = this.#slots[index < 0 ? index + most : index];
      if (slot !== undefined) yield entryOf(slot, this.#session);
    }
  }

  subscribe(listener: JournalListener): () => void {
    if (this.#listeners.size >= MOST_LISTENERS) {
      throw new RangeError(`A journal has ${MOST_LISTENERS} listeners at most. Close a stream that isn't needed.`);
    }
    this.#listeners.add(listener);
    this.#budget.listened.add(this);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#budget.listened.delete(this);
    };
  }

  get isReading(): boolean {
    return this.#budget.isReading;
  }

  settled(): Promise<void> {
    return this.#budget.settled();
  }

  clear(): void {
    this.#drop(this.#size);
    this.#slots = [];
    this.#next = 0;
    this.#budget.release(this);
  }

  close(): void {
    this.clear();
    this.#isClosed = true;
    this.closeListeners();
  }

  closeListeners(): void {
    for (const listener of this.#listeners) listener.close();
    this.#listeners.clear();
    this.#budget.listened.delete(this);
  }

  /** Removes the older half of the requests. */
  dropHalf(): void {
    this.#drop(Math.ceil(this.#size / 2));
    // Removes the empty slots as well, since they take memory. What remains is shorter than the ring, so new slots are
    // appended.
    const { most } = this.#budget.limits;
    const first = this.#next - this.#size;
    const left = Array.from({ length: this.#size }, (_, at) => this.#slots[(first + at + most) % most]);
    this.#slots = left.filter((slot) => slot !== undefined);
    this.#next = this.#slots.length;
    if (this.#size === 0) this.#budget.release(this);
  }

  /** Removes the oldest requests. */
  #drop(count: number): void {
    const { most } = this.#budget.limits;
    for (let dropped = 0; dropped < count; dropped++) {
      const index = this.#next - this.#size;
      const slot = this.#slots[index < 0 ? index + most : index];
      this.#size--;
      if (slot !== undefined) this.#empty(slot);
    }
  }

  /** Empties a slot and subtracts its memory. */
  #empty(slot: Slot): void {
    const { answer, bytes } = slot;
    this.#budget.count(-bytes);
    this.weight -= bytes;
    if (answer !== undefined) {
      this.weight -= answer.bytes;
      if (--answer.uses === 0) this.#budget.count(-answer.bytes);
    }
    emptySlot(slot);
  }

  #grow(slot: Slot, bytes: number): void {
    slot.bytes += bytes;
    this.weight += bytes;
    this.#budget.count(bytes);
  }

  /** Adds the body and the violations of a request. Returns a promise if some of them come later. */
  #addParts(
    slot: Slot,
    request: Request,
    { validation }: Reply,
    sent: Uint8Array | undefined,
  ): Promise<unknown> | undefined {
    const { id } = slot;
    let pending: Promise<unknown> | undefined;
    if (sent !== undefined) this.#setBody(slot, id, sent);
    else if (request.method !== "GET" && hasShortBody(request, this.#budget.limits.body) && !request.bodyUsed) {
      // Reading a short body costs nothing extra: the HTTP server would read it to reuse the connection.
      const reading = request.arrayBuffer().then(
        (body) => this.#setBody(slot, id, new Uint8Array(body), true),
        () => {},
      );
      this.#budget.addReading(reading);
      pending = reading;
    }
    if (validation instanceof Promise) {
      const checking = validation.then(({ violations }) => this.#setViolations(slot, id, violations), () => {});
      pending = pending === undefined ? checking : Promise.all([pending, checking]);
    } else if (validation !== undefined) this.#setViolations(slot, id, validation.violations);
    return pending;
  }

  /** Sets the body of a request, unless another request has taken the slot meanwhile. */
  #setBody(slot: Slot, id: number, body: Uint8Array, isLate = false): void {
    if (slot.id !== id || body.length === 0) return;
    slot.body = startOf(body, this.#budget.limits.body);
    slot.bodyLength = body.length;
    this.#grow(slot, slot.body.length);
    if (isLate) this.#budget.makeRoom(this);
  }

  #setViolations(slot: Slot, id: number, found: readonly RequestViolation[]): void {
    if (slot.id !== id || found.length === 0) return;
    slot.violations = found.length > MOST_VIOLATIONS ? found.slice(0, MOST_VIOLATIONS) : found;
    this.#grow(slot, slot.violations.reduce((size, { message }) => size + 200 + 4 * message.length, 0));
  }

  /** Tells the listeners of a request as soon as it is complete. */
  async #publish(slot: Slot, pending: Promise<unknown> | undefined): Promise<void> {
    const { id } = slot;
    if (pending !== undefined) await pending;
    if (slot.id !== id) return;
    const entry = entryOf(slot, this.#session);
    for (const listener of this.#listeners) listener.request(entry);
  }
}
