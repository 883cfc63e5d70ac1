import assert from "node:assert/strict";
import { hasBody } from "../../../lib/http/body.ts";

const cases: { name: string; method?: string; headers?: Record<string, string>; asks?: boolean; want: boolean }[] = [
  { name: "content-length", headers: { "content-length": "3" }, want: true },
  { name: "a content-length of 0", headers: { "content-length": "0" }, want: false },
  { name: "a body of chunks", headers: { "transfer-encoding": "chunked" }, want: true },
  { name: "GET", method: "GET", headers: { "content-length": "3" }, want: false },
  { name: "HEAD", method: "HEAD", want: false },
  { name: "no header that tells", asks: true, want: true },
];

Deno.test("hasBody() asks for the body only where no header tells", async (t) => {
  for (const { name, method = "POST", headers, asks = false, want } of cases) {
    await t.step(name, () => {
      let isAsked = false;
      const request = {
        method,
        headers: new Headers(headers),
        get body() {
          isAsked = true;
          return new ReadableStream<Uint8Array<ArrayBuffer>>();
        },
      };
      assert.equal(hasBody(request), want);
      assert.equal(isAsked, asks);
    });
  }
});
