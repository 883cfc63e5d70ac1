/**
 * Definitions whose schemas share subschemas, level by level. They are a few kilobytes, but code that follows each
 * reference anew visits billions of schemas. One operation answers from such a schema, and one validates requests by
 * it.
 *
 * @module
 */
import type { JsonObject } from "../../../lib/schema/json/node.ts";

/** A definition whose schemas share subschemas, and a request for it. */
export interface SharingText {
  readonly name: string;
  readonly text: () => string;
  /** The request to `POST /a`. Default: `1`, as JSON. */
  readonly request?: {
    readonly query?: string;
    readonly headers?: Record<string, string>;
    readonly body?: () => string;
  };
}

/** The number of levels. Each level at least doubles the number of paths through the schemas. */
const LEVELS = 28;
const JSON_TYPE = "application/json";

type Part = JsonObject | boolean;

const ref = (level: number | string): JsonObject => ({ $ref: `#/components/schemas/S${level}` });

/** The schemas `S0` to `S28`: `S0` is the leaf, each other one is made from the one below. */
function levels(leaf: Part, make: (below: JsonObject, level: number) => Part, count = LEVELS): Record<string, Part> {
  const schemas: Record<string, Part> = { S0: leaf };
  for (let level = 1; level <= count; level++) schemas[`S${level}`] = make(ref(level - 1), level);
  return schemas;
}

/** The parts of a definition beside its schemas. */
interface Parts {
  readonly schemas: Record<string, Part>;
  readonly version?: string;
  /** The schema of requests and responses. Default: the schema of the highest level. */
  readonly top?: Part;
  readonly mediaType?: string;
  /** Fields to add to the Media Type Objects. Below: to the Response Object, and to both operations. */
  readonly media?: JsonObject;
  readonly response?: JsonObject;
  readonly get?: JsonObject;
  readonly post?: JsonObject;
  readonly components?: JsonObject;
  /** Whether `POST /a` has a request body. Default: yes. */
  readonly hasBody?: boolean;
}

function definition(parts: Parts): string {
  const { schemas, version = "3.1.0", mediaType = JSON_TYPE, media = {}, response = {}, hasBody = true } = parts;
  const top = parts.top ?? ref(Object.keys(schemas).filter((name) => /^S\d+$/.test(name)).length - 1);
  const content = { [mediaType]: { schema: top, ...media } };
  return JSON.stringify({
    openapi: version,
    info: { title: "Hostile", version: "1" },
    paths: {
      "/a": {
        get: {
          "x-svc": { mocking: { enabled: true, generate: true } },
          responses: { 200: { description: "", content, ...response } },
          ...parts.get,
        },
        post: {
          // Nothing listens at this upstream, so an accepted request is answered at once with an error.
          "x-svc": {
            upstream: { host: { hostname: "127.0.0.1", port: 1 } },
            validation: { request: { enabled: true } },
          },
          ...(hasBody ? { requestBody: { required: true, content } } : {}),
          responses: { 200: { description: "", content } },
          ...parts.post,
        },
      },
    },
    components: { schemas, ...parts.components },
  });
}

/** A JSON object nested `depth` times under one key: `{"a": {"a": … leaf}}`. */
function nested(key: string, depth: number, leaf: string): string {
  return `{"${key}":`.repeat(depth) + leaf + "}".repeat(depth);
}

const list = (depth: number, leaf: string): string => "[".repeat(depth) + leaf + "]".repeat(depth);
const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));
const fields = <Value>(count: number, make: (index: number) => Value): Record<string, Value> =>
  Object.fromEntries(many(count, (index) => [`p${index}`, make(index)]));

const STRING = { type: "string" };
const pairs = levels(STRING, (below) => ({ allOf: [below, below] }));
const objects = levels(
  { type: "object", properties: { a: STRING } },
  (below) => ({ allOf: [below, below], properties: { a: STRING } }),
);

