import assert from "node:assert/strict";
import { createChecker, type Definition, validationOf, violationsOf } from "./support.ts";

const pet = {
  type: "object",
  required: ["id", "name"],
  properties: {
    id: { type: "integer", readOnly: true },
    name: { type: "string" },
    secret: { type: "string", writeOnly: true },
    items: { type: "array", items: { type: "object", properties: { price: { type: "number" } } } },
  },
};

const json = { "content-type": "application/json" };

function bodyOf(content: Record<string, unknown>, more: Record<string, unknown> = {}): Definition {
  return { operation: { requestBody: { content, ...more } } };
}

const PET = bodyOf({ "application/json": { schema: pet } });

const CASES: {
  name: string;
  definition?: Definition;
  headers?: Record<string, string>;
  body?: BodyInit;
  want?: string[];
  status?: number;
}[] = [
  { name: "a body as it should be", headers: json, body: '{"name":"Tom","secret":"fish"}' },
  { name: "no body where none is required" },
  { name: "an empty body where none is required", headers: json, body: "" },
  { name: "no body", definition: bodyOf(contentOf(pet), { required: true }), want: ["body: required"], status: 422 },
  {
    name: "an empty body",
    definition: bodyOf(contentOf(pet), { required: true }),
    headers: json,
    body: "",
    want: ["body: required"],
    status: 422,
  },
  {
    name: "no body where it is required, but not described",
    definition: bodyOf({ "text/plain": {} }, { required: true }),
    want: ["body: required"],
    status: 422,
  },
  { name: "a missing property", headers: json, body: "{}", want: ["body: required"], status: 422 },
  {
    name: "a wrong value deep inside",
    headers: json,
    body: '{"name":"Tom","items":[{},{},{},{"price":"4"}]}',
    want: ["body/items/3/price: type"],
    status: 422,
  },
  {
    name: "several wrong values",
    headers: json,
    body: '{"name":1,"items":2}',
    want: ["body/name: type", "body/items: type"],
    status: 422,
  },
  {
    name: "a property that only responses have",
    headers: json,
    body: '{"name":"Tom","id":1}',
    want: ["body/id: readOnly"],
    status: 422,
  },
  { name: "no JSON", headers: json, body: "{name: Tom}", want: ["body: malformed"], status: 400 },
  { name: "no UTF-8", headers: json, body: new Uint8Array([0x22, 0xff, 0x22]), want: ["body: malformed"], status: 400 },
  { name: "JSON after a byte order mark", headers: json, body: '\ufeff{"name":"Tom"}' },
  {
    name: "a parameter of the media type",
    headers: { "content-type": "application/JSON; charset=utf-8" },
    body: "{}",
    want: ["body: required"],
  },
  {
    name: "another media type",
    headers: { "content-type": "text/plain" },
    body: "Tom",
    want: ["body: unsupported-media-type"],
    status: 415,
  },
  {
    name: "something that is no media type",
    headers: { "content-type": "json" },
    body: "{}",
    want: ["body: unsupported-media-type"],
    status: 415,
  },
  {
    name: "a media type with the suffix of another",
    headers: { "content-type": "application/pet+json" },
    body: "{}",
    want: ["body: unsupported-media-type"],
    status: 415,
  },
  { name: "no media type: the first is meant", body: new TextEncoder().encode("{}"), want: ["body: required"] },
  {
    name: "another media type, but no body",
    headers: { "content-type": "text/plain", "content-length": "0" },
    body: "",
  },
  {
    name: "a range",
    definition: bodyOf({ "application/*": { schema: false }, "*/*": {} }),
    headers: { "content-type": "text/plain" },
    body: "x",
  },
  {
    name: "the most specific range",
    definition: bodyOf({ "*/*": {}, "application/*": {}, "application/json": { schema: pet } }),
    headers: json,
    body: "{}",
    want: ["body: required"],
  },
  {
    name: "the media type whose parameters agree",
    definition: bodyOf({ "application/json": {}, "application/json;v=2": { schema: pet }, "application/json;v=3": {} }),
    headers: { "content-type": 'application/json; v="2"' },
    body: "{}",
    want: ["body: required"],
  },
  {
    name: "a suffix",
    definition: bodyOf({ "application/pet+json": { schema: pet } }),
    headers: { "content-type": "application/pet+json" },
    body: "{}",
    want: ["body: required"],
  },
  { name: "a body without schema", definition: bodyOf({ "application/json": {} }), headers: json, body: "{" },
  {
    name: "a schema that refers to nothing",
    definition: bodyOf({ "application/json": { schema: { type: "nonsense", pattern: "(" } } }),
    headers: json,
    body: '"x"',
  },
  {
    name: "a body that isn't described",
    definition: { method: "POST", operation: {} },
    headers: { "content-length": "2" },
    body: "{}",
    want: ["body: unsupported-media-type"],
    status: 415,
  },
  { name: "no body where none is described", definition: { method: "POST", operation: {} } },
  {
    name: "a body in a coding",
    headers: { ...json, "content-encoding": "gzip" },
    body: await gzip("{}"),
    want: ["body: required"],
  },
  {
    name: "a body in two codings",
    headers: { ...json, "content-encoding": "gzip, gzip" },
    body: await gzip(await gzip("{}")),
    want: ["body: required"],
  },
  {
    name: "a body in a coding that can't be undone",
    headers: { ...json, "content-encoding": "br" },
    body: "{}",
    want: ["body: unsupported-media-type"],
    status: 415,
  },
  {
    name: "a body that is small only in its coding",
    headers: { ...json, "content-encoding": "gzip" },
    body: await gzip(" ".repeat(11 << 20)),
    want: ["body: too-large"],
    status: 413,
  },
  {
    name: "a body of too many values",
    headers: json,
    body: JSON.stringify(Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`key${index}`, 1]))),
    want: ["body: too-large"],
    status: 413,
  },
  {
    name: "a body in a coding that it isn't in",
    headers: { ...json, "content-encoding": "gzip" },
    body: "{}",
    want: ["body: malformed"],
    status: 400,
  },
];

