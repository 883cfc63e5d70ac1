import assert from "node:assert/strict";
import { RecentTexts } from "../../../../lib/mock/journal/recent_texts.ts";
import { copyHeaders } from "../../../../lib/mock/journal/slot.ts";

Deno.test("a text is the same after others with its index, empty, short and long", () => {
  const texts = new RecentTexts();
  const urls = Array.from({ length: 2_000 }, (_, index) => `http://localhost/pets/${index}`);
  for (const text of ["", "a", "GET", "x".repeat(2_000), ...urls, ...urls]) assert.equal(texts.earlier(text), text);
});

Deno.test("headers are shared with the last request only if they are the same", () => {
  const first = copyHeaders(new Headers({ accept: "*/*", "x-a": "1" }), []);
  assert.equal(copyHeaders(new Headers({ "x-a": "1", accept: "*/*" }), first), first);
  const cases: [headers: Record<string, string>, want: [string, string][]][] = [
    [{ accept: "*/*" }, [["accept", "*/*"]]],
    [{ accept: "*/*", "x-a": "2" }, [["accept", "*/*"], ["x-a", "2"]]],
    [{ accept: "*/*", "x-a": "1", "x-b": "1" }, [["accept", "*/*"], ["x-a", "1"], ["x-b", "1"]]],
    [{ "x-a": "1" }, [["x-a", "1"]]],
    [{}, []],
  ];
  for (const [headers, want] of cases) assert.deepEqual(copyHeaders(new Headers(headers), first), want);
  assert.deepEqual(first, [["accept", "*/*"], ["x-a", "1"]]);
});