export const SHARING_TEXTS: readonly SharingText[] = [
  { name: "allOf of the same twice", text: () => definition({ schemas: pairs }) },
  {
    name: "allOf of the same twice, of objects",
    text: () => definition({ schemas: objects }),
    request: { body: () => '{"a":1}' },
  },
  { name: "allOf of the same twice, in OpenAPI 3.0", text: () => definition({ schemas: pairs, version: "3.0.3" }) },
  {
    name: "allOf of the same twice, and an example that doesn't fit",
    text: () => definition({ schemas: pairs, media: { example: 1 } }),
  },
  {
    name: "allOf of the same twice, and an example of a schema on each level",
    text: () =>
      definition({ schemas: levels(STRING, (below) => ({ allOf: [below, below], examples: [1], default: 2 })) }),
  },
  {
    name: "allOf of three, 300 levels",
    text: () => definition({ schemas: levels(STRING, (below) => ({ allOf: [below, below, below] }), 300) }),
  },
  {
    name: "allOf of all schemas below",
    text: () => definition({ schemas: levels(STRING, (_, level) => ({ allOf: many(level, ref) }), 150) }),
  },
  {
    name: "allOf in a cycle",
    text: () =>
      definition({ schemas: { ...pairs, S0: { ...ref(LEVELS), type: "object", properties: { a: ref(LEVELS) } } } }),
    request: { body: () => nested("a", 20, "1") },
  },
  {
    name: "allOf of a schema and its parts",
    text: () =>
      definition({
        schemas: levels(STRING, (below) => ({ allOf: [below, { properties: { a: below } }], type: "object" })),
      }),
    request: { body: () => nested("a", LEVELS, "1") },
  },
  {
    name: "anyOf of the same twice",
    text: () => definition({ schemas: levels(STRING, (below) => ({ anyOf: [below, below] })) }),
  },
  {
    name: "anyOf of the same twice, that nothing fits",
    text: () =>
      definition({
        schemas: levels({ type: "string", minLength: 2, maxLength: 1 }, (below) => ({ anyOf: [below, below] })),
      }),
  },
  {
    name: "anyOf of two in a cycle",
    text: () =>
      definition({
        schemas: { ...levels(STRING, (below) => ({ anyOf: [below, below] })), S0: { anyOf: [ref(LEVELS), ref(14)] } },
      }),
  },
  {
    name: "oneOf of the same twice",
    text: () => definition({ schemas: levels(STRING, (below) => ({ oneOf: [below, below] })) }),
  },
  {
    name: "oneOf of two that differ",
    text: () =>
      definition({
        schemas: levels(STRING, (below, level) => ({ oneOf: [below, { allOf: [below], maxLength: level }] })),
      }),
    request: { body: () => '"abc"' },
  },
  {
    name: "anyOf, oneOf and allOf in turn",
    text: () =>
      definition({
        schemas: levels(STRING, (below, level) => ({ [["anyOf", "oneOf", "allOf"][level % 3] ?? ""]: [below, below] })),
      }),
  },
  {
    name: "not of allOf",
    text: () => definition({ schemas: levels(STRING, (below) => ({ not: { allOf: [below, below] } })) }),
  },
  {
    name: "not of anyOf",
    text: () => definition({ schemas: levels(STRING, (below) => ({ not: { anyOf: [below, below] } })) }),
  },
  {
    name: "not of the same twice by allOf",
    text: () => definition({ schemas: pairs, top: { not: ref(LEVELS) } }),
    request: { body: () => '"a"' },
  },
  {
    name: "if, then and else",
    text: () => definition({ schemas: levels(STRING, (below) => ({ if: below, then: below, else: below })) }),
  },
  {
    name: "dependentSchemas",
    text: () =>
      definition({
        schemas: levels(
          { type: "object", required: ["c"] },
          (below) => ({
            type: "object",
            properties: { a: true, b: true },
            required: ["a", "b"],
            dependentSchemas: { a: below, b: below },
          }),
        ),
      }),
    request: { body: () => '{"a":1,"b":1}' },
  },
  {
    name: "properties",
    text: () =>
      definition({ schemas: levels(STRING, (below) => ({ type: "object", properties: { a: below, b: below } })) }),
    request: { body: () => nested("a", LEVELS, "1") },
  },
  {
    name: "required properties",
    text: () =>
      definition({
        schemas: levels(
          STRING,
          (below) => ({ type: "object", properties: { a: below, b: below }, required: ["a", "b"] }),
        ),
      }),
    request: { body: () => nested("a", LEVELS, "1") },
  },
  {
    name: "properties and patterns of their names",
    text: () =>
      definition({
        schemas: levels(
          STRING,
          (below) => ({ type: "object", properties: { a: below }, patternProperties: { "^a": below, "a$": below } }),
        ),
      }),
    request: { body: () => nested("a", LEVELS, "1") },
  },
  {
    name: "items and contains",
    text: () => definition({ schemas: levels(STRING, (below) => ({ type: "array", items: below, contains: below })) }),
    request: { body: () => list(LEVELS, "1") },
  },
  {
    name: "required items",
    text: () => definition({ schemas: levels(STRING, (below) => ({ type: "array", items: below, minItems: 2 })) }),
    request: { body: () => list(LEVELS, "1") },
  },
  {
    name: "prefixItems",
    text: () =>
      definition({ schemas: levels(STRING, (below) => ({ type: "array", prefixItems: [below, below], minItems: 2 })) }),
    request: { body: () => list(LEVELS, "1") },
  },
  {
    name: "propertyNames",
    text: () =>
      definition({
        schemas: levels({ type: "string", minLength: 2 }, (below) => ({ allOf: [below, below], propertyNames: below })),
      }),
    request: { body: () => '{"a":1}' },
  },
  {
    name: "unevaluatedProperties",
    text: () =>
      definition({
        schemas: levels(
          { properties: { a: STRING } },
          (below) => ({ allOf: [below, below], unevaluatedProperties: below }),
        ),
      }),
    request: { body: () => '{"b":{"b":{"b":{"b":1}}}}' },
  },
  {
    name: "unevaluatedItems",
    text: () =>
      definition({
        schemas: levels({ prefixItems: [STRING] }, (below) => ({ allOf: [below, below], unevaluatedItems: below })),
      }),
    request: { body: () => '["a",[1,[1,[1,[1]]]]]' },
  },
  {
    name: "a schema that unevaluates what all its parts leave",
    text: () => definition({ schemas: objects, top: { ...ref(LEVELS), unevaluatedProperties: false } }),
    request: { body: () => '{"b":1}' },
  },
  {
    name: "$dynamicRef",
    text: () =>
      definition({
        schemas: levels({ $id: "http://example.com/s0", $dynamicAnchor: "a0", type: "string" }, (_, level) => ({
          $id: `http://example.com/s${level}`,
          $dynamicAnchor: `a${level}`,
          allOf: many(2, () => ({ $dynamicRef: `http://example.com/s${level - 1}#a${level - 1}` })),
        })),
        top: { $ref: `http://example.com/s${LEVELS}` },
      }),
  },
  {
    name: "$dynamicRef from one resource to all others",
    text: () =>
      definition({
        schemas: Object.fromEntries(many(12, (index) => [`S${index}`, {
          $id: `http://example.com/s${index}`,
          $dynamicAnchor: "a",
          type: "object",
          properties: fields(12, (other) => ({ $ref: `http://example.com/s${other}` })),
          additionalProperties: { $dynamicRef: "#a" },
        }])),
        top: { $ref: "http://example.com/s0" },
      }),
    request: { body: () => nested("p1", 12, '{"x":1}') },
  },
  {
    name: "properties that a direction doesn't have, by other ways",
    text: () =>
      definition({
        schemas: levels({ type: "object" }, (below, level) => ({
          anyOf: many(
            2,
            (index) => ({ properties: { [`r${level}${index}`]: { readOnly: true, writeOnly: true } }, anyOf: [below] }),
          ),
        })),
      }),
    request: { body: () => "{}" },
  },
  {
    name: "properties that may be readOnly through many allOf",
    text: () =>
      definition({
        schemas: {
          ...levels({}, (below) => ({ allOf: many(60, () => below) }), 6),
          S7: { type: "object", properties: fields(20, () => ref(6)) },
        },
        top: ref(7),
      }),
    request: { body: () => '{"p0":1}' },
  },
  {
    name: "discriminators on each level",
    text: () =>
      definition({
        schemas: levels({ type: "object", properties: { t: STRING } }, (below, level) => ({
          allOf: [below, below],
          required: ["t"],
          discriminator: {
            propertyName: "t",
            mapping: { a: `S${level - 1}`, b: `S${Math.min(LEVELS, level + 1)}`, c: `S${LEVELS}` },
          },
        })),
      }),
    request: { body: () => '{"t":1}' },
  },
  {
    name: "discriminators with branches on each level",
    text: () =>
      definition({
        schemas: levels({ type: "object", properties: { t: STRING }, required: ["t"] }, (below, level) => ({
          oneOf: [below, { allOf: [below], required: ["u"] }],
          discriminator: { propertyName: "t", mapping: { a: `S${level - 1}`, b: `S${level}` } },
        })),
      }),
    request: { body: () => '{"t":1,"u":2}' },
  },
  {
    name: "headers of a response",
    text: () =>
      definition({
        schemas: pairs,
        top: STRING,
        response: {
          headers: fields(50, (index) => ({ schema: ref(LEVELS), ...(index % 2 === 0 ? {} : { example: 1 }) })),
        },
      }),
  },
  {
    name: "headers of a response that nothing fits",
    text: () =>
      definition({
        schemas: levels(
          { type: "string", not: STRING },
          (below) => ({ anyOf: [below, { not: below }], allOf: [below] }),
        ),
        top: STRING,
        response: { headers: fields(50, () => ({ schema: ref(LEVELS) })) },
      }),
  },
  ...(["query", "header", "cookie"] as const).map((location): SharingText => ({
    name: `parameters in the ${location}`,
    text: () =>
      definition({
        schemas: pairs,
        hasBody: false,
        post: {
          parameters: many(20, (index) => ({ in: location, name: `p${index}`, schema: ref(LEVELS), example: 1 })),
        },
      }),
    request: { query: "?p0=1&p1=x", headers: { p0: "1", p1: "x", cookie: "p0=1; p1=x" }, body: () => "" },
  })),
  {
    name: "parameters of choices",
    text: () =>
      definition({
        schemas: levels({ type: "integer" }, (below) => ({ anyOf: [below, below] })),
        hasBody: false,
        post: {
          parameters: ["form", "deepObject", "spaceDelimited", "pipeDelimited"].map((style) => ({
            in: "query",
            name: style,
            style,
            schema: { type: ["array", "object"], items: ref(LEVELS), properties: { a: ref(LEVELS) } },
          })),
        },
      }),
    request: { query: "?form=a,b&deepObject[a]=x&spaceDelimited=1%202&pipeDelimited=a|b", body: () => "" },
  },
  {
    name: "parameters with content",
    text: () =>
      definition({
        schemas: pairs,
        hasBody: false,
        post: {
          parameters: many(
            20,
            (index) => ({
              in: "query",
              name: `p${index}`,
              content: { [JSON_TYPE]: { schema: ref(LEVELS), example: 1 } },
            }),
          ),
        },
      }),
    request: { query: "?p0=1&p1=2", body: () => "" },
  },
  {
    name: "examples, 500 of them",
    text: () => definition({ schemas: pairs, media: { examples: fields(500, (index) => ({ value: index })) } }),
  },
  {
    name: "examples with conditions",
    text: () =>
      definition({
        schemas: pairs,
        post: {
          "x-svc": { mocking: { enabled: true } },
          parameters: [{
            in: "query",
            name: "q",
            schema: ref(LEVELS),
            examples: fields(50, (index) => ({ value: index })),
          }],
        },
        media: {
          examples: fields(
            50,
            (index) => ({ value: "a", "x-svc": { mocking: { match: { "query.q": index, "body": index } } } }),
          ),
        },
      }),
    request: { query: "?q=1" },
  },
  {
    name: "callbacks",
    text: () =>
      definition({
        schemas: pairs,
        post: {
          callbacks: fields(
            10,
            () => ({
              "{$request.body#/url}": {
                post: {
                  requestBody: { content: { [JSON_TYPE]: { schema: ref(LEVELS), example: 1 } } },
                  responses: { 200: { description: "" } },
                },
              },
            }),
          ),
        },
      }),
  },
  {
    name: "webhooks, links and path items",
    text: () =>
      definition({
        schemas: pairs,
        response: {
          links: fields(50, () => ({ operationId: "a", parameters: { q: "$response.body#/a" }, requestBody: 1 })),
        },
        components: { pathItems: { A: { parameters: [{ in: "query", name: "a", schema: ref(LEVELS), example: 1 }] } } },
        post: { operationId: "a" },
      }),
  },
  {
    name: "forms",
    text: () =>
      definition({
        schemas: levels(STRING, (below) => ({ anyOf: [below, below] })),
        top: { type: "object", properties: fields(20, () => ref(LEVELS)) },
        mediaType: "application/x-www-form-urlencoded",
      }),
    request: { headers: { "content-type": "application/x-www-form-urlencoded" }, body: () => "p0=1&p1=a&p2=b" },
  },
  {
    name: "multipart with encodings",
    text: () =>
      definition({
        schemas: pairs,
        top: { type: "object", properties: fields(20, () => ref(LEVELS)) },
        mediaType: "multipart/form-data",
        media: {
          encoding: fields(
            20,
            () => ({ contentType: JSON_TYPE, headers: { "x-a": { schema: ref(LEVELS), example: 1 } } }),
          ),
        },
      }),
    request: {
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: () =>
        '--b\r\ncontent-disposition: form-data; name="p0"\r\ncontent-type: application/json\r\n\r\n1\r\n--b--\r\n',
    },
  },
  ...(["allOf", "anyOf"] as const).map((keyword): SharingText => ({
    name: `XML of ${keyword}`,
    text: () =>
      definition({
        schemas: levels({ type: "object", properties: { a: STRING } }, (below, level) => ({
          [keyword]: [below, below],
          xml: { name: `e${level}` },
          properties: { a: below, [`b${level}`]: { type: "array", items: below } },
        })),
        mediaType: "application/xml",
      }),
    request: {
      headers: { "content-type": "application/xml" },
      body: () => `<e28>${"<a>".repeat(12)}1${"</a>".repeat(12)}<b28><e27/></b28></e28>`,
    },
  })),
  {
    name: "CSV of choices",
    text: () =>
      definition({
        schemas: levels(STRING, (below) => ({ anyOf: [below, below] })),
        top: { type: "array", items: { type: "object", properties: fields(20, () => ref(LEVELS)) } },
        mediaType: "text/csv",
      }),
    request: { headers: { "content-type": "text/csv" }, body: () => "p0,p1\n1,a\n2,b\n" },
  },
  {
    name: "YAML aliases of allOf",
    text: () => {
      const lines = many(16, (index) => `    S${index + 1}: &s${index + 1} {allOf: [*s${index}, *s${index}]}`);
      return `openapi: 3.1.0\ninfo: {title: Hostile, version: '1'}\ncomponents:\n  schemas:\n    S0: &s0 {type: string}\n${
        lines.join("\n")
      }
paths:
  /a:
    get:
      x-svc: {mocking: {enabled: true, generate: true}}
      responses: {"200": {description: "", content: {application/json: {schema: *s16}}}}
    post:
      x-svc: {upstream: {host: {hostname: 127.0.0.1, port: 1}}, validation: {request: {enabled: true}}}
      requestBody: {content: {application/json: {schema: *s16, example: 1}}}
      responses: {"200": {description: ""}}
`;
    },
  },
  {
    name: "schemas as deep as is allowed, that share",
    text: () => {
      const deep = (levels: number): JsonObject =>
        levels === 0 ? ref(LEVELS) : { properties: { a: deep(levels - 1) }, required: ["a"] };
      return definition({ schemas: { ...pairs, T: deep(200) }, top: { $ref: "#/components/schemas/T" } });
    },
    request: { body: () => nested("a", 200, "1") },
  },
  {
    name: "a body of 1 MB against alternatives that share",
    text: () =>
      definition({
        schemas: levels({ type: "object", properties: { a: STRING } }, (below) => ({ anyOf: [below, below] })),
        top: { type: "array", items: ref(LEVELS) },
      }),
    request: { body: () => `[${many(100_000, () => '{"a":1}').join()}]` },
  },
  {
    name: "a body nested deep against a schema that goes into it twice",
    text: () =>
      definition({
        schemas: {
          S0: {
            type: ["object", "array"],
            allOf: [{ additionalProperties: ref(0) }, { additionalProperties: ref(0) }],
            items: ref(0),
            contains: ref(0),
          },
        },
      }),
    request: { body: () => nested("a", 400, "1") },
  },
  {
    name: "lists of values that are compared",
    text: () =>
      definition({
        schemas: { S0: { allOf: many(4, (index) => ({ enum: many(8_000, (value) => ({ a: value, b: index })) })) } },
      }),
    request: { body: () => '{"a":1,"b":9}' },
  },
  {
    name: "allOf of 2,000 objects with the same property",
    text: () =>
      definition({
        schemas: {
          S0: {
            allOf: many(
              2_000,
              (index) => ({
                type: "object",
                properties: { a: { type: "object", properties: { [`b${index}`]: STRING } } },
                required: ["a"],
              }),
            ),
          },
        },
      }),
    request: { body: () => '{"a":1}' },
  },
  {
    name: "allOf of 300 choices",
    text: () =>
      definition({
        schemas: {
          S0: { allOf: many(300, (index) => ({ anyOf: [{ required: [`a${index}`] }, { required: [`b${index}`] }] })) },
        },
      }),
    request: { body: () => "{}" },
  },
  {
    name: "allOf of 40 denials that depend on each other",
    text: () =>
      definition({
        schemas: {
          S0: {
            type: "object",
            allOf: many(
              40,
              (index) => ({
                not: {
                  properties: { [`a${index}`]: { const: 1 }, [`a${(index + 1) % 40}`]: { const: 2 } },
                  required: [`a${index}`],
                },
              }),
            ),
            minProperties: 30,
          },
        },
      }),
    request: { body: () => "{}" },
  },
  {
    name: "2,000 operations, each with an answer of its own that nothing fits",
    text: () => {
      const one = definition({
        schemas: levels({
          type: "object",
          required: ["a"],
          properties: { a: { type: "integer", minimum: 2, maximum: 1 } },
        }, (below) => ({ anyOf: [below, below] })),
      });
      const document = JSON.parse(one);
      for (let index = 0; index < 2_000; index++) {
        document.paths[`/b${index}`] = {
          get: {
            "x-svc": { mocking: { enabled: true, generate: true } },
            responses: {
              200: {
                description: "",
                content: { [JSON_TYPE]: { schema: { allOf: [ref(LEVELS)], title: `${index}` } } },
              },
            },
          },
        };
      }
      return JSON.stringify(document);
    },
  },
  ...([
    ["allOf", (below: JsonObject) => ({ allOf: [below] }), () => "1"],
    ["anyOf", (below: JsonObject) => ({ anyOf: [below, { type: "null" }] }), () => "1"],
    ["not", (below: JsonObject) => ({ not: below }), () => "1"],
    ["if", (below: JsonObject) => ({ if: below, then: below }), () => "1"],
    [
      "properties",
      (below: JsonObject) => ({ type: "object", properties: { a: below }, required: ["a"] }),
      () => nested("a", 400, "1"),
    ],
    ["items", (below: JsonObject) => ({ type: "array", items: below, minItems: 1 }), () => list(400, "1")],
  ] as const).map(([keyword, make, body]): SharingText => ({
    name: `a chain of 5,000 schemas by ${keyword}`,
    text: () => definition({ schemas: levels(STRING, make, 5_000) }),
    request: { body },
  })),
  {
    name: "a chain of 5,000 references",
    text: () => definition({ schemas: levels(STRING, (below) => below, 5_000), media: { example: 1 } }),
  },
  {
    name: "a body nested deep against a schema without end",
    text: () =>
      definition({
        schemas: {
          S0: {
            anyOf: [{ type: "array", items: ref(0) }, { type: "object", additionalProperties: ref(0) }, {
              type: "string",
            }],
          },
        },
      }),
    request: { body: () => list(100_000, "1") },
  },
];
