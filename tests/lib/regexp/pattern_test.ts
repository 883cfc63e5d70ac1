import assert from "node:assert/strict";
import fc from "fast-check";
import { longestSafeText } from "../../../lib/regexp/backtracking.ts";
import { loadPatternParser, parsePattern } from "../../../lib/regexp/parse.ts";
import { LinearPattern, loadPatternReader } from "../../../lib/regexp/pattern.ts";
import { runs } from "../../runs.ts";
import { PIECES } from "./pieces.ts";

const parser = await loadPatternParser();
const readPattern = await loadPatternReader();

/** The number of expressions that a pattern's derivatives may need. */
const MOST_EXPRESSIONS = 3_000;

Deno.test("derivatives match a text on which backtracking is slow, with few expressions", async (t) => {
  const as = "a".repeat(50_000);
  // Look-behind isn't supported: it is assumed to match.
  const cases: [pattern: string, text: string, want: boolean][] = [
    ["^(a+)+$", as, true],
    ["^(a+)+$", `${as}!`, false],
    ["^(a|a)*$", as, true],
    ["^(a|a)*$", `${as}!`, false],
    ["^([a-z]+)*\\d?$", as, true],
    ["^([a-z]+)*\\d?$", `${as}!`, false],
    ["^(?:a?){30}a{30}$", as, false],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", `${as}!`, false],
    ["\\s+$", `${" ".repeat(50_000)}x`, false],
    ["^(.*)(.*)(.*)x$", as, false],
    ["^(?:.*,){3}z$", "a,".repeat(25_000), false],
    ["^(\\w+\\b)+$", `${as}!`, false],
    ["^(\\w+\\s?)+\\b$", `${"ab ".repeat(20_000)}!!`, false],
    ["^(a+)+b(?<=ab)$", `${as}b`, true],
    ["(?<=a)b+c+d", "ab".repeat(25_000), false],
    [`^${"a?".repeat(40)}${"a".repeat(40)}$`, "a".repeat(39), false],
    [`^${"(?:a|a)".repeat(40)}$`, `${"a".repeat(40)}!`, false],
    [`^(?:${"(?:a|a)".repeat(8)}){9}$`, `${"a".repeat(72)}!`, false],
    ["^((?:a|b)*)\\1(?:c|d)*$", as, true],
    ["^(?:(-?)x\\1)*(?:a|b)*$", `-x-${as}`, true],
    ["^(?:(-?)x\\1)*(?:a|b)*$", `-x+${as}`, false],
    ["^(?!.*(.)\\1{3})(?:a|b)*$", as, true],
    ["^(?:a|b)*(a\\2)(b\\1)$", `${as}ab`, true],
    ["^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$", as, false],
  ];
  for (const [pattern, text, want] of cases) {
    await t.step(`${pattern} on ${text.length} characters`, () => {
      const read = parsePattern(pattern, parser);
      assert.ok(read.kind === "pattern");
      assert.ok(text.length > longestSafeText(read.pattern), "the engine is not asked");
      const linear = new LinearPattern(read.pattern, read.flags);
      assert.equal(linear.test(text), want);
      assert.ok(linear.size <= MOST_EXPRESSIONS, `${linear.size}`);
      assert.equal(readPattern(pattern)?.test(text), want);
    });
  }
});

Deno.test("longestSafeText() bounds the length of texts for backtracking", async (t) => {
  const cases: [pattern: string, want: number][] = [
    ["^abc$", Infinity],
    ["^[a-z]+$", Infinity],
    ["[a-z]+", 3_162],
    ["^[a-z]+-[a-z]+$", 3_162],
    ["^a+b+c+$", 215],
    ["^(?:ab|cd)[a-z]+-\\d+$", 2_236],
    ["^(a+)+$", 0],
    ["^(\\w+\\b)+$", 16],
    [`^${"a?".repeat(40)}$`, 0],
  ];
  for (const [pattern, want] of cases) {
    await t.step(pattern, () => {
      assert.equal(longestSafeText(parser.parsePattern(pattern, 0, pattern.length, { unicode: true })), want);
    });
  }
});

Deno.test("a long text is assumed to match a pattern that is too large for derivatives", async (t) => {
  const padding = "(?:x{0})".repeat(1_000);
  const cases: [name: string, pattern: string][] = [
    ["a nested repetition", `${padding}^(a+)+$`],
    ["a pattern nested too deep for the parser", `${"(".repeat(4_000)}a+${")".repeat(4_000)}+$`],
    ["alternatives that say the same", `${padding}^(a?){9}(a|a)*$`],
  ];
  for (const [name, pattern] of cases) {
    await t.step(name, () => assert.equal(readPattern(pattern)?.test(`${"a".repeat(50_000)}!`), true));
  }
  await t.step("but a long list of words is matched by the engine", () => {
    const words = Array.from({ length: 2_000 }, (_, index) => `word${index}`).join("|");
    assert.equal(readPattern(`^(?:${words})$`)?.test("word1999"), true);
    assert.equal(readPattern(`^(?:${words})$`)?.test("word2000"), false);
  });
});

Deno.test("a long text is matched as by the engine", async (t) => {
  const cases: [pattern: string, times: number][] = [
    ["\\s+$", 1_300],
    ["b\\s+x", 1_300],
    ["^.*b .*$", 1_300],
    ["^(\\w+ )+$", 100],
    ["a.*b.*c", 100],
  ];
  for (const [pattern, times] of cases) {
    await t.step(pattern, () => {
      const words = "ab ".repeat(times);
      for (const text of [words, `${words}c`, `${words} x`]) {
        assert.equal(readPattern(pattern)?.test(text), new RegExp(pattern, "u").test(text));
      }
    });
  }
});

Deno.test("a pattern that isn't a regular expression allows every string", async (t) => {
  for (const pattern of ["(", "[b-a]", "(?<a", "*"]) {
    await t.step(pattern, () => assert.equal(readPattern(pattern), undefined));
  }
});

Deno.test("derivatives match what the engine matches", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...PIECES.filter((piece) => piece !== "\\b")), { minLength: 1, maxLength: 4 }),
      fc.string({ unit: fc.constantFrom("a", "b", "c", "-", "1", "A", " ", "é"), maxLength: 12 }),
      (pieces, text) => {
        // A pattern with a repeated group is matched by derivatives, not by backtracking, even if the text is short.
        const written = `^(?:${pieces.map((piece) => `(?:${piece})?`).join("")})*`;
        for (const pattern of [written, `${written}$`]) {
          assert.equal(readPattern(pattern)?.test(text), new RegExp(pattern, "u").test(text), `${pattern} on ${text}`);
        }
      },
    ),
    runs(300),
  );
});
