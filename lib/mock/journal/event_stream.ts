import type { Bytes } from "../../http/handler.ts";
import type { JournalEntry } from "./entry.ts";
import { conditionsOf, fulfils, type RequestFilter } from "./filter.ts";
import type { Journal } from "./journal.ts";
import { representEntry } from "./represent.ts";
import { writeJson } from "../../schema/json.ts";

/** Limit of the bytes buffered for a slow client. Beyond it, requests are counted instead of sent. */
const MOST_WAITING = 1024 * 1024;

/**
 * Streams the requests that match a filter, as they are recorded, as server-sent events: `event: request`, with the
 * request's number as `id` and its JSON as `data`. If the client reads too slowly, requests are left out, and `event:
 * left-out` tells their number.
 *
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html HTML Standard, Server-sent events}
 */
export function streamEvents(
  journal: Journal,
  filter: RequestFilter,
  shown: (entry: JournalEntry) => JournalEntry = (entry) => entry,
): ReadableStream<Bytes> {
  const conditions = conditionsOf(filter);
  const encoder = new TextEncoder();
  let leftOut = 0;
  let stop: (() => void) | undefined;
  return new ReadableStream<Bytes>({
    start(controller) {
      // A comment sends the response headers at once, so that the client knows that it is subscribed.
      controller.enqueue(encoder.encode(": requests from now on\n\n"));
      stop = journal.subscribe({ request, close: () => controller.close() });

      function request(entry: JournalEntry): void {
        if (!fulfils(entry, conditions)) return;
        if ((controller.desiredSize ?? 0) <= 0) {
          leftOut++;
          return;
        }
        if (leftOut > 0) controller.enqueue(encoder.encode(`event: left-out\ndata: {"count":${leftOut}}\n\n`));
        leftOut = 0;
        const text = writeJson(representEntry(shown(entry)));
        controller.enqueue(encoder.encode(`id: ${entry.id}\nevent: request\ndata: ${text}\n\n`));
      }
    },
    cancel: () => stop?.(),
  }, new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING }));
}
