import assert from "node:assert/strict";
import { loadFormats } from "../../../lib/schema/format.ts";

const formats = await loadFormats();
/** The characters of a body of 16 MiB, the limit of a request to a mocked operation. */
const MOST = 16 * 1024 * 1024;
const base64 = "AbC/".repeat(MOST / 4);

const cases: { format: string; texts: Record<string, string>; want: boolean }[] = [
  {
    format: "byte",
    texts: { empty: "", padded: "YQ==", short: "YWI=", lines: "YWJj\r\nYWJj\r\nYQ==\r\n", long: base64 },
    want: true,
  },
  {
    format: "byte",
    texts: { letter: "A", url: "a-_b", middle: "YQ==YQ==", three: "Y===", space: "YWJj YWJj", last: `${base64}A===` },
    want: false,
  },
  { format: "base64url", texts: { empty: "", digits: "a-_b", long: "aB-_".repeat(MOST / 4) }, want: true },
  { format: "sf-binary", texts: { empty: "::", long: `:${base64}:` }, want: true },
  {
    format: "sf-string",
    texts: { empty: '""', escapes: String.raw`"a\"b\\"`, long: `"${String.raw`a\"`.repeat(MOST / 4)}"` },
    want: true,
  },
  {
    format: "sf-string",
    texts: {
      open: '"',
      bare: '"a"b"',
      escape: String.raw`"\a"`,
      end: String.raw`"\"`,
      control: '"\n"',
      last: `"${"a".repeat(MOST)}\\"`,
    },
    want: false,
  },
  {
    format: "uri",
    texts: {
      file: `data:image/png;base64,${base64}`,
      path: `http://user@a.example:80/${"a/%41".repeat(MOST / 5)}`,
      fragment: `http://a.example/${"a".repeat(MOST)}#b?/`,
    },
    want: true,
  },
  {
    format: "uri",
    texts: {
      relative: `/${"a".repeat(MOST)}`,
      space: `http://a.example/${"a".repeat(MOST)} `,
      escape: `http://a.example/${"a".repeat(MOST)}%4`,
      fragments: `http://a.example/${"a".repeat(MOST)}#a#b`,
      host: `http://${"a".repeat(MOST)}`,
    },
    want: false,
  },
  { format: "uri-reference", texts: { path: `/${"a".repeat(MOST)}`, query: `?${base64}` }, want: true },
  {
    format: "iri",
    texts: { file: `data:image/png;base64,${base64}`, path: `http://é.example/${"é".repeat(1e6)}` },
    want: true,
  },
];

for (const { format, texts, want } of cases) {
  for (const [name, text] of Object.entries(texts)) {
    Deno.test(`format ${format} ${want ? "accepts" : "refuses"} ${name}`, () => {
      assert.equal(formats.get(format)?.accepts(text), want);
    });
  }
}
