import assert from "node:assert/strict";
import { essence, parseAccept, parseMediaType } from "../../../lib/http/media_type.ts";

const mediaTypes: {
  given: string;
  want: [essence: string, suffix: string | undefined, parameters: object] | undefined;
}[] = [
  { given: "application/json", want: ["application/json", undefined, {}] },
  { given: " Application/JSON ", want: ["application/json", undefined, {}] },
  { given: "application/problem+json", want: ["application/problem+json", "json", {}] },
  { given: "application/vnd.a+b+xml", want: ["application/vnd.a+b+xml", "xml", {}] },
  { given: "application/a+", want: ["application/a+", undefined, {}] },
  { given: "text/*", want: ["text/*", undefined, {}] },
  { given: "*/*", want: ["*/*", undefined, {}] },
  { given: "text/html;charset=utf-8", want: ["text/html", undefined, { charset: "utf-8" }] },
  { given: 'Text/HTML ; Charset="utf-8"', want: ["text/html", undefined, { charset: "utf-8" }] },
  { given: 'a/b; q="x\\"y;,z"; r=1', want: ["a/b", undefined, { q: 'x"y;,z', r: "1" }] },
  { given: "a/b; x=1; x=2", want: ["a/b", undefined, { x: "1" }] },
  { given: "a/b; x=", want: ["a/b", undefined, { x: "" }] },
  { given: "a/b;;x=1;", want: ["a/b", undefined, { x: "1" }] },
  { given: "a/b; what is this; x=1", want: ["a/b", undefined, {}] },
  { given: "a/b; __proto__=1", want: ["a/b", undefined, Object.fromEntries([["__proto__", "1"]])] },
  { given: "", want: undefined },
  { given: "json", want: undefined },
  { given: "application/", want: undefined },
  { given: "/json", want: undefined },
  { given: "a b/c", want: undefined },
  { given: "a/b/c", want: undefined },
];

for (const { given, want } of mediaTypes) {
  Deno.test(`parseMediaType() reads ${JSON.stringify(given)}`, () => {
    const mediaType = parseMediaType(given);
    const got = mediaType && [essence(mediaType), mediaType.suffix, Object.fromEntries(mediaType.parameters)];
    assert.deepEqual(got, want);
  });
}

const accepts: { given: string; want: [essence: string, q: number, parameters: object][] }[] = [
  { given: "", want: [] },
  { given: "*/*", want: [["*/*", 1, {}]] },
  {
    given: "text/html, application/xml;q=0.9, */*;q=0.8",
    want: [["text/html", 1, {}], ["application/xml", 0.9, {}], ["*/*", 0.8, {}]],
  },
  { given: "text/plain;format=flowed;q=0.4", want: [["text/plain", 0.4, { format: "flowed" }]] },
  { given: "text/plain; Q=0.5; format=flowed", want: [["text/plain", 0.5, { format: "flowed" }]] },
  { given: "a/b;q=0", want: [["a/b", 0, {}]] },
  {
    given: "text/html, image/gif, *; q=.2, */*; q=.2",
    want: [["text/html", 1, {}], ["image/gif", 1, {}], ["*/*", 0.2, {}], ["*/*", 0.2, {}]],
  },
  {
    given: "a/b;q=7, c/d;q=-1, e/f;q=high, g/h;q=",
    want: [["a/b", 1, {}], ["c/d", 0, {}], ["e/f", 1, {}], ["g/h", 1, {}]],
  },
  { given: ",, a/b ,, json, */json, c/d,", want: [["a/b", 1, {}], ["c/d", 1, {}]] },
  { given: 'a/b;x="1,2;q=0", c/d', want: [["a/b", 1, { x: "1,2;q=0" }], ["c/d", 1, {}]] },
  { given: 'a/b;x="never closed, c/d', want: [["a/b", 1, {}], ["c/d", 1, {}]] },
  { given: "a/b;bad param;q=0.1, c/d", want: [["a/b", 1, {}], ["c/d", 1, {}]] },
];

for (const { given, want } of accepts) {
  Deno.test(`parseAccept() reads ${JSON.stringify(given)}`, () => {
    const got = parseAccept(given).map((range) => [essence(range), range.q, Object.fromEntries(range.parameters)]);
    assert.deepEqual(got, want);
  });
}

Deno.test("parseAccept() reads a header of 200,000 characters", async (t) => {
  const cases: [name: string, header: string, ranges: number][] = [
    ["empty parameters", "a/b;".repeat(50_000), 1],
    ["open quotes", '"'.repeat(200_000), 0],
    ["ranges", "a/b,".repeat(50_000), 50_000],
    ["blanks", " ".repeat(200_000), 0],
    ["a type without subtype", "a".repeat(200_000), 0],
    ["parameters that can't be read", 'a/b;x="\\'.repeat(30_000), 1],
  ];
  for (const [name, header, ranges] of cases) {
    await t.step(name, () => assert.equal(parseAccept(header).length, ranges));
  }
});
