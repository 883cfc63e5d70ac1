import assert from "node:assert/strict";
import { type Answer, createAnswer } from "../../../../lib/mock/answer/answer.ts";
import { AnswerCache, CacheBudget } from "../../../../lib/mock/answer/answer_cache.ts";

function answerOf(bytes: number): Answer {
  // The bytes aren't valid UTF-8. A valid body would also be stored as text, and take more memory.
  const body = new Uint8Array(bytes).fill(0xff);
  return createAnswer({ status: 200, headers: [], body, mediaType: "text/plain", source: "generated" });
}

Deno.test("AnswerCache returns the answer that was prepared for equal criteria", async () => {
  const cache = new AnswerCache(new CacheBudget());
  const answer = answerOf(1);
  const preparing = Promise.resolve(answer);
  cache.set("a", preparing);
  assert.equal(cache.answers.get("a"), preparing);
  await preparing;
  assert.equal(cache.answers.get("a"), answer);
  assert.equal(cache.answers.get("b"), undefined);
});

Deno.test("AnswerCache drops an answer that couldn't be prepared", async () => {
  const cache = new AnswerCache(new CacheBudget());
  const preparing = Promise.reject(new Error("broken"));
  cache.set("a", preparing);
  await assert.rejects(preparing);
  assert.equal(cache.answers.get("a"), undefined);
});

Deno.test("CacheBudget limits the bytes of all operations, except answers for clients that accept anything", async () => {
  const budget = new CacheBudget({ answers: 10, bytes: 50_000 });
  const caches = [new AnswerCache(budget), new AnswerCache(budget), new AnswerCache(budget)];
  const keptIn = (keys: readonly string[]): number =>
    caches.reduce((sum, cache) => sum + keys.filter((key) => cache.answers.get(key) !== undefined).length, 0);
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
  // The size of keys counts too: a client may send an `Accept` header of 60 KB.
  const long = keys.map((key) => key.repeat(20_000));
  await fill(long, 0);
  assert.ok(keptIn(long) <= 2, `${keptIn(long)} answers are kept`);
});

Deno.test("AnswerCache is emptied beyond its limit of answers", async () => {
  const cache = new AnswerCache(new CacheBudget({ answers: 3, bytes: 1e9 }));
  const keys = ["a", "b", "c", "d"];
  for (const key of keys) cache.set(key, Promise.resolve(answerOf(1)));
  await Promise.resolve();
  assert.deepEqual(keys.filter((key) => cache.answers.get(key) !== undefined), ["d"]);
});
