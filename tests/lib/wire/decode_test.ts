import assert from "node:assert/strict";
import { createBodyReader, decodeBody } from "../../../lib/wire/decode.ts";
import { latin1Bytes } from "../../../lib/http/latin1.ts";
import { encodeBody } from "../../../lib/wire/encode.ts";
import { contextOf } from "./context.ts";

interface Case {
  contentType: string;
  /** The body: a text is encoded as UTF-8. */
  body: string | Uint8Array;
  version?: string;
  schema?: unknown;
  /** Additional fields of the Media Type Object. */
  media?: object;
  /**
   * The expected value. A regular expression is a pattern of the message for a malformed body; `undefined` means that
   * gw doesn't decode the media type.
   */
  want: unknown;
}

const string = { type: "string" };
const integer = { type: "integer" };
const integers = { type: "array", items: integer };
const form = "application/x-www-form-urlencoded";
const color = (type: object, encoding?: object) => ({
  schema: { properties: { color: type } },
  ...(encoding === undefined ? {} : { media: { encoding: { color: encoding } } }),
});
const rgb = { type: "object", properties: { R: integer, G: integer } };
const multipart = (...lines: string[]) => ["--b", ...lines, "--b--", ""].join("\r\n");

/** Every byte, as a character each, over several of the blocks in which bytes are converted. */
const BYTES = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte)).repeat(300) + "\u00ff";

