import assert from "node:assert/strict";
import { type Answer, createAnswer } from "../../../../lib/mock/answer/answer.ts";
import type { JournalEntry } from "../../../../lib/mock/journal/entry.ts";
import type { Journal } from "../../../../lib/mock/journal/journal.ts";
import { createJournals } from "../../../../lib/mock/journal/journals.ts";
import type { Reply } from "../../../../lib/mock/operation/reply.ts";

Deno.test("a journal keeps the latest requests, the oldest first", () => {
  const journal = createJournals({ most: 3 }).open("a");
  for (let number = 1; number <= 5; number++) record(journal, `/pets/${number}`);
  assert.deepEqual([...journal.entries()].map(pathOf), ["/pets/3", "/pets/4", "/pets/5"]);
  assert.equal(journal.size, 3);
});

Deno.test("a journal of no requests records nothing", () => {
  const journal = createJournals({ most: 0 }).open("a");
  record(journal, "/pets");
  assert.equal(journal.size, 0);
});

Deno.test("an entry has the parts of its request and answer", async () => {
  const journal = createJournals({ most: 10, now: () => 5 }).open("a");
  const answer = answerOf('{"id":1}');
  const request = new Request("http://localhost/pets/1?x=1", {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": "9" },
    body: '{"id": 1}',
  });
  journal.record(request, replyOf(answer), { answer, pathParameters: { petId: "1" } });
  await journal.settled();
  assert.deepEqual([...journal.entries()], [{
    id: 1,
    time: 5,
    session: "a",
    request: {
      method: "POST",
      url: "http://localhost/pets/1?x=1",
      pathParameters: { petId: "1" },
      headers: [["content-length", "9"], ["content-type", "application/json"]],
      body: new TextEncoder().encode('{"id": 1}'),
    },
    response: {
      status: 200,
      headers: [["content-type", "application/json"]],
      mediaType: "application/json",
      source: "example",
      body: new TextEncoder().encode('{"id":1}'),
    },
    violations: [],
  }]);
});

Deno.test("a body that isn't short, or of unknown length, isn't read", async () => {
  const cases: [headers: Record<string, string>, body: string, isRead: boolean][] = [
    [{ "content-length": "4" }, "text", true],
    [{ "content-length": "70000" }, "x".repeat(70_000), false],
    [{}, "text", false],
    [{ "content-length": "4", "content-encoding": "gzip" }, "text", false],
  ];
  for (const [headers, body, isRead] of cases) {
    const journal = createJournals().open("a");
    const request = new Request("http://localhost/", { method: "POST", headers, body });
    journal.record(request, replyOf(answerOf("")), {});
    await journal.settled();
    assert.equal(first(journal).request.body !== undefined, isRead, JSON.stringify(headers));
    assert.equal(request.bodyUsed, isRead);
  }
});

Deno.test("a body that the server has read is recorded; a long body is truncated", () => {
  const journal = createJournals({ body: 4 }).open("a");
  const sent = new TextEncoder().encode("abcdef");
  journal.record(new Request("http://localhost/", { method: "POST" }), replyOf(answerOf("123456")), {
    sent,
    answer: answerOf("123456"),
  });
  const { request, response } = first(journal);
  assert.deepEqual([request.body, request.bodyLength], [sent.slice(0, 4), 6]);
  assert.deepEqual([response.body?.length, response.bodyLength], [4, 6]);
});

Deno.test("requests with the same answer share its record", () => {
  const journals = createJournals({ bytes: 100_000, body: 50_000 });
  const journal = journals.open("a");
  const answer = answerOf("x".repeat(50_000));
  for (let number = 0; number < 50; number++) record(journal, "/pets", answer);
  assert.equal(journal.size, 50);
  journal.clear();
  assert.equal(journals.bytes(), 0);
});

Deno.test("beyond the limit of memory, the largest journal drops the older half of its requests", () => {
  const journals = createJournals({ bytes: 100_000 });
  const [loud, quiet] = [journals.open("loud"), journals.open("quiet")];
  record(quiet, "/first");
  for (let number = 0; number < 100; number++) record(loud, `/${number}`, answerOf("x".repeat(5000)));
  assert.equal(quiet.size, 1);
  assert.ok(loud.size > 5 && loud.size < 25, `${loud.size}`);
  assert.deepEqual(
    [...loud.entries()].map(pathOf),
    Array.from({ length: loud.size }, (_, index) => `/${100 - loud.size + index}`),
  );
  assert.ok(journals.bytes() <= 100_000);
});