for (const { name, definition = PET, want = [], status, ...request } of CASES) {
  Deno.test(`a request body: ${name}`, async () => {
    assert.deepEqual(await violationsOf(definition, request), want);
    if (status !== undefined) assert.equal((await validationOf(definition, request)).error?.status, status);
  });
}

/** Bodies of other media types for the same schema: a valid one, one with a wrong value, a malformed one. */
const toy = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", minLength: 2 },
    price: { type: "number" },
    tags: { type: "array", items: { type: "integer" } },
  },
};
const MEDIA: {
  mediaType: string;
  contentType?: string;
  content?: unknown;
  right: string;
  wrong: string;
  at?: string;
  broken?: string;
}[] = [
  {
    mediaType: "application/x-www-form-urlencoded",
    right: "name=Top&price=2.5&tags=1&tags=2",
    wrong: "name=Top&price=x",
    at: "body/price: type",
  },
  {
    mediaType: "multipart/form-data",
    contentType: "multipart/form-data; boundary=b",
    right:
      '--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nTop\r\n--b\r\ncontent-disposition: form-data; name="price"\r\n\r\n2.5\r\n--b--\r\n',
    wrong:
      '--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nTop\r\n--b\r\ncontent-disposition: form-data; name="price"\r\n\r\nx\r\n--b--\r\n',
    at: "body/price: type",
    broken: "name=Top",
  },
  {
    mediaType: "application/xml",
    right: "<toy><name>Top</name><price>2.5</price><tags>1</tags></toy>",
    wrong: "<toy><name>Top</name><price>x</price></toy>",
    at: "body/price: type",
    broken: "<toy>",
  },
  {
    // By its type alone, the text could belong to several branches of the schema. The other elements decide which it
    // is.
    mediaType: "application/xml",
    content: {
      schema: {
        type: "object",
        required: ["parts"],
        properties: {
          parts: { type: "array", items: toy, readOnly: true },
          toy: { oneOf: [toy, { type: "object", required: ["code"], properties: { code: { type: "string" } } }] },
        },
      },
    },
    right: "<a><toy><code>12</code></toy></a>",
    wrong: "<a><toy><code>12</code></toy><parts><name>Top</name></parts></a>",
    at: "body/parts: readOnly",
  },
  {
    mediaType: "application/yaml",
    right: "name: Top\ntags: [1, 2]",
    wrong: "name: Top\ntags: [1, x]",
    at: "body/tags/1: type",
    broken: "name: [",
  },
  {
    mediaType: "application/vnd.toy+json",
    right: '{"name":"Top"}',
    wrong: '{"name":2}',
    at: "body/name: type",
    broken: "{",
  },
  { mediaType: "text/plain", content: { schema: { type: "integer" } }, right: "42", wrong: "Top", at: "body: type" },
  {
    mediaType: "application/x-ndjson",
    content: { itemSchema: toy },
    right: '{"name":"Top"}\n{"name":"Car"}\n',
    wrong: '{"name":"Top"}\n{"name":1}\n',
    at: "body/1/name: type",
    broken: "{",
  },
];