const cases: Case[] = [
  // JSON
  { contentType: "application/json", body: '{"a":[1]}', want: { a: [1] } },
  { contentType: "application/merge-patch+json; charset=utf-8", body: "null", want: null },
  { contentType: "application/json", body: "{", want: /^is not JSON: .*position 1/ },
  { contentType: "application/json", body: new Uint8Array([0x22, 0xff, 0x22]), want: /^is not JSON: it is not UTF-8$/ },
  { contentType: "application/json", body: '{"__proto__": {"a": 1}}', want: JSON.parse('{"__proto__": {"a": 1}}') },
  { contentType: "application/json", body: "[".repeat(600) + "]".repeat(600), want: /^is nested more than 500 deep$/ },
  { contentType: "application/json", body: "[".repeat(100_000) + "]".repeat(100_000), want: /nested|not JSON/ },

  // XML
  { contentType: "application/xml", body: "<a><b>1</b></a>", schema: { properties: { b: integer } }, want: { b: 1 } },
  { contentType: "text/xml; charset=iso-8859-1", body: latin1Bytes("<a>é</a>"), want: "é" },
  { contentType: "text/xml", body: latin1Bytes('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'), want: "é" },
  { contentType: "text/xml", body: new Uint8Array([0xff, 0xfe, 0x3c, 0, 0x61, 0, 0x2f, 0, 0x3e, 0]), want: "" },
  { contentType: "application/xml", body: "\ufeff<a>x</a>", want: "x" },
  {
    contentType: "application/xml",
    body: "<a><b></a>",
    want: /^is not XML: unexpected close tag \(line 1, column 10\)$/,
  },
  { contentType: "application/xml", body: "", want: /^is not XML: document must contain a root element/ },
  { contentType: "application/xml", body: latin1Bytes("<a>é</a>"), want: /^is not XML: it is not UTF-8$/ },
  {
    contentType: "application/xml",
    body: '<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;">]><a>&y;</a>',
    want: /^is not XML: undefined entity/,
  },
  {
    contentType: "application/xml",
    body: '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    want: /^is not XML: undefined entity/,
  },
  { contentType: "application/xml", body: "<a>".repeat(600) + "</a>".repeat(600), want: /nested more than 500 deep/ },
  { contentType: "application/xml", body: "<a>".repeat(300_000), want: /nested more than 500 deep/ },
  {
    contentType: "application/xml",
    body: "<cat/>",
    schema: { type: "object", xml: { name: "pet" } },
    want: /^has the root element <cat>, but its schema wants <pet>$/,
  },
  { contentType: "application/xml", body: "<any/>", schema: { type: "object" }, want: {} },
  {
    contentType: "application/xml",
    body: "<a>\n  <id> 1 </id>\n  <ok>true</ok>\n  <name> x </name>\n  <tag>one</tag>\n</a>\n",
    schema: {
      properties: { id: integer, ok: { type: "boolean" }, name: string, tag: { type: "array", items: string } },
    },
    want: { id: 1, ok: true, name: " x ", tag: ["one"] },
  },
  {
    contentType: "application/xml",
    body: '<a more="1"><id>x</id><id>y</id><unknown>1</unknown></a>',
    schema: { properties: { id: integer, count: { type: "integer", xml: { attribute: true } } } },
    want: { id: ["x", "y"], unknown: "1", more: "1" },
  },
  {
    contentType: "application/xml",
    body: "<a><tags>\n<tag>x</tag>\n</tags><none/></a>",
    schema: {
      properties: {
        tags: { type: "array", xml: { wrapped: true }, items: { ...string, xml: { name: "tag" } } },
        none: { type: "array", xml: { wrapped: true }, items: string },
      },
    },
    want: { tags: ["x"], none: [] },
  },
  {
    contentType: "application/xml",
    body: '<a xmlns:p="urn:p" xmlns:q="urn:q"><q:x>wrong</q:x><p:x>right</p:x></a>',
    schema: { properties: { x: { ...string, xml: { prefix: "other", namespace: "urn:p" } } } },
    want: { x: "right" },
  },
  {
    contentType: "application/xml",
    body: '<a xmlns="urn:a" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><b xsi:nil="true"/><c/></a>',
    schema: { properties: { b: { type: ["integer", "null"] }, c: { type: ["integer", "null"] } } },
    want: { b: null, c: null },
  },
  { contentType: "application/xml", body: "<a>1<!-- no -->2<?no?>3</a>", schema: integer, want: 123 },
  {
    contentType: "application/xml",
    body: "<Documentation>\n  <![CDATA[<p>a</p>]]>\n</Documentation>",
    schema: { properties: { content: { ...string, xml: { nodeType: "cdata" } } } },
    want: { content: "<p>a</p>" },
  },
  {
    contentType: "application/soap+xml",
    body: '<s:Envelope xmlns:s="urn:s"><s:Body><n>1</n></s:Body></s:Envelope>',
    want: { Body: { n: "1" } },
  },

  {
    contentType: "application/xml",
    body: "<r>only text</r>",
    schema: { type: "array", prefixItems: [{ ...string, xml: { nodeType: "text" } }] },
    want: ["only text"],
  },
  { contentType: "application/xml", body: "<r>text</r>", schema: { type: "array", items: string }, want: "text" },
  { contentType: "application/xml", body: "<r> </r>", schema: { type: "array", items: string }, want: [] },

  // Forms
  {
    contentType: form,
    body: "id=1&name=J+D%26&id2=01&ok=true",
    schema: { properties: { id: integer, name: string, id2: string, ok: { type: "boolean" } } },
    want: { id: 1, name: "J D&", id2: "01", ok: true },
  },
  {
    contentType: form,
    body: "a=1&a=2&b=x&__proto__=y",
    want: Object.fromEntries([["a", ["1", "2"]], ["b", "x"], ["__proto__", "y"]]),
  },
  { contentType: form, body: "color=1", ...color(integers), want: { color: [1] } },
  { contentType: form, body: "color=1&color=2", ...color(integers), want: { color: [1, 2] } },
  { contentType: form, body: "color=1&color=2", ...color(integer), want: { color: ["1", "2"] } },
  { contentType: form, body: "color=1,2", ...color(integers, { explode: false }), want: { color: [1, 2] } },
  { contentType: form, body: "color=1%202", ...color(integers, { style: "spaceDelimited" }), want: { color: [1, 2] } },
  { contentType: form, body: "color=1|2", ...color(integers, { style: "pipeDelimited" }), want: { color: [1, 2] } },
  { contentType: form, body: "color=1%7C2", ...color(integers, { style: "pipeDelimited" }), want: { color: [1, 2] } },
  {
    contentType: form,
    body: "color[R]=1&color%5BG%5D=2",
    ...color(rgb, { style: "deepObject", explode: true }),
    want: { color: { R: 1, G: 2 } },
  },
  {
    contentType: form,
    body: "color[R]=1&color[G]=2&other=x",
    ...color(rgb),
    want: { color: { R: 1, G: 2 }, other: "x" },
  },
  { contentType: form, body: "R=1&G=2", ...color(rgb, { style: "form" }), want: { color: { R: 1, G: 2 } } },
  {
    contentType: form,
    body: "color=R,1,G,2",
    ...color(rgb, { style: "form", explode: false }),
    want: { color: { R: 1, G: 2 } },
  },
  { contentType: form, body: "color=%7B%22R%22%3A1%7D", ...color(rgb), want: { color: { R: 1 } } },
  { contentType: form, body: "color=red", ...color(rgb), want: { color: "red" } },
  {
    contentType: form,
    body: "color=<c><R>1</R></c>",
    ...color(rgb, { contentType: "application/xml" }),
    want: { color: { R: 1 } },
  },
  {
    contentType: form,
    body: "color=<c>",
    ...color(rgb, { contentType: "application/xml" }),
    want: /^has a field "color" that is not XML: unclosed tag/,
  },
  {
    contentType: form,
    body: "color=R,1,G",
    ...color(rgb, { style: "form", explode: false }),
    want: /^has a field "color" that must be made of names and values/,
  },
  {
    contentType: form,
    body: "items[0][price]=1&items[1][price]=2&items[1][tags][]=a",
    schema: {
      properties: {
        items: {
          type: "array",
          items: { type: "object", properties: { price: integer, tags: { type: "array", items: string } } },
        },
      },
    },
    media: { encoding: { items: { style: "deepObject", explode: true } } },
    want: { items: [{ price: 1 }, { price: 2, tags: ["a"] }] },
  },
  {
    contentType: form,
    body: "code=1234&count=42&extra=%3Cinfo%3Eabc%3C/info%3E",
    schema: {
      type: "object",
      properties: {
        code: { allOf: [{ type: ["string", "number"], pattern: "1", minimum: 0 }, { type: "string", pattern: "2" }] },
        count: integer,
        extra: { type: "object" },
      },
    },
    media: { encoding: { extra: { contentType: "application/xml" } } },
    want: { code: "1234", count: 42, extra: "abc" },
  },
  { contentType: form, body: "", want: {} },

  // Multipart
  {
    contentType: "multipart/form-data; boundary=b",
    body: multipart(
      'Content-Disposition: form-data; name="id"',
      "",
      "3",
      "--b",
      'content-disposition: form-data; name="tags"',
      "",
      "a",
      "--b",
      'Content-Disposition: form-data; name="address"',
      "Content-Type: application/json",
      "",
      '{"zip":1}',
      "--b",
      'Content-Disposition: form-data; name="plain"',
      "",
      '{"zip":2}',
    ),
    schema: {
      properties: {
        id: integer,
        tags: { type: "array", items: string },
        address: { type: "object" },
        plain: { type: "object" },
      },
    },
    want: { id: 3, tags: ["a"], address: { zip: 1 }, plain: { zip: 2 } },
  },
  {
    contentType: 'multipart/form-data; boundary="b"',
    body: latin1Bytes(multipart(
      'Content-Disposition: form-data; name="file"; filename="a.png"',
      "Content-Type: image/png",
      "",
      "\x89PNG\r\n\x00",
      "--b",
      'Content-Disposition: form-data; name="file"; filename="b.json"',
      "Content-Type: application/json",
      "",
      "{}",
    )),
    schema: { properties: { file: { type: "array", items: { type: "string", format: "binary" } } } },
    want: { file: ["\x89PNG\r\n\x00", "{}"] },
  },
  {
    contentType: "multipart/form-data; boundary=b",
    body: multipart('Content-Disposition: form-data; name="a"', "Content-Type: application/json", "", '{"b":1}'),
    schema: { properties: { a: { type: "string", contentMediaType: "application/json" } } },
    want: { a: '{"b":1}' },
  },
  {
    contentType: "multipart/form-data; boundary=b",
    body: multipart('Content-Disposition: form-data; name="a"', "", "<x><y>1</y></x>"),
    schema: { properties: { a: { properties: { y: integer } } } },
    media: { encoding: { a: { contentType: "application/xml" } } },
    want: { a: { y: 1 } },
  },
  {
    contentType: "multipart/form-data; boundary=b",
    body: multipart('Content-Disposition: form-data; name="a"', "Content-Type: application/json", "", "{"),
    want: /^has a part "a" that is not JSON/,
  },
  {
    contentType: "multipart/mixed; boundary=b",
    body: multipart(
      "Content-Type: application/json",
      "",
      '{"a":1}',
      "--b",
      "",
      "text",
      "--b",
      "Content-Type: image/png",
      "",
      "x",
    ),
    want: [{ a: 1 }, "text", "x"],
  },
  {
    contentType: "multipart/mixed; boundary=b",
    version: "3.2.0",
    body: multipart("", "1", "--b", "", "2"),
    media: { itemSchema: integer },
    want: [1, 2],
  },
  { contentType: "multipart/form-data", body: multipart("", "x"), want: /the content type has no boundary$/ },
  { contentType: "multipart/form-data; boundary=b", body: "no parts", want: /^has no parts: nowhere does it say --b$/ },
  {
    contentType: "multipart/form-data; boundary=b",
    body: "--b\r\nno headers end\r\n--b--",
    want: /^has a part 1 without an empty line/,
  },
  { contentType: "multipart/form-data; boundary=b", body: "--b--", want: {} },
  { contentType: "multipart/mixed; boundary=b", body: "--b--\r\n--b\r\n\r\nignored\r\n--b--", want: [] },
  {
    contentType: "multipart/mixed; boundary=b",
    body: multipart("", "\r\r\n--bb\r\n--b--x\r\n-b\r\n--b x\n--b"),
    want: ["\r\r\n--bb\r\n--b--x\r\n-b\r\n--b x\n--b"],
  },
  { contentType: "multipart/mixed; boundary=b", body: "--b\t \r\n\r\n1\r\n--b\r\n\r\n\r\n--b-- ", want: ["1", ""] },
  { contentType: "multipart/mixed; boundary=b", body: multipart("a: b"), want: /part 1 without an empty line/ },
  { contentType: "multipart/mixed; boundary=b", body: multipart("", "1", "--b", "a: b"), want: /part 2 without an/ },
  {
    contentType: "multipart/form-data; boundary=b",
    body: latin1Bytes(multipart('Content-Disposition: form-data; name="a"; filename="a"', "", BYTES)),
    want: { a: BYTES },
  },
  { contentType: "multipart/mixed; boundary=b", body: "ignored\r\n--b \r\n\r\n\r\n--b--\r\nignored", want: [""] },
  {
    contentType: "multipart/form-data; boundary=b.+",
    body: '--b.+\r\nContent-Disposition: form-data;\r\n name="a"\r\n\r\n--b.\r\n--b.+x\r\n--b.+--',
    want: { a: "--b.\r\n--b.+x" },
  },
  {
    contentType: "multipart/form-data; boundary=b",
    body: '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\ncut off',
    want: /^breaks off: /,
  },

  // Sequences
  { contentType: "application/x-ndjson", body: '{"a":1}\r\n\n{"a":2}', want: [{ a: 1 }, { a: 2 }] },
  { contentType: "application/jsonl", body: "1\n{\n", want: /^is not JSON in line 2: / },
  { contentType: "application/json-seq", body: '\x1e{"a":1}\n\x1e2\n', want: [{ a: 1 }, 2] },
  { contentType: "application/json-seq", body: "\x1e1\n\x1e{\n", want: /^is not JSON in record 2: / },
  {
    contentType: "text/event-stream",
    body:
      "event: addString\ndata: This data is formatted\ndata: across two lines\nretry: 5\n\nevent: addInt64\ndata: 1234\n" +
      'unknownField: this is ignored\n\n: This is a comment\nevent: addJSON\ndata: {"foo": 42}\n',
    want: [
      { event: "addString", data: "This data is formatted\nacross two lines", retry: 5 },
      { event: "addInt64", data: "1234" },
      { event: "addJSON", data: '{"foo": 42}' },
    ],
  },
  {
    contentType: "text/event-stream",
    version: "3.2.0",
    body: 'data:{"foo": 42}\r\n\r\n',
    media: { itemSchema: { type: "object", properties: { foo: integer } } },
    want: [{ foo: 42 }],
  },

  // The schema of a sequential media type may describe an item, or the whole body.
  ...["application/x-ndjson", "text/event-stream", "application/json-seq", "text/csv"].map((contentType): Case => ({
    contentType,
    body: {
      "application/x-ndjson": '{"a":1}\n',
      "text/event-stream": 'data: {"a":1}\n\n',
      "application/json-seq": '\x1e{"a":1}\n',
      "text/csv": "a\n1\n",
    }[contentType] ?? "",
    schema: { type: "object", properties: { a: integer } },
    want: [{ a: 1 }],
  })),
  ...[
    "application/x-ndjson",
    "text/event-stream",
    "application/json-seq",
    "text/csv",
    form,
    "application/yaml",
    "text/xml",
  ]
    .map((contentType): Case => ({ contentType, body: "<a><b>1</b></a>", schema: string, want: "<a><b>1</b></a>" })),
  { contentType: "application/yaml", body: "a: 1", schema: string, want: "a: 1" },

  // Text, YAML, CSV
  { contentType: "text/plain", body: "3", want: "3" },
  { contentType: "text/plain", body: "3", schema: integer, want: 3 },
  { contentType: "text/plain; charset=iso-8859-1", body: latin1Bytes("é"), want: "é" },
  { contentType: "text/plain", body: latin1Bytes("é"), want: /^is not text in UTF-8$/ },
  { contentType: "text/plain; charset=nonsense", body: "a", want: /^is not text in nonsense$/ },
  { contentType: "application/yaml", body: "a: [1, two]\n", want: { a: [1, "two"] } },
  { contentType: "application/yaml", body: "a: [1\nb: 2", want: /^is not YAML: .* \(line \d+, column \d+\)$/ },
  {
    contentType: "application/yaml",
    body: "a: &a [x,x,x,x,x,x,x,x,x]\n" +
      "bcdefgh".split("").map((key, at) => `${key}: &${key} [${`*${"abcdefgh"[at]},`.repeat(9)}]`).join("\n"),
    want: /^is not YAML: The aliases expand/,
  },
  {
    contentType: "text/csv",
    body: 'id,name\r\n1,"a ""b"", c"\r\n2,x\r\n',
    schema: { type: "array", items: { type: "object", properties: { id: integer, name: string } } },
    want: [{ id: 1, name: 'a "b", c' }, { id: 2, name: "x" }],
  },
  {
    contentType: "text/csv; header=absent",
    body: "1,2\n3,4",
    schema: { type: "array", items: integers },
    want: [[1, 2], [3, 4]],
  },
  {
    contentType: "text/csv",
    body: 'a,b,c,d\n,,,\n1,,,"[1]"\n',
    schema: {
      type: "array",
      items: { properties: { a: integer, b: { type: ["integer", "null"] }, c: string, d: integers } },
    },
    want: [{ b: null, c: "" }, { a: 1, b: null, c: "", d: [1] }],
  },
  { contentType: "text/csv", body: 'a\n"b', want: /^is not CSV: / },
  { contentType: "text/csv", body: "a,b\n1,2,3\n", want: /^is not CSV: .*line 2/ },

  // Bytes
  { contentType: "image/png", body: "x", want: undefined },
  { contentType: "application/vnd.unknown", body: "x", want: undefined },
  { contentType: "nonsense", body: "x", want: undefined },
];

