import assert from "node:assert/strict";
import { loadJsonPath, LONGEST_QUERY, readJsonPath } from "../../../../lib/openapi/overlay/json_path.ts";
import { Selector } from "../../../../lib/openapi/overlay/select.ts";
import { TooMuchWork, Work } from "../../../../lib/openapi/overlay/work.ts";
import { hostilePatterns } from "../../regexp/hostile_patterns.ts";
import { loadPatternReader } from "../../../../lib/regexp/pattern.ts";

/** A case of the JSONPath Compliance Test Suite. */
interface SuiteCase {
  name: string;
  selector: string;
  document?: unknown;
  result?: unknown[];
  /** The permitted results, for a query in which RFC 9535 leaves the order of members open. */
  results?: unknown[][];
  invalid_selector?: true;
}

const library = await loadJsonPath();
const readPattern = await loadPatternReader();

/** The values that a query finds; `undefined` if the text isn't a query by RFC 9535. */
function select(query: string, value: unknown, steps = 1_000_000): unknown[] | undefined {
  const read = readJsonPath(query, library);
  if (read.kind === "broken" || read.remark !== undefined) return undefined;
  const selector = new Selector(value, { library, readPattern, work: new Work(steps) });
  return selector.select(read.query).map((found) => found.value);
}

Deno.test("Selector passes the JSONPath Compliance Test Suite", async () => {
  const suite = new URL("../../../data/jsonpath_compliance_test_suite/cts.json", import.meta.url);
  const { tests }: { tests: SuiteCase[] } = JSON.parse(await Deno.readTextFile(suite));
  assert.equal(tests.length, 687);
  for (const { name, selector, document, result, results = [result ?? []], invalid_selector } of tests) {
    const found = select(selector, document);
    if (invalid_selector) assert.equal(found, undefined, `${name}: ${selector}`);
    else assert.ok(results.some((right) => isSame(found, right)), `${name}: ${selector}`);
  }
});

function isSame(found: unknown, right: unknown): boolean {
  return JSON.stringify(found) === JSON.stringify(right);
}

Deno.test("Selector joins more than two conditions", () => {
  const value = [{ a: 1, b: 1, c: 1 }, { a: 1, b: 1 }, { a: 1, c: 1 }];
  assert.deepEqual(select("$[?@.a && @.b && @.c]", value), value.slice(0, 1));
  assert.deepEqual(select("$[?@.x || @.b || @.c]", value), value);
});

/**
 * A value nested `depth` times. Each level refers twice to the next one, so that a query finds exponentially many
 * values.
 */
function doubled(depth: number): unknown {
  let value: unknown = { a: 1 };
  for (let level = 0; level < depth; level++) value = { l: value, r: value };
  return value;
}

Deno.test("the functions match and search end for any pattern, and agree with a keyword `pattern`", async (t) => {
  const value = { long: `${"a".repeat(200)}!`, short: "a" };
  for (const { name, pattern } of hostilePatterns()) {
    if (pattern.length > 500 || /['"\\]/.test(pattern)) continue;
    await t.step(name, () => {
      const want = Object.values(value).filter((text) => readPattern(pattern)?.test(text));
      assert.deepEqual(select(`$[?search(@, '${pattern}')]`, value), want);
      assert.ok(select(`$[?match(@, '${pattern}')]`, value) !== undefined);
    });
  }
});

const HOSTILE: { name: string; query: string; value: unknown }[] = [
  { name: "a value of 2^60 parts", query: "$..a", value: doubled(60) },
  { name: "descents in filters", query: "$..[?@..[?@..[?@..[?@..[?@.b]]]]]", value: doubled(12) },
  { name: "many descents", query: "$..*..*..*..*..*..*", value: doubled(10) },
  { name: "the root for each value", query: "$..[?$..[?$..[?@.b]]]", value: doubled(8) },
  { name: "comparisons of large values", query: "$..[?@.l == @.r]", value: doubled(20) },
  {
    name: "long texts in each filter",
    query: "$..[?search($.t, '(a*)*b')]",
    value: { t: "a".repeat(1e5), v: doubled(8) },
  },
];

for (const { name, query, value } of HOSTILE) {
  Deno.test(`Selector stops when the work is too much: ${name}`, () => {
    assert.throws(() => select(query, value), TooMuchWork);
  });
}

Deno.test("Selector matches a pattern without backtracking", () => {
  assert.deepEqual(select("$[?match(@, '(a+)+b')]", [`${"a".repeat(5_000)}c`, "aab"]), ["aab"]);
});

Deno.test("readQuery() refuses what is nested too deep or too long", () => {
  const half = LONGEST_QUERY / 2;
  const queries = [
    `$[?${"(".repeat(half - 10)}@.a${")".repeat(half - 10)}]`,
    `$${"[?@".repeat(3_000)}`,
    `$[?${"count(".repeat(1_600)}`,
    `$${".a".repeat(half)}`,
  ];
  for (const query of queries) assert.equal(readJsonPath(query, library).kind, "broken", query.slice(0, 20));
});
