import assert from "node:assert/strict";
import { createMock, parseDocument } from "../../../mod.ts";

const NAMES = ["a\r\nX-Evil: 1", "a\nb", "a\0b", "a\u001bb", "a\u0085b", "a\u2028b", "a\u007fb"];

/** Other names that a header can't carry, or that are no tokens. They aren't errors, but must not break an answer. */
const ODD = ["ä€", "a b", "", "a\tb", "\u202ea", "a:b", '"', "\ud800"];

type Definition = Record<string, unknown>;

function responding(response: Definition, rest: Definition = {}, operation: Definition = {}): Definition {
  const responses = { "200": { description: "", ...response } };
  return {
    openapi: "3.2.0",
    info: { title: "", version: "" },
    paths: { "/x": { get: { responses, ...operation } } },
    ...rest,
  };
}

const secured = (scheme: Definition): Definition =>
  responding({}, { components: { securitySchemes: { s: scheme } }, security: [{ s: [] }] });

/** Definitions with a name at each place, and the JSON Pointer of it without the name. */
const PLACES: Readonly<Record<string, [definition: (name: string) => Definition, pointer: string]>> = {
  "media type": [(name) => responding({ content: { [`text/${name}`]: { example: "x" } } }), "/content/text~1"],
  "parameter of a media type": [
    (name) => responding({ content: { [`text/plain; a="${name}"`]: { example: "x" } } }),
    '/content/text~1plain; a="',
  ],
  "example": [
    (name) => responding({ content: { "text/plain": { examples: { [name]: { value: "x" } } } } }),
    "/examples/",
  ],
  "header of a response": [
    (name) => responding({ headers: { [`X-${name}`]: { example: "x", schema: {} } } }),
    "/headers/X-",
  ],
  "media type of a request": [
    (name) => responding({}, {}, { requestBody: { content: { [`text/${name}`]: {} } } }),
    "/content/text~1",
  ],
  "status": [
    (name) => responding({}, {}, { responses: { 200: { description: "" }, [`2${name}`]: { description: "" } } }),
    "/responses/2",
  ],
  "path": [(name) => responding({}, { paths: { [`/${name}`]: { get: {} }, "/x": { get: {} } } }), "/paths/~1"],
  "method": [
    (name) => responding({}, { paths: { "/x": { get: {}, additionalOperations: { [`M${name}`]: {} } } } }),
    "/additionalOperations/M",
  ],
  "header parameter": [(name) => responding({}, {}, { parameters: [{ name, in: "header" }] }), "/parameters/0/name"],
  "cookie": [(name) => responding({}, {}, { parameters: [{ name, in: "cookie" }] }), "/parameters/0/name"],
  "key in a header": [(name) => secured({ type: "apiKey", in: "header", name }), "/s/name"],
  "key in a cookie": [(name) => secured({ type: "apiKey", in: "cookie", name }), "/s/name"],
  "server": [(name) => responding({}, { servers: [{ url: `/${name}` }] }), "/servers/0/url"],
};

Deno.test("parseDocument() refuses names with control characters, with their places", async (t) => {
  for (const [place, [definition, pointer]] of Object.entries(PLACES)) {
    await t.step(place, async () => {
      for (const name of NAMES) {
        const { diagnostics } = await parseDocument(JSON.stringify(definition(name), undefined, 1));
        const found = diagnostics.filter(({ code, severity }) => code === "bad-name" && severity === "error");
        assert.equal(found.length, 1, JSON.stringify(name));
        assert.ok(found[0]?.pointer.includes(pointer), found[0]?.pointer ?? "");
        assert.ok(Number(found[0]?.line) > 1);
      }
      for (const name of ODD) {
        const { diagnostics } = await parseDocument(JSON.stringify(definition(name)));
        assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error"), [], JSON.stringify(name));
      }
    });
  }
});

Deno.test("parseDocument() accepts control characters in data, in names of properties and in extensions", async () => {
  const name = NAMES[0] ?? "";
  const data = { headers: { [name]: 1 }, content: { [name]: 1 }, name, in: "x", servers: [{ url: name }] };
  const definition = responding({
    content: {
      "application/json": {
        schema: { properties: { [name]: {}, headers: { properties: { [name]: {} } } }, default: data, enum: [data] },
        example: data,
      },
    },
    "x-data": { content: { [name]: {} }, parameters: [{ name, in: "query" }] },
  });
  const { diagnostics } = await parseDocument(JSON.stringify(definition));
  assert.deepEqual(diagnostics, []);
});

/** Other texts that become values of headers. */
const VALUES: Readonly<Record<string, (text: string) => Definition>> = {
  "example of a header": (text) => responding({ headers: { "X-A": { example: text, schema: {} } } }),
  "examples of a header's members": (text) =>
    responding({ headers: { "X-A": { example: { [text]: [text] }, schema: {} } } }),
  "enum of a header": (text) => responding({ headers: { "X-A": { required: true, schema: { enum: [text] } } } }),
  "content of a header": (text) =>
    responding({ headers: { "X-A": { required: true, content: { "text/plain": { example: text } } } } }),
  "serialized value": (text) =>
    responding({ headers: { "X-A": { schema: {}, examples: { a: { serializedValue: text } } } } }),
  "location": (text) => responding({ headers: { Location: { example: `/${text}`, schema: {} } } }),
  "link": (text) => responding({ headers: { Link: { example: `<${text}>`, schema: {} } } }),
  "cookie that is set": (text) => responding({ headers: { "Set-Cookie": { example: text, schema: {} } } }),
  "content type": (text) =>
    responding({
      headers: { "Content-Type": { example: text, schema: {} } },
      content: { "text/plain": { example: "x" } },
    }),
  "operationId": (text) => responding({}, {}, { operationId: text }),
  "scheme": (text) => secured({ type: "http", scheme: text }),
  "name of a scheme": (text) =>
    responding({}, {
      components: { securitySchemes: { [text]: { type: "oauth2", flows: {} } } },
      security: [{ [text]: [text] }],
    }),
};

const REQUESTS: readonly RequestInit[] = [
  {},
  { headers: { accept: "text/*" } },
  { headers: { accept: "application/x" } },
  { headers: { prefer: "code=200, example=a" } },
  { headers: { origin: "http://o" } },
  { method: "HEAD" },
  { method: "DELETE" },
  { method: "OPTIONS", headers: { origin: "http://o", "access-control-request-method": "GET" } },
];

Deno.test("createMock() answers whatever texts become parts of headers", async (t) => {
  const definitions = [
    ...Object.entries(PLACES).map(([place, [definition]]) => [place, definition] as const),
    ...Object.entries(VALUES),
  ];
  for (const [place, definition] of definitions) {
    await t.step(place, async () => {
      for (const text of [...NAMES, ...ODD]) {
        const document = await parseDocument(JSON.stringify(definition(text)));
        const options = [{}, { validate: "error" }, { asGateway: true }] as const;
        for (const mock of await Promise.all(options.map((option) => createMock(document, option)))) {
          for (const init of REQUESTS) {
            const response = await mock(new Request("http://localhost/x", init));
            await response.text();
            assert.notEqual(response.status, 500, JSON.stringify(text));
            assert.equal(response.headers.get("x-evil"), null);
          }
        }
      }
    });
  }
});
