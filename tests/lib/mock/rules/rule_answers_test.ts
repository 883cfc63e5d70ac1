import assert from "node:assert/strict";
import { type Answer, createAnswer } from "../../../../lib/mock/answer/answer.ts";
import { RuleAnswers } from "../../../../lib/mock/rules/rule_answers.ts";

const OUTCOME = { body: "x" };

const CACHES: readonly { name: string; sizes: readonly number[]; kept: readonly boolean[] }[] = [
  { name: "answers within the limit are kept", sizes: [1_000, 1_000], kept: [true, true] },
  { name: "an answer that goes beyond the limit drops those before", sizes: [6_000, 6_000], kept: [false, true] },
  { name: "answers after it are kept", sizes: [6_000, 6_000, 1_000], kept: [false, true, true] },
];

for (const { name, sizes, kept } of CACHES) {
  Deno.test(`one rule for many operations: ${name}`, () => {
    const answers = new RuleAnswers(20_000);
    const handlers = sizes.map((size) => ({ answer: answerOf(size) }));
    for (const handler of handlers) answers.set(handler, OUTCOME, { accept: null, answer: handler.answer });
    assert.deepEqual(handlers.map((handler) => answers.get(handler, OUTCOME, null) === handler.answer), kept);
  });
}

Deno.test("a rule's answer is cached for one Accept header", () => {
  const answers = new RuleAnswers();
  const handler = {};
  answers.set(handler, OUTCOME, { accept: "text/plain", answer: answerOf(1) });
  assert.equal(answers.get(handler, OUTCOME, "application/json"), undefined);
  assert.notEqual(answers.get(handler, OUTCOME, "text/plain"), undefined);
});

function answerOf(size: number): Answer {
  return createAnswer({
    status: 200,
    headers: [],
    body: new Uint8Array(size),
    mediaType: "text/plain",
    source: "rule",
  });
}
