import assert from "node:assert/strict";
import { encodeBody, type EncodedBody, type ValueForm } from "../../../lib/wire/encode.ts";
import { contextOf } from "./context.ts";

interface Case {
  mediaType: string;
  value: unknown;
  form?: ValueForm;
  version?: string;
  schema?: unknown;
  /** Additional fields of the Media Type Object. */
  media?: object;
  /** The expected text of the body; a list of texts if items are sent one by one, `null` for no body. */
  want: string | string[] | null;
  /** The expected `Content-Type`. Default: the media type. */
  contentType?: string;
}

const pets = [{ name: "Puma" }, { name: "Fluffy" }];
const string = { type: "string" };
const object = { type: "object" };

const cases: Case[] = [
  // JSON
  { mediaType: "application/json", value: { a: [1, null, "é"] }, want: '{"a":[1,null,"é"]}' },
  {
    mediaType: "application/problem+json",
    value: { title: "Not Found", status: 404 },
    want: '{"title":"Not Found","status":404}',
  },
  { mediaType: "application/vnd.api+json; version=1", value: {}, want: "{}" },
  { mediaType: "text/json", value: [1], want: "[1]" },
  { mediaType: "json", value: [1], want: "[1]" },
  { mediaType: "application/json", value: null, want: "null" },
  { mediaType: "application/json", value: undefined, want: null },
  { mediaType: "application/json", value: "text", schema: string, want: '"text"' },
  { mediaType: "application/json", value: '{"a":1}', schema: string, want: '"{\\"a\\":1}"' },
  { mediaType: "application/json", value: '{ "a": 1 }', schema: object, want: '{ "a": 1 }' },
  { mediaType: "application/json", value: "[1, 2]", schema: { type: "array" }, want: "[1, 2]" },
  { mediaType: "application/json", value: "3", schema: { type: "integer" }, want: "3" },
  { mediaType: "application/json", value: "not JSON", schema: object, want: '"not JSON"' },
  { mediaType: "application/json", value: '{"a":1}', want: '{"a":1}' },
  { mediaType: "application/json", value: "3", want: '"3"' },
  { mediaType: "application/json", value: '{"a":1}', form: "data", want: '"{\\"a\\":1}"' },
  { mediaType: "application/json", value: "{ anything", form: "serialized", want: "{ anything" },

  // XML
  { mediaType: "application/xml", value: { a: 1 }, want: '<?xml version="1.0" encoding="UTF-8"?><doc><a>1</a></doc>' },
  { mediaType: "text/xml", value: "<a/>", want: "<a/>" },
  { mediaType: "application/atom+xml", value: "\n<feed/>\n", schema: string, want: "\n<feed/>\n" },
  {
    mediaType: "application/atom+xml",
    value: { title: "x" },
    want: '<?xml version="1.0" encoding="UTF-8"?><doc><title>x</title></doc>',
  },
  {
    mediaType: "application/xml",
    value: "hello",
    schema: string,
    want: '<?xml version="1.0" encoding="UTF-8"?><doc>hello</doc>',
  },
  {
    mediaType: "application/xml",
    value: "<b>",
    form: "data",
    want: '<?xml version="1.0" encoding="UTF-8"?><doc>&lt;b&gt;</doc>',
  },
  {
    mediaType: "application/xml; charset=us-ascii",
    value: "é😀",
    want: '<?xml version="1.0" encoding="us-ascii"?><doc>&#233;&#128512;</doc>',
  },

  // Text
  { mediaType: "text/plain", value: "as it is\n", want: "as it is\n" },
  { mediaType: "text/plain", value: { a: 1 }, want: '{"a":1}' },
  { mediaType: "text/plain", value: 3, want: "3" },
  { mediaType: "text/plain", value: null, want: "null" },
  { mediaType: "text/markdown", value: "# x", want: "# x" },
  { mediaType: "application/javascript", value: "x()", want: "x()" },
  { mediaType: "text/html", value: "<p>x</p>", want: "<p>x</p>" },
  {
    mediaType: "text/html",
    value: { a: "<b>" },
    want: '<!doctype html>\n<meta charset="utf-8">\n<title>Mock</title>\n<pre>{\n  "a": "&lt;b>"\n}</pre>\n',
  },

  // Forms: the examples of OpenAPI 3.2, and one for each style.
  {
    mediaType: "application/x-www-form-urlencoded",
    value: {
      id: "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
      address: { streetAddress: "123 Example Dr.", city: "Somewhere", state: "CA", zip: "99999+1234" },
    },
    schema: { properties: { id: { type: "string", format: "uuid" }, address: { type: "object", properties: {} } } },
    want: "id=f81d4fae-7dec-11d0-a765-00a0c91e6bf6&address=%7B%22streetAddress%22%3A%22123+Example+Dr.%22%2C%22city" +
      "%22%3A%22Somewhere%22%2C%22state%22%3A%22CA%22%2C%22zip%22%3A%2299999%2B1234%22%7D",
  },
  { mediaType: "application/x-www-form-urlencoded", value: { foo: "a + b", bar: true }, want: "foo=a+%2B+b&bar=true" },
  {
    mediaType: "application/x-www-form-urlencoded",
    value: { tag: ["a", "b"], none: null, "k&": "ü~" },
    want: "tag=a&tag=b&k%26=%C3%BC%7E",
  },
  {
    mediaType: "application/x-www-form-urlencoded",
    value: { extra: { info: "abc" } },
    schema: { properties: { extra: { type: "object", xml: { name: "extra" } } } },
    media: { encoding: { extra: { contentType: "application/xml" } } },
    want:
      "extra=%3C%3Fxml+version%3D%221.0%22+encoding%3D%22UTF-8%22%3F%3E%3Cextra%3E%3Cinfo%3Eabc%3C%2Finfo%3E%3C%2Fextra%3E",
  },
  {
    mediaType: "application/x-www-form-urlencoded",
    value: { id: "f81d4fae", icon: "iVBORw0KGgo=" },
    schema: { properties: { id: string, icon: { type: "string", contentEncoding: "base64url" } } },
    media: { encoding: { id: { contentType: "application/json" }, icon: { contentType: "image/png, image/jpeg" } } },
    want: "id=%22f81d4fae%22&icon=iVBORw0KGgo%3D",
  },
  ...([
    [{ style: "form" }, "color=blue&color=black", "R=100&G=200"],
    [{ style: "form", explode: false }, "color=blue,black", "color=R,100,G,200"],
    [{ explode: true }, "color=blue&color=black", "R=100&G=200"],
    [{ style: "spaceDelimited" }, "color=blue%20black", "color=R%20100%20G%20200"],
    [{ style: "pipeDelimited" }, "color=blue%7Cblack", "color=R%7C100%7CG%7C200"],
    [
      { style: "deepObject", explode: true },
      "color%5B0%5D=blue&color%5B1%5D=black",
      "color%5BR%5D=100&color%5BG%5D=200",
    ],
  ] as const).flatMap(([encoding, array, object]): Case[] => {
    const media = { encoding: { color: encoding } };
    const mediaType = "application/x-www-form-urlencoded";
    return [
      { mediaType, media, value: { color: ["blue", "black"] }, want: array },
      { mediaType, media, value: { color: { R: 100, G: 200 } }, want: object },
    ];
  }),
  {
    mediaType: "application/x-www-form-urlencoded",
    value: { url: "http://a/?b=c d&e+f" },
    media: { encoding: { url: { allowReserved: true } } },
    want: "url=http://a/?b%3Dc%20d%26e%2Bf",
  },
  { mediaType: "application/x-www-form-urlencoded", value: "a=1&b=2", schema: object, want: "a=1&b=2" },

  // Multipart: the examples of OpenAPI 3.2.
  {
    mediaType: "multipart/form-data",
    value: { id: "f81d4fae", profileImage: "bytes", addresses: [{ city: "X" }, { city: "Y" }], none: null },
    schema: {
      properties: {
        id: { type: "string", format: "uuid" },
        profileImage: {},
        addresses: { type: "array", items: { type: "object" } },
      },
    },
    contentType: "multipart/form-data; boundary=part-boundary-1",
    want: [
      "--part-boundary-1",
      'Content-Disposition: form-data; name="id"',
      "",
      "f81d4fae",
      "--part-boundary-1",
      'Content-Disposition: form-data; name="profileImage"; filename="profileImage.bin"',
      "Content-Type: application/octet-stream",
      "",
      "bytes",
      "--part-boundary-1",
      'Content-Disposition: form-data; name="addresses"',
      "Content-Type: application/json",
      "",
      '{"city":"X"}',
      "--part-boundary-1",
      'Content-Disposition: form-data; name="addresses"',
      "Content-Type: application/json",
      "",
      '{"city":"Y"}',
      "--part-boundary-1--",
      "",
    ].join("\r\n"),
  },
  {
    mediaType: "multipart/form-data",
    value: { addresses: [{ city: "X" }], 'na"me\r\n': "x", image: "<svg/>" },
    schema: { properties: { addresses: { type: "array", items: { type: "object", xml: { name: "address" } } } } },
    media: {
      encoding: {
        addresses: { contentType: "application/xml; charset=utf-8" },
        image: {
          contentType: "image/svg+xml, image/png",
          headers: {
            "X-Rate-Limit-Limit": { schema: { type: "integer", default: 60 } },
            "X-Unknown": { schema: { type: "integer" } },
            "Content-Type": { schema: { const: "ignored" } },
          },
        },
      },
    },
    contentType: "multipart/form-data; boundary=part-boundary-1",
    want: [
      "--part-boundary-1",
      'Content-Disposition: form-data; name="addresses"',
      "Content-Type: application/xml; charset=utf-8",
      "",
      '<?xml version="1.0" encoding="utf-8"?><address><city>X</city></address>',
      "--part-boundary-1",
      'Content-Disposition: form-data; name="na%22me%0D%0A"',
      "",
      "x",
      "--part-boundary-1",
      'Content-Disposition: form-data; name="image"; filename="image.svg"',
      "Content-Type: image/svg+xml",
      "X-Rate-Limit-Limit: 60",
      "",
      "<svg/>",
      "--part-boundary-1--",
      "",
    ].join("\r\n"),
  },
  {
    mediaType: "multipart/mixed",
    version: "3.2.0",
    value: [["a"], [{ x: 1 }, "text", "x"]],
    schema: {
      type: "array",
      prefixItems: [{ type: "array" }, { type: "array", prefixItems: [object, string, {}] }],
    },
    media: {
      prefixEncoding: [{}, {
        contentType: "multipart/mixed",
        prefixEncoding: [{ contentType: "application/xml" }, {}, { contentType: "text/css" }],
      }],
    },
    contentType: "multipart/mixed; boundary=part-boundary-2",
    want: [
      "--part-boundary-2",
      "Content-Type: application/json",
      "",
      '["a"]',
      "--part-boundary-2",
      "Content-Type: multipart/mixed; boundary=part-boundary-1",
      "",
      "--part-boundary-1",
      "Content-Type: application/xml",
      "",
      '<?xml version="1.0" encoding="UTF-8"?><doc><x>1</x></doc>',
      "--part-boundary-1",
      "Content-Type: text/plain",
      "",
      "text",
      "--part-boundary-1",
      "Content-Type: text/css",
      "",
      "x",
      "--part-boundary-1--",
      "",
      "--part-boundary-2--",
      "",
    ].join("\r\n"),
  },
  {
    mediaType: "multipart/mixed; boundary=own",
    version: "3.2.0",
    value: ["a", "b"],
    media: { itemSchema: string },
    want: [
      "--own\r\nContent-Type: text/plain\r\n\r\na\r\n",
      "--own\r\nContent-Type: text/plain\r\n\r\nb\r\n",
      "--own--\r\n",
    ],
  },
  {
    mediaType: "multipart/form-data",
    value: "--x y\r\n\r\n--x y--",
    contentType: "multipart/form-data; boundary=x",
    want: "--x y\r\n\r\n--x y--",
  },

  // Sequences
  { mediaType: "application/x-ndjson", value: pets, want: ['{"name":"Puma"}\n', '{"name":"Fluffy"}\n'] },
  { mediaType: "application/jsonl", value: pets[0], want: ['{"name":"Puma"}\n'] },
  { mediaType: "application/jsonl", value: '{"a": 1}\n{"a": 2}\n', want: ['{"a": 1}\n', '{"a": 2}\n'] },
  { mediaType: "application/stream+json", value: [1], want: ["1\n"] },
  { mediaType: "application/json-seq", value: pets, want: ['\x1e{"name":"Puma"}\n', '\x1e{"name":"Fluffy"}\n'] },
  { mediaType: "application/geo+json-seq", value: [1], want: ["\x1e1\n"] },
  { mediaType: "application/json-seq", value: "\x1e1\n\x1e2\n", want: ["\x1e1\n", "\x1e2\n"] },
  {
    mediaType: "text/event-stream",
    value: [{ event: "addString", data: "This data is formatted\nacross two lines", retry: 5 }, { data: "1234" }],
    want: [
      "event: addString\nretry: 5\ndata: This data is formatted\ndata: across two lines\n\n",
      "data: 1234\n\n",
    ],
  },
  { mediaType: "text/event-stream", value: pets, want: ['data: {"name":"Puma"}\n\n', 'data: {"name":"Fluffy"}\n\n'] },
  { mediaType: "text/event-stream", value: ["a", 1], want: ["data: a\n\n", "data: 1\n\n"] },
  {
    mediaType: "text/event-stream",
    value: "data: a\n\ndata: b\n\n",
    schema: string,
    want: ["data: a\n\n", "data: b\n\n"],
  },
  { mediaType: "text/event-stream", value: "text", form: "data", want: ["data: text\n\n"] },
  { mediaType: "application/x-ndjson", value: [], want: null },

  // YAML and CSV
  {
    mediaType: "application/yaml",
    value: { a: [1, "2", null, "yes"] },
    want: "a:\n  - 1\n  - '2'\n  - null\n  - 'yes'\n",
  },
  { mediaType: "application/vnd.x+yaml", value: "a: 1", want: "a: 1" },
  {
    mediaType: "text/csv",
    value: [{ a: 1, b: "x,y" }, { b: 'q"', c: null, d: [1] }],
    want: 'a,b,c,d\r\n1,"x,y",,\r\n,"q""",,[1]\r\n',
  },
  { mediaType: "text/csv; header=absent", value: [{ a: 1, b: "x" }], want: "1,x\r\n" },
  { mediaType: "text/csv", value: [[1, 2], ["x", null]], want: "1,2\r\nx,\r\n" },
  { mediaType: "text/csv", value: [1, "a\nb"], want: '1\r\n"a\nb"\r\n' },
  { mediaType: "text/csv", value: { a: 1 }, want: "a\r\n1\r\n" },
  { mediaType: "text/csv", value: "a,b\n1,2\n", schema: { type: "array" }, want: "a,b\n1,2\n" },
  { mediaType: "text/csv", value: [], want: null },
  { mediaType: "text/tab-separated-values", value: [{ a: 1, b: "x,y" }], want: "a\tb\r\n1\tx,y\r\n" },

  // Bytes
  {
    mediaType: "application/octet-stream",
    value: "raw text",
    schema: { type: "string", format: "binary" },
    want: "raw text",
  },
  {
    mediaType: "application/octet-stream",
    value: "aGVsbG8=",
    schema: { type: "string", contentEncoding: "base64" },
    want: "hello",
  },
  {
    mediaType: "application/octet-stream",
    value: "aGVsbG8_",
    schema: { type: "string", contentEncoding: "base64url" },
    want: "hello?",
  },
  {
    mediaType: "application/octet-stream",
    value: "aGVsbG8=",
    schema: { type: "string", format: "byte" },
    want: "hello",
  },
  {
    mediaType: "application/octet-stream",
    value: "not base64!",
    schema: { type: "string", format: "byte" },
    want: "not base64!",
  },
  { mediaType: "application/pdf", value: "%PDF-1.4 as written", want: "%PDF-1.4 as written" },
  { mediaType: "image/svg+xml", value: "<svg/>", form: "data", want: "<svg/>" },
  { mediaType: "image/svg+xml", value: "<svg><title>é</title></svg>", want: "<svg><title>é</title></svg>" },
  { mediaType: "text/calendar", value: "BEGIN:VCALENDAR\nSUMMARY:é", want: "BEGIN:VCALENDAR\nSUMMARY:é" },
  { mediaType: "text/calendar", value: "as written", want: "as written" },
  { mediaType: "image/png", value: "the author's own words", want: "the author's own words" },
  { mediaType: "application/vnd.unknown", value: { a: 1 }, want: '{"a":1}' },
  { mediaType: "application/vnd.unknown", value: new Uint8Array([104, 105]), want: "hi" },
  { mediaType: "application/octet-stream", value: undefined, want: null },
];

