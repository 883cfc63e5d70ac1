import assert from "node:assert/strict";
import { isLoopback } from "../../../lib/http/loopback.ts";

const HERE = [
  "http://localhost",
  "http://LOCALHOST.:9000/x",
  "https://app.localhost",
  "http://127.0.0.1",
  "http://127.1.2.3",
  "http://0x7f.1",
  "http://2130706433",
  "http://[::1]:80",
  "http://[0:0:0:0:0:0:0:1]",
  "http://[::ffff:127.0.0.1]",
];
const ELSEWHERE = [
  "http://example.com",
  "http://localhost.example.com",
  "http://notlocalhost",
  "http://127.0.0.1.example.com",
  "http://127.example.com",
  "http://128.0.0.1",
  "http://10.0.0.1",
  "http://169.254.169.254",
  "http://0.0.0.0",
  "http://[::2]",
  "http://[::ffff:7f:1]",
  "http://[::ffff:10.0.0.1]",
  "http://user@example.com@evil.example",
];

for (const [urls, want] of [[HERE, true], [ELSEWHERE, false]] as const) {
  for (const url of urls) {
    Deno.test(`isLoopback() ${want ? "knows" : "refuses"} ${url}`, () => {
      assert.equal(isLoopback(new URL(url)), want);
    });
  }
}
