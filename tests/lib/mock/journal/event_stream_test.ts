import assert from "node:assert/strict";
import { streamEvents } from "../../../../lib/mock/journal/event_stream.ts";
import type { Journal } from "../../../../lib/mock/journal/journal.ts";
import { createJournals } from "../../../../lib/mock/journal/journals.ts";
import {
  MOST_ALL_LISTENERS,
  MOST_ALL_WAITING,
  MOST_LISTENERS,
  MOST_WAITING,
} from "../../../../lib/mock/journal/limits.ts";

/** The JSON of an event is a little longer than the body of its request. */
const BODY = new Uint8Array(60_000).fill(0x61);

/** Records a request, and waits until the listeners have it. */
async function record(journal: Journal, path = "/"): Promise<void> {
  const reply = { response: new Response(null, { status: 204 }), mediaType: "", source: "status" as const };
  const request = new Request(`http://localhost${path}`, { method: "POST", body: "a" });
  journal.record(request, reply, { sent: BODY });
  await Promise.resolve();
  await Promise.resolve();
}

async function textOf(stream: ReadableStream<Uint8Array>, until: (text: string) => boolean): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream.values({ preventCancel: true })) {
    text += decoder.decode(chunk);
    if (until(text)) break;
  }
  return text;
}

Deno.test("what waits for one listener, and for all listeners of all journals, is bounded", async () => {
  const journals = createJournals();
  const sessions = Array.from({ length: 4 }, (_, index) => journals.open(String(index)));
  const [first] = sessions;
  assert.ok(first);
  const { waiting } = first;
  const streams = sessions.map((journal) => Array.from({ length: MOST_LISTENERS }, () => streamEvents(journal, {})));
  for (let time = 0; time < 20; time++) await record(first);
  assert.ok(waiting.used > 15 * MOST_WAITING && waiting.used <= MOST_LISTENERS * (MOST_WAITING + 70_000));
  for (let time = 0; time < 20; time++) for (const journal of sessions) await record(journal);
  assert.ok(waiting.used > MOST_ALL_WAITING - 70_000 && waiting.used <= MOST_ALL_WAITING);

  for (const stream of streams.flat()) await stream.cancel();
  assert.equal(waiting.used, 0);
});

Deno.test("a slow listener is told how many requests it missed, and gets the later ones", async () => {
  const journal = createJournals().open("a");
  const stream = streamEvents(journal, {});
  for (let time = 0; time < 30; time++) await record(journal, "/early");
  const { used } = journal.waiting;
  const got = await textOf(stream, (text) => text.length >= used);
  const missed = 30 - got.split("event: request").length + 1;
  assert.ok(missed > 5, String(missed));
  assert.equal(journal.waiting.used, 0);
  await record(journal, "/late");
  const late = await textOf(stream, (text) => text.includes("/late"));
  assert.match(late, new RegExp(`^event: left-out\ndata: {"count":${missed}}\n\nid: 31\nevent: request\n`));
  await stream.cancel();
});

Deno.test("what waits counts until it is read, also after its journal was closed", async () => {
  const journal = createJournals().open("a");
  const stream = streamEvents(journal, {});
  for (let time = 0; time < 5; time++) await record(journal);
  journal.close();
  assert.ok(journal.waiting.used > 5 * BODY.length);
  const text = await textOf(stream, () => false);
  assert.equal(text.split("event: request").length, 6);
  assert.equal(journal.waiting.used, 0);
});

Deno.test("all journals together have a limit of listeners", async () => {
  const journals = createJournals();
  const opened = Array.from(
    { length: MOST_ALL_LISTENERS / MOST_LISTENERS },
    (_, index) => journals.open(String(index)),
  );
  const [first, second] = opened.map((journal) => ({
    journal,
    streams: Array.from({ length: MOST_LISTENERS }, () => streamEvents(journal, {})),
  }));
  const another = journals.open("another");
  const refused = /^RangeError: All journals have 256 listeners at most\. Close streams that aren't needed\.$/;
  assert.throws(() => streamEvents(another, {}), refused);
  await first?.streams[0]?.cancel();
  await streamEvents(another, {}).cancel();
  second?.journal.close();
  for (let time = 0; time < MOST_LISTENERS; time++) streamEvents(another, {});
  streamEvents(journals.open("one more"), {});
  assert.throws(() => streamEvents(journals.open("too many"), {}), refused);
  journals.closeListeners();
  streamEvents(journals.open("after the end"), {});
});
