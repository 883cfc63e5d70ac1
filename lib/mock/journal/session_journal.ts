/**
 * The journal of one session. Recording must be fast, so it only fills a slot of a ring buffer. Entries are made from
 * slots when the journal is read.
 *
 * @module
 */
import { namesOf } from "../../openapi/operation.ts";
import type { Reply, ReplyDetails } from "../reply.ts";
import type { RequestViolation } from "../validation/violation.ts";
import type { JournalBudget } from "./budget.ts";
import type { JournalEntry } from "./entry.ts";
import type { Journal, JournalListener } from "./journal.ts";
import { MOST_LISTENERS, MOST_VIOLATIONS } from "./limits.ts";
import { sizeOfHeaders, startOf } from "./recorded_answer.ts";
import { hasShortBody, tapBody, type TappedRequest } from "./request_body.ts";
import { copyHeaders, createSlot, entryOf, NO_PARAMETERS, NO_VIOLATIONS, type Slot, SLOT_BYTES } from "./slot.ts";

export class SessionJournal implements Journal {
  readonly #session: string;
  readonly #budget: JournalBudget;
  readonly #listeners = new Set<JournalListener>();
  #slots: Slot[] = [];
  /** The index of the slot for the next request. */
  #next = 0;
  #size = 0;
  #isClosed = false;

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

  record(request: Request, reply: Reply, details: ReplyDetails): void {
    const { pathParameters = NO_PARAMETERS, answer, sent } = details;
    const { most } = this.#budget.limits;
    if (most === 0 || this.#isClosed) return;
    if (this.#size === 0) this.#budget.open(this);
    if (this.#size < most) this.#size++;
    // In a full ring buffer, this slot contains the oldest request. Each of its fields must be overwritten.
    const slot = this.#slots[this.#next] ??= createSlot();
    this.#next = this.#next + 1 === most ? 0 : this.#next + 1;
    const time = this.#budget.now();
    const { url } = request;
    slot.id = this.#budget.nextId();
    slot.time = time;
    slot.method = request.method;
    slot.url = url;
    slot.pathParameters = pathParameters;
    slot.operation = details.operation ?? (reply.operation && namesOf(reply.operation));
    slot.answer = this.#budget.recordOf(reply, answer);
    slot.body = undefined;
    slot.violations = NO_VIOLATIONS;
    slot.headers = this.#budget.takesHeaders(time) ? copyHeaders(request.headers) : undefined;
    slot.bytes = SLOT_BYTES + 2 * url.length + (slot.headers === undefined ? 0 : sizeOfHeaders(slot.headers));
    this.#budget.add(slot.bytes);
    const pending = this.#addParts(slot, request, reply, sent);
    if (this.#listeners.size > 0) void this.#publish(slot, pending);
  }

  *entries(): Iterable<JournalEntry> {
    for (const slot of this.slots()) yield entryOf(slot, this.#session);
  }

  /** The slots with requests, the oldest first. */
  *slots(): Iterable<Slot> {
    const { most } = this.#budget.limits;
    for (let index = this.#next - this.#size; index < this.#next; index++) {
      const slot = this.#slots[index < 0 ? index + most : index];
      if (slot !== undefined) yield slot;
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
    this.#keep([]);
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

  dropHalf(): void {
    this.#keep([...this.slots()].slice(Math.ceil(this.#size / 2)));
  }

  /** Removes all requests except those in the given slots, which are sorted, the oldest first. */
  #keep(slots: Slot[]): void {
    this.#slots = slots;
    this.#next = slots.length;
    this.#size = slots.length;
    if (slots.length === 0) this.#budget.release(this);
  }

  /** Counts the memory of a body or of violations, which are added to a slot after its request was recorded. */
  #grow(slot: Slot, bytes: number): void {
    slot.bytes += bytes;
    this.#budget.add(bytes);
  }

  /** Adds the body and the violations of a request. Returns a promise if some of them aren't known yet. */
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
      // Reading a short body costs nothing extra: the HTTP server would read it anyway, to reuse the connection.
      const reading = request.arrayBuffer().then(
        (body) => this.#setBody(slot, id, new Uint8Array(body)),
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

  /** Sets the body of a request, unless a later request has overwritten the slot meanwhile. */
  #setBody(slot: Slot, id: number, body: Uint8Array): void {
    if (slot.id !== id || body.length === 0) return;
    slot.body = startOf(body, this.#budget.limits.body);
    slot.bodyLength = body.length;
    this.#grow(slot, slot.body.length);
  }

  #setViolations(slot: Slot, id: number, found: readonly RequestViolation[]): void {
    if (slot.id !== id || found.length === 0) return;
    slot.violations = found.length > MOST_VIOLATIONS ? found.slice(0, MOST_VIOLATIONS) : found;
    this.#grow(slot, slot.violations.reduce((size, { message }) => size + 200 + 4 * message.length, 0));
  }

  /** Passes a request to the listeners, as soon as its body and violations are complete. */
  async #publish(slot: Slot, pending: Promise<unknown> | undefined): Promise<void> {
    const { id } = slot;
    if (pending !== undefined) await pending;
    if (slot.id !== id) return;
    const entry = entryOf(slot, this.#session);
    for (const listener of this.#listeners) listener.request(entry);
  }
}
