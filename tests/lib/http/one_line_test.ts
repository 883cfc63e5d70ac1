import assert from "node:assert/strict";
import { escapeControls, hasControls, oneLine } from "../../../lib/http/one_line.ts";

const TEXTS: readonly { text: string; line: string; has: boolean }[] = [
  { text: "", line: "", has: false },
  { text: "GET /pets ~", line: "GET /pets ~", has: false },
  { text: "café ☃ 😀", line: "café ☃ 😀", has: false },
  { text: "a\tb", line: "a b", has: false },
  { text: "a\nb\r\n", line: "a\ufffdb\ufffd\ufffd", has: false },
  { text: "a\rb", line: "a\ufffdb", has: true },
  { text: "\x1b[31mred\x7f", line: "\ufffd[31mred\ufffd", has: true },
  { text: "a\x85b\u2028c\u202ed", line: "a\ufffdb\ufffdc\ufffdd", has: true },
];

Deno.test("oneLine() replaces what breaks or reorders a line, and hasControls() finds it", () => {
  for (const { text, line, has } of TEXTS) {
    assert.equal(oneLine(text), line, JSON.stringify(text));
    assert.equal(hasControls(text), has, JSON.stringify(text));
    assert.equal(JSON.parse(escapeControls(JSON.stringify(text))), text);
  }
});
