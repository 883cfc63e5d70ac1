import assert from "node:assert/strict";
import fc from "fast-check";
import { loadPatternParser, loadPatternReader } from "../../../lib/regexp/pattern.ts";
import { createTextWriter } from "../../../lib/regexp/sample_text.ts";
import { createRandom } from "../../../lib/regexp/random.ts";
import { runs } from "../../runs.ts";

const readPattern = await loadPatternReader();
const writer = createTextWriter(await loadPatternParser());

Deno.test("a pattern that would backtrack without end is matched in time that grows with the text", () => {
  const texts = ["a".repeat(50_000), `${"a".repeat(50_000)}!`];
  for (
    const pattern of ["^(a+)+$", "^(a|a)*$", "^([a-z]+)*\\d?$", "^(?:a?){30}a{30}$", "^(([a-z])+.)+[A-Z]([a-z])+$"]
  ) {
    const start = performance.now();
    for (const text of texts) readPattern(pattern)?.test(text);
    assert.ok(performance.now() - start < 5000, pattern);
  }
  assert.equal(readPattern("^(a+)+$")?.test("aaa"), true);
  assert.equal(readPattern("^(a+)+$")?.test("aab"), false);
});

const SLOW: [pattern: string, text: string][] = [
  ["\\s+$", `${" ".repeat(50_000)}x`],
  ["^(.*)(.*)(.*)x$", "a".repeat(50_000)],
  ["^(?:.*,){3}z$", "a,".repeat(25_000)],
  ["^(\\w+\\b)+$", `${"a".repeat(50_000)}!`],
  ["^(\\w+\\s?)+\\b$", `${"ab ".repeat(20_000)}!!`],
  ["(?<=a)b+c+d", "ab".repeat(25_000)],
  [`^${"a?".repeat(40)}${"a".repeat(40)}$`, `${"a".repeat(39)}`],
  [`^${"(?:a|a)".repeat(40)}$`, `${"a".repeat(40)}!`],
  [`^(?:${"(?:a|a)".repeat(8)}){9}$`, `${"a".repeat(72)}!`],
  ["^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$", "a".repeat(50_000)],
];

for (const [pattern, text] of SLOW) {
  Deno.test(`${pattern} is matched in time that grows with the text`, () => {
    const start = performance.now();
    assert.equal(readPattern(pattern)?.test(text), false);
    assert.ok(performance.now() - start < 10_000);
  });
}

Deno.test("a pattern of more characters than are looked into is never tried on a text for long", () => {
  const padding = "(?:x{0})".repeat(1_000);
  for (
    const pattern of [`${padding}^(a+)+$`, `${"(".repeat(4_000)}a+${")".repeat(4_000)}+$`, `${padding}(a?){9}(a|a)*$`]
  ) {
    const start = performance.now();
    readPattern(pattern)?.test(`${"a".repeat(50_000)}!`);
    assert.ok(performance.now() - start < 10_000, pattern.slice(-20));
  }
  const words = Array.from({ length: 2_000 }, (_, index) => `word${index}`).join("|");
  assert.equal(readPattern(`^(?:${words})$`)?.test("word1999"), true);
  assert.equal(readPattern(`^(?:${words})$`)?.test("word2000"), false);
});

Deno.test("a long text is matched as an engine does", () => {
  const cases: [pattern: string, times: number][] = [
    ["\\s+$", 1_300],
    ["b\\s+x", 1_300],
    ["^.*b .*$", 1_300],
    ["^(\\w+ )+$", 100],
    ["a.*b.*c", 100],
  ];
  for (const [pattern, times] of cases) {
    const words = "ab ".repeat(times);
    for (const text of [words, `${words}c`, `${words} x`]) {
      assert.equal(readPattern(pattern)?.test(text), new RegExp(pattern, "u").test(text), pattern);
    }
  }
});

Deno.test("a pattern that is no regular expression forbids nothing", () => {
  for (const pattern of ["(", "[b-a]", "(?<a", "*"]) {
    assert.equal(readPattern(pattern), undefined, pattern);
  }
});

/** Patterns of what authors write, without what only some engines know. */
const PIECES = [
  "a",
  "b",
  "-",
  ".",
  "\\d",
  "\\w",
  "[a-c]",
  "[^a]",
  "[0-9A-F]",
  "\\.",
  "é",
  "\\p{Lu}",
  "\\s",
  "(?:ab|c)",
  "(?=a)",
  "(?!b)",
  "\\b",
  "^",
  "$",
];
const pattern = fc.array(
  fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}")),
  { maxLength: 6 },
).map((parts) => parts.map(([piece, times]) => `(?:${piece})${times}`).join(""));

Deno.test("a text that is made for a pattern matches it", () => {
  let made = 0;
  fc.assert(
    fc.property(pattern, fc.nat({ max: 5 }), fc.nat({ max: 1000 }), (written, minLength, hash) => {
      const demand = { patterns: [written], minLength, maxLength: minLength + 20 };
      const text = writer.write(demand, createRandom(hash));
      if (text === undefined) return;
      made++;
      // Word boundaries are only mostly right; whoever asks for a text checks it.
      if (!written.includes("\\b")) assert.match(text, new RegExp(written, "u"));
      assert.ok([...text].length >= minLength && [...text].length <= minLength + 20, text);
    }),
    runs(300),
  );
  assert.ok(made > 100, `${made}`);
});

Deno.test("a pattern matched character by character matches what a regular expression does", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...PIECES.filter((piece) => piece !== "\\b")), { minLength: 1, maxLength: 4 }),
      fc.string({ unit: fc.constantFrom("a", "b", "c", "-", "1", "A", " ", "é"), maxLength: 12 }),
      (pieces, text) => {
        // A repeated group makes it one that could backtrack.
        const written = `^(?:${pieces.map((piece) => `(?:${piece})?`).join("")})*`;
        for (const whole of [written, `${written}$`]) {
          assert.equal(readPattern(whole)?.test(text), new RegExp(whole, "u").test(text), `${whole} on ${text}`);
        }
      },
    ),
    runs(300),
  );
});

const TEXTS: { pattern: string; minLength?: number; maxLength?: number }[] = [
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

for (const { pattern, minLength = 0, maxLength = Infinity } of TEXTS) {
  Deno.test(`a text is made for ${pattern}`, () => {
    for (const hash of [1, 2, 3]) {
      const text = writer.write({ patterns: [pattern], minLength, maxLength }, createRandom(hash));
      assert.ok(text !== undefined && readPattern(pattern)?.test(text), `${text}`);
      assert.ok([...text].length >= minLength && [...text].length <= maxLength);
    }
  });
}
