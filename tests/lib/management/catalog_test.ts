import assert from "node:assert/strict";
import { jsonAnswer } from "../../../lib/management/answer.ts";
import { AnswerCache } from "../../../lib/management/catalog.ts";
import { readQuery } from "../../../lib/management/query.ts";

const NAMES = ["namespace", "fleetname"];

Deno.test("AnswerCache answers a list with the same filters once, however its query is written", () => {
  const cache = new AnswerCache();
  let made = 0;
  const ask = (query: string) => cache.answer(readQuery(query), NAMES, () => jsonAnswer(`[${++made}]`));
  assert.equal(ask("namespace=shop&fleetname=edge"), ask("fleetname=edge&namespace=%73hop"));
  assert.equal(made, 1);
  assert.notEqual(ask("namespace=shop"), ask("fleetname=shop"));
});

Deno.test("AnswerCache caches no pages, and no more than its limit of bytes", () => {
  const cache = new AnswerCache(100_000);
  let made = 0;
  const ask = (query: string, length = 10_000) =>
    cache.answer(readQuery(query), NAMES, () => jsonAnswer("x".repeat(length + 0 * made++)));
  for (let limit = 1; limit <= 300; limit++) {
    for (const query of [`limit=${limit}`, `continue=shop/a${limit}`]) ask(query);
  }
  assert.equal(made, 600);
  assert.equal(cache.bytes, 0);

  for (let index = 0; index < 300; index++) {
    ask(`namespace=n${index}`);
    assert.ok(cache.bytes <= 100_000, `${cache.bytes}`);
  }
  assert.ok(cache.bytes > 10_000);
  // A client may ask for namespaces that don't exist: many short answers, or long keys.
  for (let index = 0; index < 300; index++) ask(`namespace=${index}${"n".repeat(10_000)}`, 2);
  assert.ok(cache.bytes <= 100_000, `${cache.bytes}`);
  ask("namespace=large", 200_000);
  assert.ok(cache.bytes <= 100_000, `${cache.bytes}`);
});