for (const { mediaType, value, form, version, schema, media, want, contentType = mediaType } of cases) {
  const name = `${mediaType}: ${JSON.stringify(value)?.slice(0, 60)}${form ? ` (${form})` : ""}`;
  const details = [schema, media].filter((part) => part !== undefined).map((part) => JSON.stringify(part).slice(0, 60));
  Deno.test(`encodeBody() writes ${[name, ...details].join(", ")}`, async () => {
    const mediaTypeObject = { ...(schema === undefined ? {} : { schema }), ...media };
    const context = await contextOf({}, { version: version ?? "3.1.1", mediaTypeObject });
    const encoded = await encodeBody(value, mediaType, context, form);
    assert.deepEqual(textOf(encoded), want);
    assert.equal(encoded.contentType, contentType);
  });
}

function textOf({ body }: EncodedBody): string | string[] | null {
  if (body === null) return null;
  return body instanceof Uint8Array
    ? new TextDecoder().decode(body)
    : body.map((chunk) => new TextDecoder().decode(chunk));
}

const files: { mediaType: string; starts: string }[] = [
  { mediaType: "image/png", starts: "\x89PNG\r\n\x1a\n" },
  { mediaType: "image/jpeg", starts: "\xff\xd8\xff" },
  { mediaType: "image/gif", starts: "GIF89a" },
  { mediaType: "image/webp", starts: "RIFF" },
  { mediaType: "image/svg+xml", starts: "<svg " },
  { mediaType: "image/bmp", starts: "BM" },
  { mediaType: "audio/wav", starts: "RIFF" },
  { mediaType: "application/pdf", starts: "%PDF-1.4\n" },
  { mediaType: "application/zip", starts: "PK\x03\x04" },
  { mediaType: "application/gzip", starts: "\x1f\x8b" },
  { mediaType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", starts: "PK\x03\x04" },
  { mediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document", starts: "PK\x03\x04" },
  { mediaType: "application/vnd.openxmlformats-officedocument.presentationml.presentation", starts: "PK\x03\x04" },
  { mediaType: "application/vnd.oasis.opendocument.text", starts: "PK\x03\x04" },
  { mediaType: "application/vnd.oasis.opendocument.spreadsheet", starts: "PK\x03\x04" },
  { mediaType: "application/epub+zip", starts: "PK\x03\x04" },
  { mediaType: "application/java-archive", starts: "PK\x03\x04" },
  { mediaType: "application/rtf", starts: "{\\rtf1" },
  { mediaType: "application/wasm", starts: "\0asm\x01\0\0\0" },
  { mediaType: "audio/mpeg", starts: "\xff" },
  { mediaType: "audio/mp4", starts: "\0\0\0\x1cftypM4A" },
  { mediaType: "audio/ogg", starts: "OggS" },
  { mediaType: "image/tiff", starts: "II*\0" },
  { mediaType: "image/avif", starts: "\0\0\0\x20ftypavif" },
  { mediaType: "text/calendar", starts: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" },
  { mediaType: "text/calendar; charset=utf-8", starts: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" },
  { mediaType: "text/vcard", starts: "BEGIN:VCARD\r\n" },
  { mediaType: "video/mp4", starts: "\0\0\0\x20ftypisom" },
  { mediaType: "video/quicktime", starts: "\0\0\0\x14ftypqt" },
  { mediaType: "video/webm", starts: "\x1a\x45\xdf\xa3" },
];

for (const { mediaType, starts } of files) {
  for (const value of [undefined, "generated", 3]) {
    Deno.test(`encodeBody() makes a small file of ${mediaType} of ${JSON.stringify(value)}`, async () => {
      const { body } = await encodeBody(value, mediaType, await contextOf({}), "data");
      assert.ok(body instanceof Uint8Array);
      assert.equal(
        new TextDecoder("latin1").decode(body.subarray(0, starts.length)),
        new TextDecoder("latin1").decode(Uint8Array.from(starts, (c) => c.charCodeAt(0))),
      );
      assert.ok(body.length < 2000);
    });
  }
}

Deno.test("encodeBody() decodes an example that is a base64 file of the media type", async () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mOwbvoGAAKvAbSJsn7VAAAAAElFTkSuQmCC";
  for (const value of [png, `data:image/png;base64,${png}`]) {
    for (const schema of [{ type: "string", format: "binary" }, { type: "string", contentEncoding: "base64" }, {}]) {
      const { body } = await encodeBody(value, "image/png", await contextOf({}, { mediaTypeObject: { schema } }));
      assert.deepEqual(body, Uint8Array.fromBase64(png));
    }
  }
});

/** Bodies, and whether they are given as text too. */
const TEXTS: readonly [mediaType: string, value: unknown, isText: boolean][] = [
  ["application/json", { name: "é€😀" }, true],
  ["application/json", { name: "\ud800" }, true],
  ["application/json; charset=UTF-8", { name: "é" }, true],
  ["text/plain", "é", true],
  ["text/plain", "\ufeffé", true],
  ["text/plain", "\ud800", false],
  ["text/plain; charset=latin1", "e", false],
  ["text/plain; charset=utf-16", "e", false],
  ["application/x-ndjson", [1, 2], false],
  ["image/png", undefined, false],
  ["application/json", undefined, false],
];

for (const [mediaType, value, isText] of TEXTS) {
  Deno.test(`encodeBody() gives ${JSON.stringify(value)} as ${mediaType} ${isText ? "" : "not "}as text`, async () => {
    const { body, text } = await encodeBody(value, mediaType, await contextOf({}), "data");
    assert.equal(text !== undefined, isText);
    if (text !== undefined) assert.deepEqual(new TextEncoder().encode(text), body);
  });
}

Deno.test("encodeBody() writes text in the charset of the media type", async () => {
  const context = await contextOf({});
  const bytesOf = async (charset: string) => (await encodeBody("é€", `text/plain; charset=${charset}`, context)).body;
  assert.deepEqual(await bytesOf("utf-8"), new Uint8Array([0xc3, 0xa9, 0xe2, 0x82, 0xac]));
  // The Encoding Standard takes ISO-8859-1 for windows-1252.
  assert.deepEqual(await bytesOf("ISO-8859-1"), new Uint8Array([0xe9, 0x80]));
  assert.deepEqual(await bytesOf("ISO-8859-5"), new Uint8Array([0x3f, 0x3f]));
  assert.deepEqual(await bytesOf("utf-16be"), new Uint8Array([0x00, 0xe9, 0x20, 0xac]));
  assert.deepEqual(await bytesOf("utf-16"), new Uint8Array([0xff, 0xfe, 0xe9, 0x00, 0xac, 0x20]));
});

Deno.test("encodeBody() writes forms that Request.formData() reads", async () => {
  const value = { name: 'ü "x"', tags: ["a", "b"], address: { zip: 1 }, file: "bytes" };
  const schema = { properties: { file: { type: "string", format: "binary" } } };
  const context = await contextOf({}, { mediaTypeObject: { schema } });
  for (const mediaType of ["multipart/form-data", "application/x-www-form-urlencoded"]) {
    const { body, contentType } = await encodeBody(value, mediaType, context, "data");
    assert.ok(body instanceof Uint8Array);
    const form = await new Response(body, { headers: { "content-type": contentType } }).formData();
    assert.equal(form.get("name"), 'ü "x"');
    assert.deepEqual(form.getAll("tags"), ["a", "b"]);
    assert.equal(form.get("address"), '{"zip":1}');
    const file = form.get("file");
    assert.equal(file instanceof File ? await file.text() : file, "bytes");
  }
});
