import assert from "node:assert/strict";
import { decodeStrictly } from "../../../lib/http/decode_strictly.ts";
import { isUtf8, textEncoder } from "../../../lib/wire/charset.ts";

const TEXTS: readonly { charset: string; text: string; bytes: readonly number[] }[] = [
  { charset: "utf-8", text: "é€", bytes: [0xc3, 0xa9, 0xe2, 0x82, 0xac] },
  { charset: "iso-8859-1", text: "naïve", bytes: [0x6e, 0x61, 0xef, 0x76, 0x65] },
  { charset: "ISO-8859-2", text: "łódź", bytes: [0xb3, 0xf3, 0x64, 0xbc] },
  { charset: "iso-8859-15", text: "5 €", bytes: [0x35, 0x20, 0xa4] },
  { charset: "windows-1252", text: "“€”", bytes: [0x93, 0x80, 0x94] },
  { charset: "windows-1251", text: "да", bytes: [0xe4, 0xe0] },
  { charset: "koi8-r", text: "да", bytes: [0xc4, 0xc1] },
  { charset: "shift_jis", text: "日本ｱ\\", bytes: [0x93, 0xfa, 0x96, 0x7b, 0xb1, 0x5c] },
  { charset: "euc-jp", text: "日本", bytes: [0xc6, 0xfc, 0xcb, 0xdc] },
  { charset: "euc-kr", text: "한글", bytes: [0xc7, 0xd1, 0xb1, 0xdb] },
  { charset: "gbk", text: "中文", bytes: [0xd6, 0xd0, 0xce, 0xc4] },
  { charset: "gb2312", text: "中文", bytes: [0xd6, 0xd0, 0xce, 0xc4] },
  { charset: "big5", text: "中文", bytes: [0xa4, 0xa4, 0xa4, 0xe5] },
  { charset: "utf-16be", text: "é", bytes: [0x00, 0xe9] },
  { charset: "utf-16", text: "é", bytes: [0xff, 0xfe, 0xe9, 0x00] },
];

for (const { charset, text, bytes } of TEXTS) {
  Deno.test(`textEncoder() writes ${charset}, and decodeStrictly() reads it`, async () => {
    assert.deepEqual([...(await textEncoder(charset))(text)], bytes);
    assert.equal(decodeStrictly(new Uint8Array(bytes), { charset }), text);
    assert.equal(isUtf8(charset), charset === "utf-8");
  });
}

Deno.test("textEncoder() keeps every byte of a charset with one byte for each character", async () => {
  const every = new Uint8Array(Array.from({ length: 256 }, (_, byte) => byte));
  for (const charset of ["iso-8859-1", "windows-1252", "windows-1251", "koi8-u", "ibm866", "macintosh", "iso-8859-5"]) {
    const text = decodeStrictly(every, { charset });
    assert.ok(text !== undefined, charset);
    assert.deepEqual((await textEncoder(charset))(text), every, charset);
  }
});

Deno.test("textEncoder() writes `?` for what a charset lacks, and UTF-8 for an unknown charset", async () => {
  assert.deepEqual([...(await textEncoder("iso-8859-1"))("a😀ł")], [0x61, 0x3f, 0x3f]);
  assert.deepEqual((await textEncoder("no-such"))("é"), new TextEncoder().encode("é"));
});
