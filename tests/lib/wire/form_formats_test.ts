import assert from "node:assert/strict";
import fc from "fast-check";
import { runs } from "../../runs.ts";
import { createBodyReader } from "../../../lib/wire/decode.ts";
import type { ValueFormats } from "../../../lib/wire/value_format.ts";
import { contextOf } from "./context.ts";

/** The fields of a form, and the value that is read from them. */
interface Case {
  formats?: ValueFormats;
  fields: string;
  want: unknown;
  /** The Encoding Objects, by property. */
  encoding?: Record<string, unknown>;
  /** The media type for which the case is tested. Default: both, urlencoded and multipart. */
  only?: "urlencoded" | "multipart";
}

const integers = { type: "array", items: { type: "integer" } };
const address = {
  type: "object",
  properties: {
    city: { type: "string" },
    zip: { type: "integer" },
    tags: { type: "array", items: { type: "string" } },
    rooms: { type: "array", items: { $ref: "#/components/schemas/room" } },
  },
};
const oneOrMany = { type: ["array", "object"], items: { type: "integer" } };
const schemas = {
  address,
  room: { type: "object", properties: { beds: { type: "integer" }, name: { type: "string" } } },
  Body: {
    type: "object",
    properties: {
      id: { type: "integer" },
      ids: integers,
      address,
      "files[]": { type: "array" },
      any: {},
      one: oneOrMany,
    },
  },
};

const CASES: Case[] = [
  // Brackets and repeated fields are accepted in every format of the client.
  ...[undefined, "brackets", "comma", "dots"].flatMap((format): Case[] => {
    const formats = { array: format, object: format } as ValueFormats;
    return [
      { formats, fields: "ids=1&ids=2", want: { ids: [1, 2] } },
      { formats, fields: "ids[]=1&ids[]=2", want: { ids: [1, 2] } },
      { formats, fields: "ids[1]=2&ids[0]=1", want: { ids: [1, 2] } },
      { formats, fields: "id=1&ids[]=2", want: { id: 1, ids: [2] } },
      { formats, fields: "address[city]=Kiel&address[zip]=24103", want: { address: { city: "Kiel", zip: 24103 } } },
      { formats, fields: 'address={"city":"Kiel"}', want: { address: { city: "Kiel" } } },
      { formats, fields: "files[]=a&files[]=b", want: { "files[]": ["a", "b"] } },
    ];
  }),

  { formats: { array: "comma" }, fields: "ids=1,2", want: { ids: [1, 2] } },
  { formats: { array: "pipe" }, fields: "ids=1|2", want: { ids: [1, 2] } },
  { formats: { array: "space" }, fields: "ids=1 2", want: { ids: [1, 2] } },
  { formats: { array: "comma" }, fields: "one=1,2", want: { one: [1, 2] } },
  { formats: { array: "comma" }, fields: "one[a]=1", want: { one: { a: "1" } } },
  { formats: { array: "dots" }, fields: "ids.0=1&ids.1=2", want: { ids: [1, 2] } },
  { formats: {}, fields: "ids.0=1", want: { "ids.0": "1" } },
  { formats: { object: "json" }, fields: 'address={"city":"Kiel"}', want: { address: { city: "Kiel" } } },
  {
    formats: { object: "dots" },
    fields: "address.city=Kiel&address.zip=1",
    want: { address: { city: "Kiel", zip: 1 } },
  },
  {
    formats: { object: "dots", array: "brackets" },
    fields: "address.tags[]=a&address.tags[]=b&address.rooms[].beds=1&address.rooms[].name=x&address.rooms[].beds=2",
    want: { address: { tags: ["a", "b"], rooms: [{ beds: 1, name: "x" }, { beds: 2 }] } },
  },
  {
    formats: { object: "dots", array: "indices" },
    fields: "address.rooms[0].beds=1&address.rooms[0].name=x&address.rooms[1].beds=2&address.tags[0]=a",
    want: { address: { rooms: [{ beds: 1, name: "x" }, { beds: 2 }], tags: ["a"] } },
  },
  {
    fields: "address[rooms][0][beds]=1&address[rooms][1][beds]=2&address[rooms][1][name]=y&address[tags][]=a",
    want: { address: { rooms: [{ beds: 1 }, { beds: 2, name: "y" }], tags: ["a"] } },
  },
  {
    formats: { object: "flat" },
    fields: "city=Kiel&id=1",
    want: { id: 1, address: { city: "Kiel" } },
    only: "urlencoded",
  },

  // The declared style is accepted beside the client's format.
  {
    formats: { array: "brackets" },
    encoding: { ids: { style: "form", explode: false } },
    fields: "ids=1,2",
    want: { ids: [1, 2] },
  },
  {
    formats: { array: "brackets" },
    encoding: { ids: { style: "form", explode: false } },
    fields: "ids[]=1",
    want: { ids: [1] },
  },
  // The declared content type has precedence over the client's format.
  {
    formats: { object: "comma" },
    encoding: { address: { contentType: "application/json" } },
    fields: 'address={"city":"Kiel"}',
    want: { address: { city: "Kiel" } },
  },

  // Indexes determine only the order of items; gaps aren't filled.
  { fields: "ids[4000000000]=2&ids[7]=1", want: { ids: [1, 2] } },
  { fields: "ids[99999999999999999999]=2&ids[7]=1", want: { ids: [1, 2] } },
  { fields: "address[__proto__][a]=1", want: { address: JSON.parse('{ "__proto__": { "a": "1" } }') } },
  { fields: "__proto__[a]=1", want: { "__proto__[a]": "1" } },
  // Names that can't be read as a path to a property are names of undeclared properties.
  { fields: "ids[=1&ids[]x=2", want: { "ids[": "1", "ids[]x": "2" } },
  { fields: `any${"[a]".repeat(17)}=1`, want: { [`any${"[a]".repeat(17)}`]: "1" } },
];