for (const { contentType, body, version = "3.1.1", schema, media, want } of cases) {
  const text = typeof body === "string" ? body : `${body.length} bytes`;
  const details = [schema, media].filter((part) => part !== undefined).map((part) => JSON.stringify(part).slice(0, 60));
  Deno.test(`decodeBody() reads ${[contentType, JSON.stringify(text).slice(0, 60), ...details].join(", ")}`, async () => {
    const mediaTypeObject = { ...(schema === undefined ? {} : { schema }), ...media };
    const context = await contextOf({}, { version, mediaTypeObject });
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const decoded = await decodeBody(bytes, contentType, context);
    if (want instanceof RegExp) {
      assert.equal(decoded.kind, "malformed", JSON.stringify(decoded));
      if (decoded.kind === "malformed") assert.match(decoded.message, want);
    } else {
      assert.deepEqual(decoded, want === undefined ? { kind: "unknown" } : { kind: "value", value: want });
    }
  });
}

Deno.test("decodeBody() ends for a recursive schema with nodeType none", async () => {
  const context = await contextOf({
    Body: {
      type: "object",
      properties: {
        left: { $ref: "#/components/schemas/Part" },
        right: { $ref: "#/components/schemas/Part" },
        id: integer,
      },
    },
    Part: { xml: { nodeType: "none" }, allOf: [{ $ref: "#/components/schemas/Body" }] },
  });
  const decoded = await decodeBody(new TextEncoder().encode("<a><id>1</id><b/></a>"), "application/xml", context);
  assert.equal(decoded.kind, "value");
});

