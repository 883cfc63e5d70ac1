import assert from "node:assert/strict";
import { decodeText, encodingOf } from "../../../../lib/openapi/text/decode_text.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

const YAML = 'openapi: 3.1.0\ninfo: {title: "Café 🐈", version: "1"}\npaths: {}\n';

/** Encodes a text. Numbers of `size` bytes: code units of UTF-16, or code points. */
function encode(text: string, size: 2 | 4, isLittle: boolean): Uint8Array {
  const numbers = size === 2
    ? Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
    : Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const bytes = new Uint8Array(numbers.length * size);
  const view = new DataView(bytes.buffer);
  numbers.forEach((number, index) => {
    if (size === 2) view.setUint16(index * size, number, isLittle);
    else view.setUint32(index * size, number, isLittle);
  });
  return bytes;
}

for (
  const [name, size, isLittle] of [
    ["utf-16le", 2, true],
    ["utf-16be", 2, false],
    ["utf-32le", 4, true],
    ["utf-32be", 4, false],
  ] as const
) {
  for (const mark of ["", "\ufeff"]) {
    for (const [language, text] of [["YAML", YAML], ["JSON", '{"openapi": "3.1.0", "info": {"title": "Café 🐈"}}']]) {
      Deno.test(`parseDocument() reads ${language} in ${name} ${mark === "" ? "without" : "with"} a mark`, async () => {
        const bytes = encode(mark + text, size, isLittle);
        assert.equal(encodingOf(bytes), name);
        const { root, diagnostics } = await parseDocument(bytes);
        assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error"), []);
        assert.match(JSON.stringify(root.value), /Café 🐈/);
        assert.equal(root.source.text(), text);
      });
    }
  }
}

Deno.test("parseDocument() places a problem of a text in UTF-16 by characters", async () => {
  const { diagnostics: [first] } = await parseDocument(encode('info: "🐈"\nopenapi: 9.0.0\n', 2, true));
  assert.deepEqual([first?.code, first?.line, first?.column], ["not-openapi", 2, 10]);
});

Deno.test("parseDocument() reports bytes that are no text in their encoding", async (t) => {
  const cases: Record<string, Uint8Array> = {
    "half a surrogate pair in UTF-16": encode("a: \ud83d", 2, true),
    "an odd byte in UTF-16": encode("a: b", 2, true).subarray(0, 7),
    "a code point beyond Unicode": Uint8Array.of(0x61, 0, 0, 0, 0, 0, 0x11, 0),
    "a cut code point in UTF-32": encode("a: b", 4, false).subarray(0, 14),
    "a byte that is none of UTF-8": Uint8Array.of(0x61, 0xff),
  };
  for (const [name, bytes] of Object.entries(cases)) {
    await t.step(name, async () => {
      const { diagnostics: [first] } = await parseDocument(bytes);
      assert.equal(first?.code, "invalid-utf8");
    });
  }
});

Deno.test("decodeText() decodes UTF-8, and short and empty texts", () => {
  for (const text of ["", "a", "é", "ab", YAML]) assert.equal(decodeText(new TextEncoder().encode(text)), text);
});

Deno.test("decodeText() decodes more UTF-32 than one call of String.fromCodePoint() takes", () => {
  const text = "x".repeat(300_000);
  assert.equal(decodeText(encode(text, 4, true)), text);
});
