/**
 * The journal of one session. Recording must be fast, so it only fills a slot of a ring buffer. Entries are made from
 * slots when the journal is read.
 *
 * @module
 */
import type { MemoryBudget } from "../../http/limits/memory_budget.ts";
import { namesOf } from "../../openapi/operation.ts";
import type { Reply, ReplyDetails } from "../operation/reply.ts";
import { isDisturbed } from "../rules/disturb_response.ts";
import type { RequestViolation } from "../validation/violation.ts";
import type { JournalBudget } from "./budget.ts";
import type { JournalEntry } from "./entry.ts";
import type { Journal, JournalListener } from "./journal.ts";
import { MOST_KEPT_VIOLATIONS, MOST_LISTENERS } from "./limits.ts";
import { sizeOfHeaders, startOf } from "./recorded_answer.ts";
import { copyHeaders, createSlot, entryOf, NO_KEPT_VIOLATIONS, NO_PARAMETERS, type Slot, SLOT_BYTES } from "./slot.ts";

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

  get lastId(): number {
    return this.#size === 0 ? 0 : this.#slots.at(this.#next - 1)?.id ?? 0;
  }

  begin(): number | undefined {
    return this.#budget.stopwatch?.();
  }

  record(
    request: Request,
    reply: Reply,
    details: ReplyDetails,
    begun?: number,
  ): ((milliseconds: number) => void) | undefined {
    const { pathParameters = NO_PARAMETERS, answer, sent } = details;
    const { most } = this.#budget.limits;
    if (most === 0 || this.#isClosed) return undefined;
    if (this.#size === 0) this.#budget.open(this);
    if (this.#size < most) this.#size++;
    // In a full ring buffer, this slot contains the oldest request. Each of its fields must be overwritten.
    const slot = this.#slots[this.#next] ??= createSlot();
    this.#next = this.#next + 1 === most ? 0 : this.#next + 1;
    const time = this.#budget.now();
    const { texts } = this.#budget;
    const url = texts.earlier(request.url);
    slot.id = this.#budget.nextId();
    slot.time = time;
    slot.method = texts.earlier(request.method);
    slot.url = url;
    slot.operation = details.operation ?? (reply.operation && namesOf(reply.operation));
    slot.answer = this.#budget.recordOf(reply, answer);
    slot.body = undefined;
    slot.violations = NO_KEPT_VIOLATIONS;
    slot.delay = reply.delay ?? 0;
    slot.fault = reply.fault?.kind;
    const ended = begun === undefined ? undefined : this.#budget.stopwatch?.();
    slot.duration = begun === undefined || ended === undefined ? undefined : ended - begun;
    slot.rules = details.rules;
    const hasDetails = this.#budget.takeDetails(time);
    slot.pathParameters = hasDetails ? pathParameters : NO_PARAMETERS;
    slot.headers = hasDetails ? this.#budget.headers = copyHeaders(request.headers, this.#budget.headers) : undefined;
    slot.bytes = SLOT_BYTES + 2 * url.length + (slot.headers === undefined ? 0 : sizeOfHeaders(slot.headers));
    this.#budget.add(slot.bytes);
    const reading = hasDetails ? this.#addBody(slot, request, sent) : undefined;
    const checking = this.#addViolations(slot, reply.validation);
    if (this.#listeners.size > 0) void this.#publish(slot, [reading, checking]);
    if (!isDisturbed(reply)) return undefined;
    const { id } = slot;
    return (milliseconds) => {
      if (slot.id === id) slot.duration = milliseconds;
    };
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
    this.#budget.addListener(this);
    this.#listeners.add(listener);
    return () => {
      if (!this.#listeners.delete(listener)) return;
      this.#budget.removeListeners(this, 1);
    };
  }

  get waiting(): MemoryBudget {
    return this.#budget.waiting;
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
    this.#budget.removeListeners(this, this.#listeners.size);
    this.#listeners.clear();
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

  /** Adds the body of a request. Returns a promise if it is read later. */
  #addBody(slot: Slot, request: Request, sent: Uint8Array | undefined): Promise<void> | undefined {
    const { id } = slot;
    if (sent !== undefined) this.#setBody(slot, id, sent);
    else if (hasShortBody(request, this.#budget.limits.body) && !request.bodyUsed) {
      const reservation = this.#budget.bodies.open();
      if (!reservation.resize(Number(request.headers.get("content-length")))) return undefined;
      // Reading a short body costs nothing extra: the HTTP server would read it anyway, to reuse the connection.
      const reading = request.arrayBuffer().then(
        (body) => this.#setBody(slot, id, new Uint8Array(body)),
        () => {},
      ).finally(reservation.release);
      this.#budget.addReading(reading);
      return reading;
    }
    return undefined;
  }

  /** Adds the violations of a request. Returns a promise if they are found later. */
  #addViolations(slot: Slot, validation: Reply["validation"]): Promise<void> | undefined {
    const { id } = slot;
    if (validation instanceof Promise) {
      return validation.then(({ violations }) => this.#setViolations(slot, id, violations), () => {});
    }
    if (validation !== undefined) this.#setViolations(slot, id, validation.violations);
    return undefined;
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
    slot.violations = found.length > MOST_KEPT_VIOLATIONS ? found.slice(0, MOST_KEPT_VIOLATIONS) : found;
    this.#grow(slot, slot.violations.reduce((size, { message }) => size + 200 + 4 * message.length, 0));
  }

  /** Passes a request to the listeners, as soon as its body and violations are complete. */
  async #publish(slot: Slot, parts: readonly (Promise<void> | undefined)[]): Promise<void> {
    const { id } = slot;
    await Promise.all(parts);
    if (slot.id !== id) return;
    const entry = entryOf(slot, this.#session);
    for (const listener of this.#listeners) listener.request(entry);
  }
}

/**
 * Whether a request has a body of at most `most` bytes, as its `Content-Length` says, without content coding. A body of
 * unknown length (`Transfer-Encoding: chunked`) isn't short.
 */
function hasShortBody({ method, headers }: Pick<Request, "method" | "headers">, most: number): boolean {
  if (method === "GET" || method === "HEAD") return false;
  const length = headers.get("content-length");
  return length !== null && Number(length) > 0 && Number(length) <= most && !headers.has("content-encoding");
}
