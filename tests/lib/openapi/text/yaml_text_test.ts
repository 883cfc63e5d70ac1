import assert from "node:assert/strict";
import fc from "fast-check";
import { dump } from "js-yaml";
import { isNode, parseDocument as parseYaml } from "yaml";
import { formatPointer, parsePointer } from "../../../../lib/schema/json/pointer.ts";
import { createLineIndex } from "../../../../lib/openapi/text/position.ts";
import { createYamlPlaceIndex, locateInYaml } from "../../../../lib/openapi/text/yaml_text.ts";
import { readSource } from "../../../../lib/openapi/text/source.ts";
import { runs } from "../../../runs.ts";

const YAML = `openapi: 3.1.0
paths:
  /a~b:
    get: &get
      tags: [x, "y"]
  "/c":
    put: *get
    post:
      <<: *get
      summary: |
        text
`;

Deno.test("locateInYaml() finds keys and values", async (t) => {
  const cases: [pointer: string, atKey: boolean, want: string][] = [
    ["", false, "1:1"],
    ["/openapi", false, "1:10"],
    ["/openapi", true, "1:1"],
    ["/paths/~1a~0b/get", true, "4:5"],
    ["/paths/~1a~0b/get/tags/0", false, "5:14"],
    ["/paths/~1a~0b/get/tags/1", false, "5:18"],
    ["/paths/~1c", true, "6:4"],
    ["/paths/~1c/put", false, "7:10"],
    ["/paths/~1c/put/tags/0", false, "5:14"],
    ["/paths/~1c/post/tags/0", false, "5:14"],
    ["/paths/~1c/post/summary", true, "10:7"],
    ["/paths/~1c/post/none/at/all", false, "9:7"],
    ["/paths/none", false, "3:3"],
  ];
  const position = createLineIndex(YAML);
  for (const [pointer, atKey, want] of cases) {
    await t.step(`${pointer}${atKey ? " (key)" : ""} at ${want}`, () => {
      const [offset = -1] = locateInYaml(YAML, [{ pointer, atKey }]);
      const { line, column } = position(offset);
      assert.equal(`${line}:${column}`, want);
    });
  }
});

Deno.test("locateInYaml() finds places in JSON, minified or not", () => {
  const value = { a: { "b/c": [1, { d: null }] } };
  for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2), JSON.stringify(value, null, "\t")]) {
    const [d = -1, key = -1] = locateInYaml(text, [
      { pointer: "/a/b~1c/1/d" },
      { pointer: "/a/b~1c/1/d", atKey: true },
    ]);
    assert.equal(text.slice(d, d + 4), "null");
    assert.equal(text.slice(key, key + 1), "d");
  }
});

Deno.test("createLineIndex() counts lines and columns from 1", () => {
  const position = createLineIndex("ab\n\ncd");
  assert.deepEqual([0, 2, 3, 4, 5].map(position).map(({ line, column }) => `${line}:${column}`), [
    "1:1",
    "1:3",
    "2:1",
    "3:1",
    "3:2",
  ]);
});

/** Random JSON values, which YAML can write too. */
const value = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });

Deno.test("the parser for sound texts and the one for broken texts read the same values", async () => {
  await fc.assert(
    fc.asyncProperty(value, fc.boolean(), async (value, flow) => {
      const text = dump(value, { flowLevel: flow ? 0 : -1 });
      const { source, diagnostics } = await readSource("test", text);
      assert.deepEqual(source.value, parseYaml(text, { merge: true }).toJS());
      assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error"), []);
    }),
    runs(150),
  );
});

Deno.test("locateInYaml() finds the places that the parser for broken texts finds", () => {
  fc.assert(
    fc.property(value, (value) => {
      const text = dump({ root: value }, { noRefs: true });
      const document = parseYaml(text);
      const pointers = pointersOf({ root: value });
      const offsets = locateInYaml(text, pointers.map((pointer) => ({ pointer })));
      pointers.forEach((pointer, index) => {
        const node = document.getIn(parsePointer(pointer), true);
        // Compare only places that are clear. js-yaml and yaml differ on the place of an empty value, of a quoted
        // scalar (with or without the quote) and of a block scalar (with or without its header).
        if (!isNode(node) || !node.range || !/[\w[{]/.test(text.charAt(node.range[0]))) return;
        assert.equal(offsets[index], node.range[0], pointer);
      });
    }),
    runs(150),
  );
});

function pointersOf(value: unknown, tokens: (string | number)[] = []): string[] {
  const children = Array.isArray(value)
    ? value.map((item, index) => pointersOf(item, [...tokens, index]))
    : typeof value === "object" && value !== null
    ? Object.entries(value).map(([key, item]) => pointersOf(item, [...tokens, key]))
    : [];
  return [formatPointer(tokens), ...children.flat()];
}

Deno.test("createYamlPlaceIndex() finds the place at an offset", () => {
  const placeAt = createYamlPlaceIndex(YAML);
  const cases: [at: string, pointer: string, atKey: boolean][] = [
    ["3.1.0", "/openapi", false],
    ["paths", "/paths", true],
    // A block mapping starts at its first key.
    ["get: &get", "/paths/~1a~0b", false],
    ['"y"', "/paths/~1a~0b/get/tags/1", false],
    ["*get\n    post", "/paths/~1c/put", false],
    ["text", "/paths/~1c/post/summary", false],
  ];
  for (const [at, pointer, atKey] of cases) {
    // The place of a quoted scalar is after its opening quote.
    const offset = YAML.indexOf(at) + (at.startsWith('"') ? 1 : 0);
    const place = placeAt(offset);
    assert.deepEqual([place.pointer, place.atKey ?? false], [pointer, atKey], at);
  }
});
