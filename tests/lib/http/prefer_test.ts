import assert from "node:assert/strict";
import { parsePrefer } from "../../../lib/http/prefer.ts";

const cases: { header: string; want: Record<string, string> }[] = [
  { header: "", want: {} },
  { header: "code=404", want: { code: "404" } },
  { header: "code=404, example=cat", want: { code: "404", example: "cat" } },
  { header: "code=404,example=cat", want: { code: "404", example: "cat" } },
  { header: 'example="a cat, or a dog; both"', want: { example: "a cat, or a dog; both" } },
  { header: 'example="say \\"miaow\\" \\\\ purr"', want: { example: 'say "miaow" \\ purr' } },
  { header: "respond-async", want: { "respond-async": "" } },
  { header: "Code = 404 , DYNAMIC=True", want: { code: "404", dynamic: "True" } },
  { header: "code=404, code=500", want: { code: "404" } },
  { header: "foo; bar=1, code=404", want: { foo: "", code: "404" } },
  { header: 'foo="a"; code=500; x, code=404', want: { foo: "a", code: "404" } },
  { header: "example=", want: { example: "" } },
  { header: 'example=""', want: { example: "" } },
  { header: "example=not found", want: { example: "not found" } },
  { header: "=404, , ;;, code=404", want: { code: "404" } },
  { header: 'example="unclosed, code=404', want: { example: "", code: "404" } },
  { header: "__proto__=1", want: JSON.parse('{"__proto__":"1"}') },
];

for (const { header, want } of cases) {
  Deno.test(`parsePrefer() reads ${JSON.stringify(header)}`, () => {
    assert.deepEqual([...parsePrefer(header)], Object.entries(want));
  });
}

Deno.test("parsePrefer() reads a header of a megabyte in linear time", () => {
  for (const text of ['"', "a=", '="\\', " ", ";", "a=b,"]) {
    assert.doesNotThrow(() => parsePrefer(text.repeat(300_000)));
  }
});
