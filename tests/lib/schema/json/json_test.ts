import assert from "node:assert/strict";
import { readJsonText, writeJson } from "../../../../lib/schema/json/json.ts";

/** An integer that a double rounds. */
const LARGE = 12345678901234567890n;

/** Texts that are like those that stand for integers while JSON is read or written. */
const TEXTS = [
  "\0",
  "\0int:12345678901234567890",
  "\0n12",
  "\0s",
  '"\0n12',
  '\\"\0n12"',
  "\\",
  "a\0n12",
  "\0n12:",
  "12",
];

Deno.test("JSON beside large integers has the texts that were written", async (t) => {
  for (const text of TEXTS) {
    await t.step(JSON.stringify(text), () => {
      for (const value of [[text, LARGE], { [text]: LARGE, more: [text, -LARGE] }]) {
        for (const space of [undefined, 2]) assert.deepEqual(readJsonText(writeJson(value, space)), value);
      }
    });
  }
});
