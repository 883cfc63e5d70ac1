import assert from "node:assert/strict";
import fc from "fast-check";
import { countMembers, locateInJson, placeInJson } from "../../../../lib/openapi/text/json_text.ts";
import { formatPointer } from "../../../../lib/schema/json/pointer.ts";
import { locateInYaml } from "../../../../lib/openapi/text/yaml_text.ts";
import type { Place } from "../../../../lib/schema/json/source.ts";

Deno.test("locateInJson() finds the places that locateInYaml() finds", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 4 }),
      fc.constantFrom(undefined, 2, "\t", "\n "),
      fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 }),
      (value, space, strange) => {
        const text = JSON.stringify(value, null, space);
        const places = [...pointersIn(value), formatPointer(strange)]
          .flatMap((pointer): Place[] => [{ pointer }, { pointer, atKey: true }, { pointer: `${pointer}/none` }]);
        assert.deepEqual(locateInJson(text, places), locateInYaml(text, places));
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("locateInJson() takes the last of duplicate keys, as JSON.parse does", () => {
  const text = '{"a":{"b":1},"a":{"b":2}}';
  assert.deepEqual(locateInJson(text, [{ pointer: "/a/b" }]), [text.indexOf("2")]);
});

Deno.test("placeInJson() is the inverse of locateInJson()", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 4 }),
      fc.constantFrom(undefined, 2),
      (value, space) => {
        const text = JSON.stringify(value, null, space);
        const places = pointersIn(JSON.parse(text))
          .flatMap((pointer): Place[] => pointer === "" ? [{ pointer }] : [{ pointer }, { pointer, atKey: true }]);
        for (const [index, offset] of locateInJson(text, places).entries()) {
          const found = placeInJson(text, offset);
          assert.equal(found.pointer, places[index]?.pointer);
          assert.deepEqual(locateInJson(text, [found]), [offset]);
        }
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("countMembers() counts all members, whatever is in strings", () => {
  const table: [text: string, want: number][] = [
    ["{}", 0],
    ['{"a":1,"a":2}', 2],
    ['[{"a":":"},{"b\\"":"\\\\"},":"]', 2],
    ['"a:b"', 0],
    [' { "a" : { "b" : [ ] } } ', 2],
  ];
  for (const [text, want] of table) assert.equal(countMembers(text), want, text);
});

function pointersIn(value: unknown, pointer = ""): string[] {
  if (typeof value !== "object" || value === null) return [pointer];
  return [
    pointer,
    ...Object.entries(value).flatMap(([key, part]) => pointersIn(part, `${pointer}${formatPointer([key])}`)),
  ];
}
