import assert from "node:assert/strict";
import fc from "fast-check";
import { splitCookies } from "../../../../lib/http/cookie.ts";
import { isPercentEncoded, percentDecode } from "../../../../lib/http/url/url.ts";
import { decodeQueryText, splitQuery } from "../../../../lib/http/url/url.ts";
import { runs } from "../../../runs.ts";

const QUERIES: { query: string; want: [string, string[]][] }[] = [
  { query: "", want: [] },
  { query: "a=1", want: [["a", ["1"]]] },
  { query: "a=1&b=2&a=3", want: [["a", ["1", "3"]], ["b", ["2"]]] },
  { query: "a", want: [["a", [""]]] },
  { query: "a=", want: [["a", [""]]] },
  { query: "=1", want: [["", ["1"]]] },
  { query: "&&a=1&", want: [["a", ["1"]]] },
  { query: "a=b=c", want: [["a", ["b=c"]]] },
  { query: "a+b%20c=%20+", want: [["a b c", ["%20+"]]] },
  { query: "%zz=%zz", want: [["%zz", ["%zz"]]] },
  { query: "__proto__=1&constructor=2", want: [["__proto__", ["1"]], ["constructor", ["2"]]] },
];

for (const { query, want } of QUERIES) {
  Deno.test(`splitQuery() splits ${JSON.stringify(query)}`, () => {
    assert.deepEqual([...splitQuery(query)], want);
  });
}

Deno.test("splitQuery() and decodeQueryText() read the queries of browsers", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }))), (pairs) => {
      const written = splitQuery(new URLSearchParams(pairs).toString());
      const found = [...written].flatMap(([name, values]) => values.map((value) => [name, decodeQueryText(value)]));
      assert.deepEqual(new Set(found.map(String)), new Set(pairs.map(String)));
    }),
    runs(100),
  );
});

const COOKIES: { header: string; want: [string, string[]][] }[] = [
  { header: "", want: [] },
  { header: "a=1", want: [["a", ["1"]]] },
  { header: "a=1;b=2; a=3", want: [["a", ["1", "3"]], ["b", ["2"]]] },
  { header: 'a="1 2"; b="', want: [["a", ["1 2"]], ["b", ['"']]] },
  { header: "a=b=c; d", want: [["a", ["b=c"]]] },
  { header: "; ;=;", want: [["", [""]]] },
];

for (const { header, want } of COOKIES) {
  Deno.test(`splitCookies() splits ${JSON.stringify(header)}`, () => {
    assert.deepEqual([...splitCookies(header)], want);
  });
}

Deno.test("percentDecode() decodes once, and keeps badly encoded text", () => {
  assert.equal(percentDecode("%2541"), "%41");
  assert.equal(percentDecode("a%2Fb%C3%A4"), "a/bä");
  for (const text of ["%", "%z1", "%ff", "%C3", "50%25%"]) {
    assert.equal(percentDecode(text), text);
    assert.equal(isPercentEncoded(text), false);
  }
  assert.ok(isPercentEncoded("50%25"));
});
