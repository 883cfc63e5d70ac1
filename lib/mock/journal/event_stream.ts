import type { Bytes } from "../../http/handler.ts";
import type { JournalEntry } from "./entry.ts";
import { filterConditions, fulfils, type RequestFilter } from "./filter.ts";
import type { Journal } from "./journal.ts";
import { MOST_WAITING } from "./limits.ts";
import { representEntry } from "./represent.ts";
import { writeJson } from "../../schema/json/json.ts";

/**
 * Streams the requests that match a filter, as they are recorded, as server-sent events: `event: request`, with the
 * request's number as `id` and its JSON as `data`. If the client reads too slowly, requests are left out, and `event:
 * left-out` tells their number.
 *
 * What waits for the client counts against the journals' budget until the client has read it, also after the journal
 * was closed. So the stream has a queue of its own: a `ReadableStream` doesn't tell when its queue is read after
 * `close()`.
 *
 * @throws {RangeError} If there are too many listeners.
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html HTML Standard, Server-sent events}
 */
export function streamEvents(
  journal: Journal,
  filter: RequestFilter,
  shown: (entry: JournalEntry) => JournalEntry = (entry) => entry,
): ReadableStream<Bytes> {
  const conditions = filterConditions(filter);
  const encoder = new TextEncoder();
  const reservation = journal.waiting.open();
  // A comment sends the response headers at once, so that the client knows that it is subscribed.
  const queue: Bytes[] = [encoder.encode(": requests from now on\n\n")];
  let waiting = 0;
  let leftOut = 0;
  let isClosed = false;
  let wake = (): void => {};
  const unsubscribe = journal.subscribe({ request, close });
  return new ReadableStream<Bytes>({
    async pull(controller) {
      if (queue.length === 0 && !isClosed) await new Promise<void>((resolve) => wake = resolve);
      const chunk = queue.shift();
      if (chunk === undefined) return controller.close();
      waiting = Math.max(0, waiting - chunk.byteLength);
      reservation.resize(waiting);
      controller.enqueue(chunk);
    },
    cancel() {
      unsubscribe();
      reservation.release();
      queue.length = 0;
    },
  }, { highWaterMark: 0 });

  function request(entry: JournalEntry): void {
    if (!fulfils(entry, conditions)) return;
    if (waiting >= MOST_WAITING) {
      leftOut++;
      return;
    }
    const notice = leftOut === 0 ? "" : `event: left-out\ndata: {"count":${leftOut}}\n\n`;
    const text = writeJson(representEntry(shown(entry)));
    const chunk = encoder.encode(`${notice}id: ${entry.id}\nevent: request\ndata: ${text}\n\n`);
    if (!reservation.resize(waiting + chunk.byteLength)) {
      leftOut++;
      return;
    }
    waiting += chunk.byteLength;
    leftOut = 0;
    queue.push(chunk);
    wake();
  }

  function close(): void {
    isClosed = true;
    wake();
  }
}
