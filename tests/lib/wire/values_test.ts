import assert from "node:assert/strict";
import { MOST_VALUES } from "../../../lib/wire/body.ts";
import { decodeBody } from "../../../lib/wire/decode.ts";
import { contextOf } from "./context.ts";

const form = "application/x-www-form-urlencoded";
const multipart = "multipart/form-data; boundary=b";
const list = { type: "array", items: {} };
const lists = { type: "object", properties: { a: list, b: list } };

/** A body of parts named `a`, with the given text and header lines. */
const parts = (texts: readonly string[], ...headers: string[]): string =>
  [
    ...texts.flatMap((text) => ["--b", 'Content-Disposition: form-data; name="a"', ...headers, "", text]),
    "--b--",
    "",
  ].join("\r\n");
/** A text that repeats a piece with a separator. */
const times = (count: number, piece: string, separator = ","): string =>
  Array(Math.ceil(count)).fill(piece).join(separator);

/** Bodies with about so many values. */
const bodies: Record<string, { contentType: string; schema?: unknown; body: (count: number) => string }> = {
  "an array": { contentType: "application/json", body: (count) => `[${times(count - 2, "1")}]` },
  "an object": {
    contentType: "application/json; charset=utf-8",
    body: (count) => `{${Array.from({ length: count - 2 }, (_, index) => `"${index}":1`).join()}}`,
  },
  "nested arrays": { contentType: "application/merge-patch+json", body: (count) => `[${times(count / 2 - 2, "[]")}]` },
  "JSON lines": { contentType: "application/x-ndjson", body: (count) => times(count / 3, "[1,2]", "\n") },
  "a JSON text sequence": { contentType: "application/json-seq", body: (count) => `\x1e${times(count, "1", "\x1e")}` },
  "an event stream": { contentType: "text/event-stream", body: (count) => times(count / 2, "data: 1", "\n\n") },
  "events of JSON": {
    contentType: "text/event-stream",
    schema: { type: "array", items: { type: "object", properties: { x: {} } } },
    body: (count) => times(count / 6, 'data: {"x":[1,2]}', "\n\n"),
  },
  "elements": { contentType: "application/xml", body: (count) => `<a>${"<b/>".repeat(count - 1)}</a>` },
  "attributes": { contentType: "text/xml", body: (count) => `<a>${'<b c="" d="" e=""/>'.repeat(count / 4 - 1)}</a>` },
  "attributes of one element": {
    contentType: "application/xml",
    body: (count) => `<a ${Array.from({ length: count - 1 }, (_, index) => `b${index}=""`).join(" ")}/>`,
  },
  "rows of CSV": { contentType: "text/csv", body: (count) => times(count / 2, "1,2", "\n") },
  "a row of CSV": { contentType: "text/csv; header=absent", body: (count) => ",".repeat(count - 1) },
  "tab-separated values": { contentType: "text/tab-separated-values", body: (count) => times(count, "1", "\t") },
  "lines of YAML": { contentType: "application/yaml", body: (count) => times(count - 1, "- 1", "\n") },
  "a line of YAML": { contentType: "application/yaml", body: (count) => `[${times(count - 2, "1")}]` },
  "JSON in a text": { contentType: "text/plain", schema: list, body: (count) => `[${times(count - 2, "1")}]` },
  "a list in a form": { contentType: form, schema: lists, body: (count) => `a=${times(count - 1, "1")}&b=1` },
  "an encoded list in a form": { contentType: form, schema: lists, body: (count) => `a=${times(count, "1", "%2C")}` },
  "JSON in a form": {
    contentType: form,
    schema: lists,
    body: (count) => `a=${encodeURIComponent(`[${times(count - 2, "1")}]`)}`,
  },
  "lists in a form": {
    contentType: form,
    schema: lists,
    body: (count) => times(100, `a=${times(count / 100, "1")}`, "&"),
  },
  "JSON in a part": {
    contentType: multipart,
    body: (count) => parts([`[${times(count - 4, "1")}]`], "Content-Type: application/json"),
  },
  "JSON in many parts": {
    contentType: multipart,
    body: (count) => parts(Array(100).fill(`[${times(count / 100 - 2, "1")}]`), "Content-Type: application/json"),
  },
  "XML in many parts": {
    contentType: multipart,
    body: (count) => parts(Array(100).fill(`<a>${"<b/>".repeat(count / 100 - 1)}</a>`), "Content-Type: text/xml"),
  },
  "JSON in parts without a type": {
    contentType: multipart,
    schema: lists,
    body: (count) => parts(Array(100).fill(`[${times(count / 100 - 2, "1")}]`)),
  },
  "a list in a part": {
    contentType: multipart,
    schema: { type: "object", properties: { a: { type: "array", items: { type: "integer" } } } },
    body: (count) => parts([times(count, "1")]),
  },
};

for (const [name, { contentType, schema, body }] of Object.entries(bodies)) {
  const formats = contentType === multipart || contentType === form ? { formats: { array: "comma" as const } } : {};
  const decode = async (count: number) =>
    await decodeBody(new TextEncoder().encode(body(count)), contentType, {
      ...await contextOf(schema === undefined ? {} : { Body: schema }),
      ...formats,
    });

  Deno.test(`decodeBody() refuses ${name} with too many values`, async () => {
    const message = `has more than ${MOST_VALUES} values`;
    const { kind, ...rest } = await decode(1.05 * MOST_VALUES);
    assert.equal(kind, "too-large");
    assert.deepEqual(rest, { message });
  });
  Deno.test(`decodeBody() reads ${name} with many values`, async () => {
    assert.equal((await decode(MOST_VALUES / 10)).kind, "value");
  });
}

Deno.test("decodeBody() counts no delimiters in texts", async (t) => {
  const text = "a, [b] {c}\n- d".repeat(MOST_VALUES);
  for (
    const { contentType, body } of [
      { contentType: "application/json", body: JSON.stringify({ a: `\\"${text}\\\\` }) },
      { contentType: "application/xml", body: `<a b="${text}">${text}</a>` },
      { contentType: "text/csv", body: `a\r\n"${text}"` },
      { contentType: "text/plain", body: text },
      { contentType: form, body: `a=${encodeURIComponent(text)}` },
      { contentType: multipart, body: parts([text]) },
    ]
  ) {
    await t.step(contentType, async () => {
      const context = await contextOf({ Body: { type: ["object", "array"], properties: { a: { type: "string" } } } });
      const schema = contentType === "text/plain" ? await contextOf({ Body: { type: "string" } }) : context;
      assert.equal((await decodeBody(new TextEncoder().encode(body), contentType, schema)).kind, "value");
    });
  }
});
