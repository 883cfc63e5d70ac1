import assert from "node:assert/strict";
import fc from "fast-check";
import { createRandom } from "../../../lib/mock/generate/random.ts";
import { loadPatternParser } from "../../../lib/regexp/parse.ts";
import { loadPatternReader } from "../../../lib/regexp/pattern.ts";
import { SampleTextWriter } from "../../../lib/regexp/sample_text.ts";
import { runs } from "../../runs.ts";
import { PIECES } from "./pieces.ts";

const parser = await loadPatternParser();

const readPattern = await loadPatternReader();

const anyPattern = fc.array(
  fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}")),
  { maxLength: 6 },
).map((parts) => parts.map(([piece, times]) => `(?:${piece})${times}`).join(""));

Deno.test("SampleTextWriter writes a matching text for any pattern", () => {
  const writer = new SampleTextWriter(parser);
  let made = 0;
  fc.assert(
    fc.property(anyPattern, fc.nat({ max: 5 }), fc.nat({ max: 1000 }), (pattern, minLength, hash) => {
      const constraints = { patterns: [pattern], minLength, maxLength: minLength + 20 };
      const text = writer.write(constraints, createRandom(hash));
      if (text === undefined) return;
      made++;
      // A word boundary next to a group is assumed to match, so the sample text need not match the pattern.
      if (!pattern.includes("\\b")) assert.match(text, new RegExp(pattern, "u"));
      assert.ok([...text].length >= minLength && [...text].length <= minLength + 20, text);
    }),
    runs(300),
  );
  assert.ok(made > 100, `${made}`);
});

Deno.test("SampleTextWriter writes texts that match their patterns within the bounds of length", async (t) => {
  const writer = new SampleTextWriter(parser);
  const cases: { pattern: string; minLength?: number; maxLength?: number }[] = [
    { pattern: "^(?=.*[A-Z])(?=.*\\d)(?=.*[^\\w]).{8,20}$" },
    { pattern: "^(?!admin)[a-z]{5}$" },
    { pattern: "^\\p{Lu}\\p{Ll}+$", minLength: 10, maxLength: 10 },
    { pattern: "^\\p{Script=Hebrew}+$" },
    { pattern: "^((?!xx).)*$", minLength: 20 },
    { pattern: "(?<=a)b" },
    { pattern: "^\\bfoo\\b.*bar$" },
    { pattern: ".*[0-9a-f]{8}-[0-9a-f]{4}.*", minLength: 13, maxLength: 13 },
    { pattern: ".*(^arn:aws:s3:::)([a-zA-Z0-9_-]+$).*" },
    { pattern: "^[\\w-.]+$" },
    { pattern: "^.{1,2048}$", minLength: 2000 },
    { pattern: "^🐲{3}$" },
    { pattern: "^$", maxLength: 0 },
  ];
  for (const { pattern, minLength = 0, maxLength = Infinity } of cases) {
    await t.step(pattern, () => {
      for (const hash of [1, 2, 3]) {
        const text = writer.write({ patterns: [pattern], minLength, maxLength }, createRandom(hash));
        assert.ok(text !== undefined && readPattern(pattern)?.test(text), `${text}`);
        assert.ok([...text].length >= minLength && [...text].length <= maxLength);
      }
    });
  }
});
