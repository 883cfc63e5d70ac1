import assert from "node:assert/strict";
import { readQuery } from "../../../lib/api/query.ts";
import { jsonAnswer } from "../../../lib/management/answer.ts";
import { cachedAnswer, createAnswers } from "../../../lib/management/catalog.ts";

const FILTERS = ["namespace", "fleetname"];

Deno.test("cachedAnswer() makes a list with the same filters once, however its query is written", () => {
  const answers = createAnswers();
  let made = 0;
  const ask = (query: string) => cachedAnswer({ answers }, readQuery(query), FILTERS, () => jsonAnswer(`[${++made}]`));
  assert.equal(ask("namespace=shop&fleetname=edge"), ask("fleetname=edge&namespace=%73hop"));
  assert.equal(made, 1);
  assert.notEqual(ask("namespace=shop"), ask("fleetname=shop"));
});

Deno.test("cachedAnswer() caches no pages, and no more than its limit of bytes", () => {
  const answers = createAnswers(100_000);
  let made = 0;
  const ask = (query: string, length = 10_000) =>
    cachedAnswer({ answers }, readQuery(query), FILTERS, () => {
      made++;
      return jsonAnswer("x".repeat(length));
    });
  for (let limit = 1; limit <= 300; limit++) {
    for (const query of [`limit=${limit}`, `continue=shop/a${limit}`]) ask(query);
  }
  assert.equal(made, 600);
  assert.equal(answers.weight, 0);

  for (let index = 0; index < 300; index++) {
    ask(`namespace=n${index}`);
    assert.ok(answers.weight <= 100_000, `${answers.weight}`);
  }
  assert.ok(answers.weight > 10_000);
  // A client may ask for namespaces that don't exist: many short answers, or long keys.
  for (let index = 0; index < 300; index++) ask(`namespace=${index}${"n".repeat(10_000)}`, 2);
  assert.ok(answers.weight <= 100_000, `${answers.weight}`);
  ask("namespace=large", 200_000);
  assert.ok(answers.weight <= 100_000, `${answers.weight}`);
});