for (const { mediaType, contentType = mediaType, content = { schema: toy }, right, wrong, at, broken } of MEDIA) {
  Deno.test(`a request body of ${mediaType} is checked by its schema`, async () => {
    const definition = { openapi: "3.2.0", ...bodyOf({ [mediaType]: content }) };
    const headers = { "content-type": contentType };
    assert.deepEqual(await violationsOf(definition, { headers, body: right }), []);
    assert.deepEqual(await violationsOf(definition, { headers, body: wrong }), [at]);
    if (broken === undefined) return;
    assert.deepEqual(await violationsOf(definition, { headers, body: broken }), ["body: malformed"]);
  });
}

Deno.test("the check of a sequence bounds the number of violations", async () => {
  const definition = { openapi: "3.2.0", ...bodyOf({ "application/x-ndjson": { itemSchema: { type: "object" } } }) };
  const headers = { "content-type": "application/x-ndjson" };
  const violations = await violationsOf(definition, { headers, body: "{}\n".repeat(10) + "2\n".repeat(150) });
  assert.equal(violations.length, 100);
  assert.equal(violations.at(-1), "body/109: type");
});

Deno.test("JSON that is nested too deep is a violation and doesn't throw", async () => {
  const definition = bodyOf(
    contentOf({
      $ref: "#/paths/~1/post/requestBody/content/application~1json/schema/$defs/list",
      $defs: {
        list: {
          type: "array",
          items: { $ref: "#/paths/~1/post/requestBody/content/application~1json/schema/$defs/list" },
        },
      },
    }),
  );
  const body = "[".repeat(100_000) + "]".repeat(100_000);
  assert.deepEqual(await violationsOf(definition, { headers: json, body }), ["body: malformed"]);
});

Deno.test("a message names the property and says what it must be", async () => {
  const { violations } = await validationOf(PET, { headers: json, body: '{"name":"Tom","items":[{"price":"4"}]}' });
  assert.deepEqual(violations, [{
    location: ["body", "items", "0", "price"],
    severity: "Error",
    code: "type",
    message: "Request body property items.0.price must be number.",
  }]);
});

Deno.test("a body above the limit is refused without being read", async () => {
  const check = await createChecker(PET, { maxBody: 10 });
  assert.ok(check);
  const told = new Request("http://localhost/", {
    method: "POST",
    headers: { ...json, "content-length": "11" },
    body: "{}",
  });
  assert.equal((await check(told)).error?.status, 413);
  assert.equal(told.bodyUsed, false);
  let pulled = 0;
  const endless = new ReadableStream({
    pull(controller) {
      pulled++;
      controller.enqueue(new TextEncoder().encode("     "));
    },
  });
  const untold = new Request("http://localhost/", { method: "POST", headers: json, body: endless });
  assert.equal((await check(untold)).error?.status, 413);
  assert.ok(pulled < 10, `read ${pulled} chunks`);
});

Deno.test("the bytes that a check reads are left to its caller", async () => {
  const check = await createChecker(PET);
  const body: { bytes?: Uint8Array } = {};
  const text = '{"name":"Tom"}';
  await check?.(new Request("http://localhost/", { method: "POST", headers: json, body: text }), body);
  assert.equal(new TextDecoder().decode(body.bytes), text);
});

Deno.test("a body that breaks off is a violation and doesn't throw", async () => {
  const check = await createChecker(PET);
  const broken = new ReadableStream({ start: (controller) => controller.error(new Error("connection reset")) });
  const validation = await check?.(new Request("http://localhost/", { method: "POST", headers: json, body: broken }));
  assert.deepEqual(validation?.violations.map(({ message }) => message), [
    "Request body could not be read: connection reset.",
  ]);
});

function contentOf(schema: unknown): Record<string, unknown> {
  return { "application/json": { schema } };
}

async function gzip(text: BlobPart): Promise<ArrayBuffer> {
  return await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
}