Deno.test("a journal that dropped its older half appends to the remaining slots", () => {
  const journals = createJournals({ most: 7, bytes: 100_000 });
  const [journal, other] = [journals.open("a"), journals.open("b")];
  const paths: string[] = [];
  for (let number = 0; number < 40; number++) {
    record(journal, `/${number}`, answerOf("x".repeat(10_000)));
    paths.push(`/${number}`);
    if (number % 5 === 4) record(other, "/other", answerOf("x".repeat(30_000)));
    assert.deepEqual([...journal.entries()].map(pathOf), paths.slice(paths.length - journal.size));
  }
  assert.ok(journal.size > 0 && journals.bytes() <= 100_000);
  journal.clear();
  other.clear();
  assert.equal(journals.bytes(), 0);
});

Deno.test("a closed journal records nothing, and releases its memory", () => {
  const journals = createJournals();
  const journal = journals.open("a");
  record(journal, "/pets");
  journal.close();
  record(journal, "/pets");
  assert.deepEqual([journal.size, journals.bytes()], [0, 0]);
});

Deno.test("headers and bodies beyond the most of a second are left out, whether the server read the body or not", async () => {
  let now = 10_000;
  const journal = createJournals({ detailsPerSecond: 2, now: () => now }).open("a");
  for (const sent of [undefined, new TextEncoder().encode("text"), undefined, new TextEncoder().encode("text")]) {
    const request = new Request("http://localhost/", {
      method: "POST",
      headers: { "content-length": "4" },
      body: "text",
    });
    journal.record(request, replyOf(answerOf("")), sent === undefined ? {} : { sent });
  }
  now += 1000;
  record(journal, "/pets");
  await journal.settled();
  const recorded = [...journal.entries()].map(({ request }) => ({
    headers: request.headers.length > 0,
    body: request.body !== undefined,
    lacksDetails: request.lacksDetails === true,
  }));
  assert.deepEqual(recorded, [
    { headers: true, body: true, lacksDetails: false },
    { headers: true, body: true, lacksDetails: false },
    { headers: false, body: false, lacksDetails: true },
    { headers: false, body: false, lacksDetails: true },
    { headers: false, body: false, lacksDetails: false },
  ]);
});

Deno.test("of very long headers, those beyond 16 KiB are left out", () => {
  const journal = createJournals().open("a");
  const headers = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`x-${index}`, "x".repeat(1000)]));
  journal.record(new Request("http://localhost/", { headers }), replyOf(answerOf("")), {});
  assert.equal(first(journal).request.headers.length, 16);
});

Deno.test("listeners receive requests when their bodies and violations are complete", async () => {
  const journal = createJournals().open("a");
  const { promise, resolve } = Promise.withResolvers<JournalEntry>();
  const stop = journal.subscribe({ request: resolve, close: () => {} });
  const request = new Request("http://localhost/", {
    method: "POST",
    headers: { "content-length": "4" },
    body: "text",
  });
  const violation = { location: ["body"], severity: "Error" as const, code: "type", message: "must be an object" };
  const validation = Promise.resolve({ violations: [violation] });
  journal.record(request, { ...replyOf(answerOf("")), validation }, {});
  const entry = await promise;
  assert.equal(new TextDecoder().decode(entry.request.body), "text");
  assert.deepEqual(entry.violations, [violation]);
  stop();
});

Deno.test("a reused slot doesn't get a late body or violations of its previous request", async () => {
  const journals = createJournals({ most: 1 });
  const journal = journals.open("a");
  const { promise, resolve } = Promise.withResolvers<{ violations: [] }>();
  const validation = promise.then(() => ({
    violations: [{ location: ["body"], severity: "Error" as const, code: "type", message: "must be an object" }],
  }));
  const request = new Request("http://localhost/", {
    method: "POST",
    headers: { "content-length": "4" },
    body: "text",
  });
  journal.record(request, { ...replyOf(answerOf("")), validation }, {});
  record(journal, "/later");
  resolve({ violations: [] });
  await validation;
  await journal.settled();
  assert.deepEqual([first(journal).violations, first(journal).request.body], [[], undefined]);
  journal.clear();
  assert.equal(journals.bytes(), 0);
});

function record(journal: Journal, path: string, answer = answerOf("")): void {
  journal.record(new Request(`http://localhost${path}`), replyOf(answer), { answer });
}

function replyOf({ status, mediaType, source }: Answer): Reply {
  return { response: new Response(null, { status }), mediaType, source };
}

function answerOf(text: string): Answer {
  return createAnswer({
    status: 200,
    headers: [["content-type", "application/json"]],
    body: new TextEncoder().encode(text),
    mediaType: "application/json",
    source: "example",
  });
}

function pathOf({ request }: JournalEntry): string {
  return new URL(request.url).pathname;
}

function first(journal: Journal): JournalEntry {
  const [entry] = journal.entries();
  if (entry === undefined) throw new assert.AssertionError({ message: "the journal is empty" });
  return entry;
}