for (const { formats, fields, want, encoding = {}, only } of CASES) {
  for (const kind of ["urlencoded", "multipart"] as const) {
    if (only !== undefined && only !== kind) continue;
    const how = `${JSON.stringify(formats ?? {})} ${JSON.stringify(encoding)}`;
    Deno.test(`${kind}: ${fields.slice(0, 120)} with ${how}`, async () => {
      const context = await contextOf(schemas, { mediaTypeObject: { encoding } });
      const read = createBodyReader({ ...context, formats });
      const { text, contentType } = kind === "urlencoded" ? urlencoded(fields) : multipart(fields);
      const decoded = await read(new TextEncoder().encode(text), contentType);
      assert.equal(decoded.kind, "value", JSON.stringify(decoded));
      assert.deepEqual(decoded.kind === "value" && decoded.value, want);
    });
  }
}

function urlencoded(fields: string): { text: string; contentType: string } {
  return { text: fields.replaceAll(" ", "%20"), contentType: "application/x-www-form-urlencoded" };
}

function multipart(fields: string): { text: string; contentType: string } {
  const parts = fields.split("&").map((field) => {
    const [name = "", value = ""] = field.split(/=(.*)/s);
    return `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  });
  return { text: `${parts.join("")}--b--`, contentType: "multipart/form-data; boundary=b" };
}

Deno.test("parts named files[] are the files of the property", async () => {
  const file = { type: "string", format: "binary" };
  const context = await contextOf({ Body: { type: "object", properties: { files: { type: "array", items: file } } } });
  const part = (name: string) =>
    `--b\r\nContent-Disposition: form-data; name="files[]"; filename="${name}"\r\n` +
    `Content-Type: application/octet-stream\r\n\r\n${name}\r\n`;
  const body = new TextEncoder().encode(`${part("a.txt")}${part("b.txt")}--b--`);
  const decoded = await createBodyReader(context)(body, "multipart/form-data; boundary=b");
  assert.deepEqual(decoded, { kind: "value", value: { files: ["a.txt", "b.txt"] } });
});

Deno.test("decodeBody() refuses a form of too many fields", async () => {
  for (const write of [urlencoded, multipart]) {
    const { text, contentType } = write(Array.from({ length: 10_001 }, () => "ids[]=1").join("&"));
    const read = createBodyReader(await contextOf(schemas));
    const decoded = await read(new TextEncoder().encode(text), contentType);
    assert.deepEqual(decoded, { kind: "malformed", message: "has more than 10000 fields" });
  }
});

Deno.test("decodeBody() refuses a body of too many parts, with and without a closing boundary", async () => {
  const read = createBodyReader(await contextOf(schemas));
  const parts = "\r\n--b\r\n\r\n1".repeat(10_001);
  for (const text of [parts, `${parts}\r\n--b--`]) {
    const decoded = await read(new TextEncoder().encode(text), "multipart/mixed; boundary=b");
    assert.deepEqual(decoded, { kind: "malformed", message: "has more than 10000 fields" });
  }
});

Deno.test("the fields of properties whose names have dots and brackets are told apart", async () => {
  const object = { type: "object" };
  const properties = { a: object, "a.b": object, "a[b]": object, ab: object };
  const read = createBodyReader({ ...await contextOf({ Body: { type: "object", properties } }) });
  const decoded = await read(
    new TextEncoder().encode("a[x]=1&a.b[x]=2&a[b][x]=3&ab[x]=4"),
    "application/x-www-form-urlencoded",
  );
  assert.deepEqual(decoded.kind === "value" && decoded.value, {
    a: { x: "1", b: { x: "3" } },
    "a.b": { x: "2" },
    "a[b]": { x: "3" },
    ab: { x: "4" },
  });
});

Deno.test("nested names of any kind are read in bounded memory", async () => {
  const deep = "[a]".repeat(16);
  const fields = Array.from({ length: 10_000 }, (_, index) => `any[${index}]${deep.slice(3)}=1`);
  const read = createBodyReader(await contextOf(schemas));
  const { text, contentType } = urlencoded(fields.join("&"));
  const decoded = await read(new TextEncoder().encode(text), contentType);
  assert.equal(decoded.kind, "value");
  assert.equal(Object.keys((decoded.kind === "value" ? decoded.value : {}) as object).join(), "any");
});

Deno.test("decodeBody() doesn't throw for any form", async () => {
  const context = await contextOf(schemas);
  const fields = fc.string({
    unit: fc.constantFrom("ids", "address", "any", "[", "]", ".", "=", "&", "0", "city", "|"),
  });
  const arrays = fc.constantFrom(undefined, "repeat", "comma", "space", "pipe", "brackets", "indices", "dots");
  const objects = fc.constantFrom(undefined, "flat", "comma", "space", "pipe", "brackets", "dots", "json");
  const isRead = fc.asyncProperty(fields, arrays, objects, async (fields, array, object) => {
    const read = createBodyReader({ ...context, formats: { array, object } as ValueFormats });
    for (const write of [urlencoded, multipart]) {
      const { text, contentType } = write(fields);
      const decoded = await read(new TextEncoder().encode(text), contentType);
      if (decoded.kind === "value") await decoded.otherwise?.();
    }
  });
  await fc.assert(isRead, runs(200));
});