Deno.test("createBodyReader() decodes JSON and text synchronously", async () => {
  const read = createBodyReader(await contextOf({}));
  assert.deepEqual(read(new TextEncoder().encode("[1]"), "application/json"), { kind: "value", value: [1] });
  assert.deepEqual(read(new TextEncoder().encode("x"), "text/plain"), { kind: "value", value: "x" });
});

const roundTrips: { mediaType: string; schema: unknown; media?: object; value: unknown }[] = [
  {
    mediaType: "multipart/form-data",
    schema: {
      properties: {
        id: integer,
        ok: { type: "boolean" },
        name: string,
        tags: { type: "array", items: string },
        address: { type: "object" },
        people: { type: "array", items: { type: "object" } },
        file: { type: "string", format: "binary" },
        json: { type: "string", contentMediaType: "application/json" },
      },
    },
    value: {
      json: '{"a": 1}',
      id: 1,
      ok: true,
      name: "ü\r\n--part-boundary-1",
      tags: ["a"],
      address: { a: [1] },
      people: [{ a: 1 }, {}],
      file: "x",
    },
  },
  {
    mediaType: form,
    schema: {
      properties: {
        id: integer,
        name: string,
        tags: { type: "array", items: string },
        address: { type: "object" },
        ids: integers,
        rgb,
        deep: { type: "object", properties: { a: { type: "object", properties: { b: integers } } } },
      },
    },
    media: {
      encoding: {
        ids: { style: "form", explode: false },
        rgb: { style: "pipeDelimited" },
        deep: { style: "deepObject" },
      },
    },
    value: {
      id: 1,
      name: "&=+ %ü",
      tags: ["a,b", "c"],
      address: { a: { b: 1 } },
      ids: [1, 2],
      rgb: { R: 1, G: 2 },
      deep: { a: { b: [1, 2] } },
    },
  },
  {
    mediaType: "text/csv",
    schema: { type: "array", items: { properties: { a: integer, b: string } } },
    value: [{ a: 1, b: 'x,"\r\ny' }, { a: 2, b: "" }],
  },
  { mediaType: "application/yaml", schema: {}, value: { a: [1, "1", null, { b: "on" }], "1": "é\n" } },
  { mediaType: "application/x-ndjson", schema: {}, value: [{ a: "\n" }, [1], null] },
  { mediaType: "application/json-seq", schema: {}, value: [{ a: "\x1e" }, [1], null] },
  { mediaType: "text/event-stream", schema: {}, value: [{ event: "a", id: "1", data: "x\ny" }, { data: "" }] },
];

for (const { mediaType, schema, media, value } of roundTrips) {
  Deno.test(`decodeBody() reads back what encodeBody() writes as ${mediaType}`, async () => {
    const context = await contextOf({}, { mediaTypeObject: { schema, ...media } });
    const { body, contentType } = await encodeBody(value, mediaType, context, "data");
    const bytes = body instanceof Uint8Array ? body : new Uint8Array((body ?? []).flatMap((chunk) => [...chunk]));
    assert.deepEqual(await decodeBody(bytes, contentType, context), { kind: "value", value });
  });
}
