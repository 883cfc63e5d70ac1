import assert from "node:assert/strict";
import { longestSafeText } from "../../../lib/regexp/backtracking.ts";
import { pathsToCompile } from "../../../lib/regexp/compile_work.ts";
import { loadPatternParser, parsePattern } from "../../../lib/regexp/parse.ts";
import { LinearPattern, loadPatternReader } from "../../../lib/regexp/pattern.ts";
import { SampleTextWriter } from "../../../lib/regexp/sample_text.ts";
import { SharedSteps, spend, type Steps, withinSteps } from "../../../lib/regexp/steps.ts";
import { hostilePatterns } from "./hostile_patterns.ts";

const parser = await loadPatternParser();
const HOSTILE = hostilePatterns();
/** A budget that is small, so that this test is fast. */
const FEW_STEPS = 5_000;
/** The most expressions that a step makes. */
const EXPRESSIONS_OF_STEP = 2;

Deno.test("there are 200 distinct hostile patterns", () => {
  assert.ok(new Set(HOSTILE.map(({ pattern }) => pattern)).size >= 200);
});

Deno.test("a hostile pattern is parsed, and matched by derivatives within a budget of steps", async (t) => {
  for (const { name, pattern, texts } of HOSTILE) {
    await t.step(name, () => {
      const read = parsePattern(pattern, parser);
      if (read.kind !== "pattern") return;
      const work = new SharedSteps({ each: 0, shared: FEW_STEPS });
      const linear = new LinearPattern(read.pattern, read.flags, work);
      for (const text of texts) if (text.length < 1_000) linear.test(text);
      const most = EXPRESSIONS_OF_STEP * (FEW_STEPS + texts.join("").length);
      assert.ok(linear.size < most, `${linear.size} expressions`);
    });
  }
});

Deno.test("a pattern whose compilation takes exponential time has more paths than are allowed", async (t) => {
  const cases: [pattern: string, isAllowed: boolean][] = [
    [`^${"a?".repeat(8)}${"a".repeat(8)}$`, true],
    [`${"a?".repeat(60)}${"a".repeat(60)}`, false],
    [`(?:${"(?:|)".repeat(40)}a)*`, false],
    [`${"a*".repeat(40)}b`, false],
    [`${`${"a?".repeat(12)}${"b".repeat(8)}`.repeat(100)}`, false],
    [`(?:b{8}${"a?".repeat(14)})(?:${"c?".repeat(14)}d{8})`, false],
    [`^(?=${"a?".repeat(40)}a{40})b`, false],
    [`[${"\\p{L}".repeat(1_000)}]`, false],
    [`(?i:${"[\\u{0}-\\u{10ffff}]".repeat(100)})`, false],
    [`^.{1,2000}$`, true],
    [`^(?!\\s).*(?<!\\s)$`, true],
    [`^(?:${Array.from({ length: 2_000 }, (_, index) => `word${index}`).join("|")})$`, true],
  ];
  for (const [pattern, isAllowed] of cases) {
    await t.step(pattern.slice(0, 60), () => {
      const read = parsePattern(pattern, parser);
      assert.ok(read.kind === "pattern");
      assert.equal(pathsToCompile(read.pattern) < Infinity, isAllowed);
    });
  }
});

Deno.test("groups may be nested as deep in disguise as plainly", async (t) => {
  for (const group of ["(", "(?:", "([)]", "(\\)", "([\\])]", "(?=", "(?<!"]) {
    await t.step(group, () => {
      const deep = (depth: number): string => `${group.repeat(depth)}a${")".repeat(depth)}`;
      assert.equal(parsePattern(deep(200), parser).kind, "pattern");
      assert.equal(parsePattern(deep(201), parser).kind, "unread");
      assert.equal(parsePattern(deep(15_000), parser).kind, "unread");
    });
  }
  await t.step("many beside each other", () => {
    assert.equal(parsePattern("(a)".repeat(2_000), parser).kind, "pattern");
    assert.equal(parsePattern("(a)".repeat(2_001), parser).kind, "unread");
  });
  await t.step("a class without end", () => assert.equal(parsePattern("[(".repeat(1_000), parser).kind, "invalid"));
});

Deno.test("a back-reference to a group of any length bounds the length of texts", async (t) => {
  const cases: [pattern: string, want: number][] = [
    ["^(a*)\\1b$", 3_162],
    ["^(a*)\\1\\1b$", 215],
    ["^(?:(a*)\\1)b$", 3_162],
    ["^(?<x>a*)\\k<x>$", 3_162],
    ["^(a)\\1*b$", Infinity],
    ["^(.)\\1b$", Infinity],
    ["^(a{1,9})\\1b$", Infinity],
  ];
  for (const [pattern, want] of cases) {
    await t.step(pattern, () => {
      const read = parsePattern(pattern, parser);
      assert.ok(read.kind === "pattern");
      assert.equal(longestSafeText(read.pattern), want);
    });
  }
});

Deno.test("all patterns of a reader share the steps that hard patterns take", async () => {
  const read = await loadPatternReader();
  const hard = (index: number): string => `^(?:(?:[ab]|b){9,400}){${index + 9},900}!$`;
  const text = "ab".repeat(1_000);
  const patterns = Array.from({ length: 40 }, (_, index) => read(hard(index)));
  assert.ok(patterns.filter((pattern) => pattern?.test(text) === true).length > 30);
  // Easy patterns are still matched.
  assert.equal(read("^(?:x|y)+z$")?.test(`${"xy".repeat(1_000)}!`), false);
});

Deno.test("SharedSteps gives each task its own steps, and all tasks together some more", () => {
  const shared = new SharedSteps({ each: 10, shared: 20 });
  const steps: Steps = { left: 0 };
  const task = (count: number): boolean =>
    withinSteps(() => shared.run(steps, 0, () => (spend(steps, count), true)), () => false);
  assert.deepEqual([25, 10, 16, 10, 15, 10].map(task), [true, true, false, true, false, true]);
});

Deno.test("modifiers are matched by the engine, or assumed", async () => {
  const read = await loadPatternReader();
  assert.equal(read("^(?i:ab)+$")?.test("aB"), true);
  assert.equal(read("^(?i:ab)+$")?.test("aBc"), false);
  assert.equal(read("^(?:(?i:a)|b)*c$")?.test(`${"A".repeat(50)}c`), true);
});

Deno.test("sample texts for classes without characters take few steps", () => {
  const classes = Array.from({ length: 300 }, (_, index) => `[^\\p{Any}${String.fromCharCode(0x4e00 + index)}]`);
  const writer = new SampleTextWriter(parser);
  const constraints = { patterns: [`(?:${classes.join("|")})(a|b)*c`], minLength: 0, maxLength: Infinity };
  assert.equal(writer.write(constraints, () => 0), undefined);
});
