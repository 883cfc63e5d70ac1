import assert from "node:assert/strict";
import { createAnswerCaches } from "../../../lib/mock/answer_cache.ts";
import type { ReadyAnswer } from "../../../lib/mock/send.ts";

function answerOf(bytes: number): ReadyAnswer {
  const body = new Uint8Array(bytes);
  return { status: 200, headers: [], body, mediaType: "text/plain", source: "generated", init: {}, text: undefined };
}

Deno.test("createAnswerCaches() gives the answer that was prepared for the same wish", async () => {
  const cache = createAnswerCaches()();
  const answer = answerOf(1);
  const preparing = Promise.resolve(answer);
  cache.set("a", preparing);
  assert.equal(cache.get("a"), preparing);
  await preparing;
  assert.equal(cache.get("a"), answer);
  assert.equal(cache.get("b"), undefined);
});

Deno.test("createAnswerCaches() forgets what couldn't be prepared", async () => {
  const cache = createAnswerCaches()();
  const preparing = Promise.reject(new Error("broken"));
  cache.set("a", preparing);
  await assert.rejects(preparing);
  assert.equal(cache.get("a"), undefined);
});

Deno.test("createAnswerCaches() keeps so many bytes for all operations, and plain answers besides", async () => {
  const create = createAnswerCaches({ answers: 10, bytes: 50_000 });
  const caches = [create(), create(), create()];
  const keptIn = (keys: readonly string[]): number =>
    caches.reduce((sum, cache) => sum + keys.filter((key) => cache.get(key) !== undefined).length, 0);
  const fill = (keys: readonly string[], bytes: number): Promise<unknown> =>
    Promise.all(caches.flatMap((cache) =>
      keys.map((key) => {
        const preparing = Promise.resolve(answerOf(bytes));
        cache.set(key, preparing);
        return preparing;
      })
    ));
  await fill([""], 1_000_000);
  assert.equal(keptIn([""]), 3);
  const keys = ["a", "b", "c", "d", "e"];
  await fill(keys, 9_000);
  assert.ok(keptIn(keys) <= 5, `${keptIn(keys)} answers are kept`);
  // Keys count too: a client may accept 60 KB of media types.
  const long = keys.map((key) => key.repeat(20_000));
  await fill(long, 0);
  assert.ok(keptIn(long) <= 2, `${keptIn(long)} answers are kept`);
});

Deno.test("createAnswerCaches() keeps so many answers for an operation", async () => {
  const cache = createAnswerCaches({ answers: 3, bytes: 1e9 })();
  const keys = ["a", "b", "c", "d"];
  for (const key of keys) cache.set(key, Promise.resolve(answerOf(1)));
  await Promise.resolve();
  assert.deepEqual(keys.filter((key) => cache.get(key) !== undefined), ["d"]);
});
