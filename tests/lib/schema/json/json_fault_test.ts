import assert from "node:assert/strict";
import fc from "fast-check";
import { jsonFault } from "../../../../lib/schema/json/json_fault.ts";

const cases = [
  { text: "", want: "Unexpected end of JSON input" },
  { text: "[", want: "Unexpected end of JSON input" },
  { text: "{", want: "Expected property name or '}' in JSON at position 1 (line 1 column 2)" },
  { text: '{"a":1,\n}', want: "Expected double-quoted property name in JSON at position 8 (line 2 column 1)" },
  { text: "[1 2]", want: "Expected ',' or ']' after array element in JSON at position 3 (line 1 column 4)" },
  {
    text: '["a\tb"]'.replace("\\t", "\t"),
    want: "Bad control character in string literal in JSON at position 3 (line 1 column 4)",
  },
  { text: "{} x", want: "Unexpected non-whitespace character after JSON at position 3 (line 1 column 4)" },
  { text: "undefined", want: '"undefined" is not valid JSON' },
  { text: "01", want: "Unexpected number in JSON at position 1 (line 1 column 2)" },
];

for (const { text, want } of cases) {
  Deno.test(`jsonFault() of ${JSON.stringify(text)}`, () => assert.equal(jsonFault(text), want));
}

for (const opening of ["[", '{"a":', '[{"a":']) {
  Deno.test(`jsonFault() of ${opening} that is repeated deeper than the stack`, () => {
    assert.equal(jsonFault(opening.repeat(300_000)), "Unexpected end of JSON input");
  });
}

const PIECES = ["{", "}", "[", "]", ",", ":", '"a"', '"b', "1", "-", "0", "1.", ".5", "1e", "e5", "+", "true", "tru"];
const RARE = [
  "null",
  "fals",
  " ",
  "\n",
  "\r\n",
  '"\\u12"',
  '"\\q"',
  '"\\n"',
  '"\t"',
  "x",
  "ä",
  '{"a":1',
  "[1,2",
  '"a long text"',
];

Deno.test("jsonFault() has the messages of V8", () => {
  const texts = fc.array(fc.constantFrom(...PIECES, ...RARE), { minLength: 1, maxLength: 8 }).map((pieces) =>
    pieces.join("")
  );
  fc.assert(
    fc.property(texts, (text) => {
      let message: string;
      try {
        JSON.parse(text);
        return;
      } catch (error) {
        message = error instanceof Error ? error.message : "";
      }
      assert.equal(jsonFault(text), message);
    }),
    { numRuns: 5_000 },
  );
});
