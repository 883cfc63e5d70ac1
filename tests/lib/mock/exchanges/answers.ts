/** Rows for the choice of an answer: status, example or generated body, headers. */
import { MOCKED, type Row } from "./row.ts";
import { GATEWAYS, WITH_SETTINGS } from "./users.ts";

export const json = (media: unknown): Record<string, unknown> => ({ content: { "application/json": media } });
export const ok = (media: unknown): Record<string, unknown> => ({ get: { responses: { "200": json(media) } } });
const responses = (responses: Record<string, unknown>): Record<string, unknown> => ({ "/a": { get: { responses } } });
const STRING = { schema: { type: "string", const: "made" } };
const OFF = { mocking: { enabled: true } };

const ignoresPreferences = { users: GATEWAYS, why: "A gateway ignores preferences: they are for developers." };
const generatesNothing = { users: GATEWAYS, why: "A gateway generates bodies only with mocking.generate: true." };
const onlyLocal = { users: ["createMock"], why: "A gateway ignores preferences: they are for developers." } as const;

const STATUS: readonly Row[] = [
  {
    name: "status: the lowest exact 2xx code",
    paths: responses({ "404": {}, "204": {}, "201": json({ example: 1 }), "2XX": {}, default: {} }),
    exchanges: [{ ask: "GET /a", status: 201, json: 1, source: "example", has: { "x-svc-mocked": "true" } }],
  },
  {
    name: "status: a number as the key of a response",
    paths: { "/a": { get: { responses: { 202: {} } } } },
    exchanges: [{ ask: "GET /a", status: 202 }],
  },
  {
    name: "status: a reference to a response",
    paths: responses({ "200": { $ref: "#/components/responses/R" } }),
    root: { components: { responses: { R: { description: "R", ...json({ example: "r" }) } } } },
    exchanges: [{ ask: "GET /a", status: 200, json: "r" }],
  },
  ...[
    { name: "only 4xx and 5XX", found: { "404": {}, "5XX": {} }, says: ["404, 5XX"] },
    { name: "2XX alone", found: { "2XX": {} }, says: ["2XX"] },
    { name: "default alone", found: { default: {} }, says: ["default"] },
    { name: "only 3xx", found: { "302": {} }, says: ["302"] },
    { name: "no responses", found: {}, says: ["no responses"] },
  ].map(({ name, found, says }): Row => ({
    name: `status: ${name} is a 501 that lists what it found`,
    paths: { "/a": { get: { operationId: "getA", responses: found } } },
    exchanges: [{
      ask: "GET /a",
      status: 501,
      says: ["getA", ...says],
      source: "problem",
      has: { "content-type": "application/problem+json", "x-svc-mocked": "true" },
    }],
  })),
  ...[
    {
      name: "2XX as 200, before default",
      found: { default: json({ example: 0 }), "2xx": json({ example: 2 }) },
      want: 2,
    },
    { name: "default as 200", found: { "404": {}, default: json({ example: 0 }) }, want: 0 },
    { name: "2XX before 3xx", found: { "302": {}, "2XX": json({ example: 2 }) }, want: 2 },
  ].map(({ name, found, want }): Row => ({
    name: `status: with any status, ${name}`,
    paths: responses(found),
    options: { anyStatus: true },
    only: { users: WITH_SETTINGS, why: "A deployment has no such setting." },
    exchanges: [{ ask: "GET /a", status: 200, json: want }],
  })),
  {
    name: "status: with any status, the lowest 3xx with its Location, before default",
    paths: responses({
      "307": {},
      "302": { headers: { Location: { schema: { type: "string" }, example: "/b" } } },
      default: json({ example: 0 }),
    }),
    options: { anyStatus: true },
    only: { users: WITH_SETTINGS, why: "A deployment has no such setting." },
    exchanges: [{ ask: "GET /a", status: 302, has: { location: "/b" } }],
  },
  {
    name: "status: a response without content has neither a body nor a type",
    paths: responses({ "200": {} }),
    exchanges: [
      { ask: "GET /a", status: 200, text: "", source: "status", has: { "content-type": null, "x-svc-mocked": "true" } },
    ],
  },
  {
    name: "status: 204 has no body, although its response has content",
    paths: responses({ "204": json({ example: 1 }) }),
    exchanges: [{ ask: "GET /a", status: 204, text: "", has: { "content-type": null } }],
  },
  {
    name: "status: 205 has no body, although its response has content",
    paths: responses({ "205": json({ example: 1 }) }),
    exchanges: [{ ask: "GET /a", status: 205, text: "", has: { "content-type": null } }],
  },
  {
    name: "status: empty content is like none",
    paths: responses({ "200": { content: {} } }),
    exchanges: [{ ask: "GET /a", status: 200, text: "", has: { "content-type": null } }],
  },
];

const PREFERRED: readonly Row[] = [
  {
    name: "Prefer: a code that the operation declares",
    paths: responses({ "200": json({ example: "yes" }), "404": json({ example: "no" }) }),
    exchanges: [{
      ask: "GET /a",
      headers: { prefer: "code=404" },
      status: 404,
      json: "no",
      has: { "preference-applied": "code=404", "x-svc-mocked": "true" },
      but: [{ ...ignoresPreferences, status: 200, json: "yes", has: { "preference-applied": null } }],
    }],
  },
  {
    name: "Prefer: a code by query",
    paths: responses({ "200": {}, "404": {} }),
    exchanges: [{
      ask: "GET /a?x=1&__code=404",
      status: 404,
      has: { "preference-applied": "code=404" },
      but: [{ ...ignoresPreferences, status: 200, has: { "preference-applied": null } }],
    }],
  },
  {
    name: "Prefer: the header goes before the query",
    paths: responses({ "200": {}, "404": {}, "500": {} }),
    only: onlyLocal,
    exchanges: [{ ask: "GET /a?__code=404", headers: { prefer: "code=500" }, status: 500 }],
  },
  {
    name: "Prefer: a code that a range describes",
    paths: responses({ "200": {}, "4XX": json({ example: "range" }) }),
    only: onlyLocal,
    exchanges: [{ ask: "GET /a", headers: { prefer: "code=418" }, status: 418, json: "range" }],
  },
  {
    name: "Prefer: a code that default describes",
    paths: responses({ "200": {}, default: json({ example: "default" }) }),
    only: onlyLocal,
    exchanges: [{ ask: "GET /a", headers: { prefer: "code=503" }, status: 503, json: "default" }],
  },
  {
    name: "Prefer: a code that isn't there is a problem with that status",
    paths: responses({ "200": {}, "201": {} }),
    exchanges: [{
      ask: "GET /a",
      headers: { prefer: "code=503" },
      status: 503,
      says: ["Service Unavailable", "no response 503", "200, 201"],
      source: "problem",
      has: {
        "content-type": "application/problem+json",
        "x-svc-mocked": "true",
        "preference-applied": "code=503",
      },
      but: [{ ...ignoresPreferences, status: 200, says: [], source: "status", has: { "preference-applied": null } }],
    }],
  },
  ...[204, 205, 304].map((code): Row => ({
    name: `Prefer: a code ${code} that isn't there has no body`,
    paths: responses({ "200": {} }),
    only: onlyLocal,
    exchanges: [{
      ask: "GET /a",
      headers: { prefer: `code=${code}` },
      status: code,
      text: "",
      has: { "content-type": null, "preference-applied": `code=${code}` },
    }],
  })),
  {
    name: "Prefer: a code that is none is ignored",
    paths: responses({ "200": {} }),
    exchanges: [{ ask: "GET /a", headers: { prefer: "code=abc" }, status: 200, has: { "preference-applied": null } }],
  },
  {
    name: "Prefer: a named example",
    paths: { "/a": ok({ examples: { x: { value: "x" }, y: { value: "y" } } }) },
    exchanges: [{
      ask: "GET /a",
      headers: { prefer: 'example="y"' },
      status: 200,
      json: "y",
      source: "examples.y",
      has: { "preference-applied": "example=y" },
      but: [{ ...ignoresPreferences, json: "x", source: "examples.x", has: { "preference-applied": null } }],
    }],
  },
  {
    name: "Prefer: an example that isn't there is a 404 that lists those that are",
    paths: { "/a": ok({ examples: { x: { value: 1 }, y: { value: 2 } } }) },
    exchanges: [{
      ask: "GET /a?__example=z",
      status: 404,
      says: ["no example z", "x, y"],
      but: [{ ...ignoresPreferences, status: 200, says: [], json: 1 }],
    }],
  },
  {
    name: "Prefer: dynamic goes before examples",
    paths: { "/a": ok({ example: "example", ...STRING }) },
    exchanges: [{
      ask: "GET /a",
      headers: { prefer: "dynamic=true" },
      status: 200,
      json: "made",
      source: "generated",
      has: { "preference-applied": "dynamic=true" },
      but: [{ ...ignoresPreferences, json: "example", source: "example", has: { "preference-applied": null } }],
    }],
  },
  {
    name: "Prefer: the size of arrays",
    paths: { "/a": ok({ schema: { type: "array", items: { const: 1 } } }) },
    only: onlyLocal,
    exchanges: [{
      ask: "GET /a",
      headers: { prefer: "array-size=5" },
      status: 200,
      json: [1, 1, 1, 1, 1],
      has: { "preference-applied": "array-size=5" },
    }],
  },
];

const BODY: readonly Row[] = [
  ...[
    { uri: "data:text/plain;base64,YSDDqQ==", type: "text/plain", text: "a é" },
    { uri: "data:,a%20%C3%A9", type: "text/plain", text: "a é" },
  ].map(({ uri, type, text }): Row => ({
    name: `body: the bytes of ${uri}, without reading anything else`,
    paths: responses({ "200": { content: { [type]: { examples: { one: { externalValue: uri } } } } } }),
    exchanges: [{ ask: "GET /a", status: 200, text, has: { "content-type": type } }],
  })),
  ...[
    { written: "text/plain; charset=utf-8", type: "text/plain; charset=utf-8" },
    { written: 'text/plain;profile="a b"', type: 'text/plain;profile="a b"' },
    { written: "no type", type: "text/plain" },
    { written: 7, type: "text/plain" },
  ].map(({ written, type }): Row => ({
    name: `body: the content type of an example, ${JSON.stringify(written)}`,
    paths: responses({
      "200": {
        content: {
          "text/plain": { examples: { one: { value: "é", "x-svc": { mocking: { contentType: written } } } } },
        },
      },
    }),
    exchanges: [{ ask: "GET /a", status: 200, text: "é", has: { "content-type": type } }],
  })),
  {
    name: "body: example goes before examples",
    paths: { "/a": ok({ example: "one", examples: { x: { value: "two" } } }) },
    exchanges: [{ ask: "GET /a", status: 200, json: "one", source: "example" }],
  },
  {
    name: "body: the first of examples",
    paths: { "/a": ok({ examples: { x: { value: "x" }, y: { value: "y" } } }) },
    exchanges: [{ ask: "GET /a", status: 200, json: "x", source: "examples.x" }],
  },
  {
    name: "body: a reference to an example",
    paths: { "/a": ok({ examples: { x: { $ref: "#/components/examples/E" } } }) },
    root: { components: { examples: { E: { value: "e" } } } },
    exchanges: [{ ask: "GET /a", status: 200, json: "e" }],
  },
  ...[null, false, 0, "", [], {}].map((value): Row => ({
    name: `body: ${JSON.stringify(value)} is an example`,
    paths: { "/a": ok({ example: value, schema: {} }) },
    exchanges: [{ ask: "GET /a", status: 200, text: JSON.stringify(value), source: "example" }],
  })),
  {
    name: "body: examples are served where no media type has a schema",
    paths: { "/a": ok({ example: { a: 1 } }) },
    exchanges: [{ ask: "GET /a", status: 200, json: { a: 1 } }],
  },
  {
    name: "body: a schema alone is generated from",
    paths: { "/a": ok(STRING) },
    exchanges: [{ ask: "GET /a", status: 200, json: "made", source: "generated" }],
  },
  {
    name: "body: a schema alone, without mocking.generate",
    paths: { "/a": ok(STRING) },
    settings: OFF,
    exchanges: [{
      ask: "GET /a",
      status: 200,
      json: "made",
      source: "generated",
      but: [{ ...generatesNothing, json: undefined, text: "", source: "status", has: { "content-type": null } }],
    }],
  },
  {
    name: "body: the same body for the same request",
    paths: { "/a": ok({ schema: { type: "object", required: ["n"], properties: { n: { const: 7 } } } }) },
    exchanges: [{ ask: "GET /a", status: 200, json: { n: 7 } }, { ask: "GET /a", status: 200, json: { n: 7 } }],
  },
  {
    name: "body: a schema of the response direction has no writeOnly property",
    paths: {
      "/a": ok({
        schema: {
          type: "object",
          required: ["a", "b"],
          properties: { a: { const: 1 }, b: { type: "string", writeOnly: true } },
        },
      }),
    },
    exchanges: [{ ask: "GET /a", status: 200, json: { a: 1 } }],
  },
  {
    name: "body: a schema that contradicts itself is a 500 with its pointer",
    paths: { "/a": ok({ schema: { type: "integer", minimum: 3, maximum: 2 } }) },
    exchanges: [
      {
        ask: "GET /a",
        status: 500,
        says: ["/paths/~1a/get/responses/200/content/application~1json/schema"],
        has: { "x-svc-mocked": "true" },
      },
    ],
  },
  {
    name: "body: an integer beyond 2^53 keeps its digits in a string example",
    paths: { "/a": ok({ example: "9007199254740993" }) },
    exchanges: [{ ask: "GET /a", status: 200, text: '"9007199254740993"' }],
  },
  {
    name: "body: XML of an object",
    paths: {
      "/a": { get: { responses: { "200": { content: { "application/xml": { example: { a: 1, b: ["x"] } } } } } } },
    },
    exchanges: [{
      ask: "GET /a",
      status: 200,
      says: ["<doc>", "<a>1</a>"],
      has: { "content-type": "application/xml" },
    }],
  },
  {
    name: "body: XML of an array has an item for each entry",
    paths: { "/a": { get: { responses: { "200": { content: { "application/xml": { example: [1, 2] } } } } } } },
    exchanges: [{ ask: "GET /a", status: 200, says: ["<item>1</item>", "<item>2</item>"] }],
  },
  {
    name: "body: XML by the schema's XML Object",
    paths: {
      "/a": {
        get: {
          responses: {
            "200": {
              content: {
                "application/vnd.a+xml": {
                  example: { id: 7 },
                  schema: { type: "object", xml: { name: "pet" }, properties: { id: { xml: { attribute: true } } } },
                },
              },
            },
          },
        },
      },
    },
    exchanges: [{ ask: "GET /a", status: 200, says: ['<pet id="7"'] }],
  },
  {
    name: "body: text is a string as it is",
    paths: { "/a": { get: { responses: { "200": { content: { "text/plain": { example: "Tom" } } } } } } },
    exchanges: [{ ask: "GET /a", status: 200, text: "Tom", has: { "content-type": "text/plain" } }],
  },
  {
    name: "body: any other value as text is JSON",
    paths: { "/a": { get: { responses: { "200": { content: { "text/plain": { example: { a: 1 } } } } } } } },
    exchanges: [{ ask: "GET /a", status: 200, text: '{"a":1}' }],
  },
  {
    name: "body: items of a stream, one by one",
    paths: {
      "/a": {
        get: { responses: { "200": { content: { "text/event-stream": { example: "data: 1\n\ndata: 2\n\n" } } } } },
      },
    },
    exchanges: [{ ask: "GET /a", status: 200, says: ["data: 1", "data: 2"] }],
  },
];

const HEADERS: readonly Row[] = [
  {
    name: "headers: from their example, else their schema",
    paths: responses({
      "200": {
        headers: {
          "X-Example": { example: "e", schema: { type: "string" } },
          "X-Examples": { examples: { one: { value: [1, 2] } }, schema: { type: "array" } },
          "X-Schema": { schema: { type: "string", const: "s" } },
          "X-Object": { schema: { type: "object" }, example: { a: 1, b: 2 } },
          "X-Exploded": { schema: { type: "object" }, explode: true, example: { a: 1, b: 2 } },
          "X-Ref": { $ref: "#/components/headers/H" },
          "X-Content": { content: { "application/json": { example: { a: 1 } } } },
          "X-Odd": { schema: { type: "string" }, example: "caf\u00e9\r\nx: y" },
        },
      },
    }),
    root: { components: { headers: { H: { schema: { type: "integer" }, example: 3 } } } },
    exchanges: [{
      ask: "GET /a",
      status: 200,
      has: {
        "x-svc-mocked": "true",
        "x-example": "e",
        "x-examples": "1,2",
        "x-schema": "s",
        "x-object": "a,1,b,2",
        "x-exploded": "a=1,b=2",
        "x-ref": "3",
        "x-content": '{"a":1}',
        "x-odd": "caf%C3%A9%0D%0Ax: y",
      },
    }],
  },
  {
    name: "headers: those that describe the message are never taken from the definition",
    paths: responses({
      "200": {
        headers: {
          "Content-Length": { schema: { type: "integer" }, example: 7 },
          "X-Svc-Mocked": { schema: { type: "string" }, example: "no" },
        },
        ...json({ example: [1] }),
      },
    }),
    exchanges: [{ ask: "GET /a", status: 200, text: "[1]", has: { "content-length": null, "x-svc-mocked": "true" } }],
  },
  {
    name: "headers: a response without a body has the declared ones",
    paths: responses({ "204": { headers: { "X-A": { schema: { const: "a" } } } } }),
    exchanges: [{ ask: "GET /a", status: 204, has: { "x-a": "a", "x-svc-mocked": "true" } }],
  },
  {
    name: "headers: the standard value of ETag, Location, Retry-After",
    paths: responses({
      "200": {
        headers: { "Retry-After": { schema: { type: "integer" } }, "Cache-Control": { schema: { type: "string" } } },
        ...json({ example: 1 }),
      },
    }),
    exchanges: [{ ask: "GET /a", status: 200, has: { "retry-after": "30", "cache-control": "no-cache" } }],
  },
  {
    name: "headers: a deprecated operation says so",
    paths: { "/a": { get: { deprecated: true, responses: { "200": json({ example: 1 }) } } } },
    exchanges: [{ ask: "GET /a", status: 200, has: { deprecation: "true" } }],
  },
  {
    name: "headers: a deprecated operation says so without a body",
    paths: { "/a": { get: { deprecated: true, responses: { "204": {} } } } },
    exchanges: [{ ask: "GET /a", status: 204, has: { deprecation: "true" } }],
  },
  {
    name: "headers: a problem of a deprecated operation says so, and that it is mocked",
    paths: { "/a": { get: { deprecated: true, responses: { "200": json({ example: 1 }) } } } },
    exchanges: [{
      ask: "GET /a",
      headers: { accept: "a/b" },
      status: 406,
      has: { deprecation: "true", "x-svc-mocked": "true", "content-type": "application/problem+json" },
    }],
  },
  {
    name: "headers: the media type as written",
    paths: {
      "/a": {
        get: { responses: { "200": { content: { "Application/JSON; Charset=utf-8": { example: 1 } } } } },
      },
    },
    exchanges: [{
      ask: "GET /a",
      headers: { accept: "application/json" },
      status: 200,
      has: { "content-type": "Application/JSON; Charset=utf-8" },
    }],
  },
];

const PARAMETER = (schema: unknown): Record<string, unknown> => ({ name: "id", in: "path", required: true, schema });

const MATCHES: readonly Row[] = [
  {
    name: "match: by each part of a request",
    paths: {
      "/a/{id}": {
        post: {
          parameters: [PARAMETER({ type: "string" })],
          requestBody: { content: { "application/json": { schema: { type: "object" } } } },
          responses: {
            "200": json({
              examples: {
                other: { value: "other" },
                path: { value: "path", "x-svc": { mocking: { match: { "path.id": "7" } } } },
                query: { value: "query", "x-svc": { mocking: { match: { "query.kind": "cat" } } } },
                header: { value: "header", "x-svc": { mocking: { match: { "header.x-kind": "cat" } } } },
                cookie: { value: "cookie", "x-svc": { mocking: { match: { "cookie.kind": "cat" } } } },
                body: { value: "body", "x-svc": { mocking: { match: { "body./kind": "cat" } } } },
                whole: { value: "whole", "x-svc": { mocking: { match: { body: { all: true } } } } },
              },
            }),
          },
        },
      },
    },
    exchanges: [
      { ask: "POST /a/1", send: {}, status: 200, json: "other", source: "examples.other" },
      { ask: "POST /a/7", send: {}, status: 200, json: "path", source: "examples.path" },
      { ask: "POST /a/1?kind=cat", send: {}, status: 200, json: "query" },
      { ask: "POST /a/1", send: {}, headers: { "x-kind": "cat" }, status: 200, json: "header" },
      { ask: "POST /a/1", send: {}, headers: { cookie: "kind=cat" }, status: 200, json: "cookie" },
      { ask: "POST /a/1", send: { kind: "cat" }, status: 200, json: "body", source: "examples.body" },
      { ask: "POST /a/1", send: { all: true }, status: 200, json: "whole" },
      { ask: "POST /a/1", send: { kind: "dog" }, status: 200, json: "other" },
      { ask: "POST /a/1", send: '{"kind": ', status: 200, json: "other" },
      { ask: "POST /a/1", status: 200, json: "other" },
    ],
  },
  {
    name: "match: by a form's field",
    paths: {
      "/a": {
        post: {
          requestBody: {
            content: {
              "application/x-www-form-urlencoded": {
                schema: { type: "object", properties: { kind: { type: "string" } } },
              },
            },
          },
          responses: {
            "200": json({
              examples: {
                other: { value: "other" },
                cat: { value: "cat", "x-svc": { mocking: { match: { "body./kind": "cat" } } } },
              },
            }),
          },
        },
      },
    },
    exchanges: [
      {
        ask: "POST /a",
        send: "kind=cat",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        status: 200,
        json: "cat",
      },
      {
        ask: "POST /a",
        send: "kind=dog",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        status: 200,
        json: "other",
      },
    ],
  },
  {
    name: "match: an example of another status",
    paths: {
      "/a": {
        post: {
          requestBody: { content: { "application/json": { schema: {} } } },
          responses: {
            "201": json({ example: "made" }),
            "409": json({
              examples: { taken: { value: "taken", "x-svc": { mocking: { match: { "body./name": "taken" } } } } },
            }),
          },
        },
      },
    },
    exchanges: [
      { ask: "POST /a", send: { name: "free" }, status: 201, json: "made" },
      { ask: "POST /a", send: { name: "taken" }, status: 409, json: "taken" },
    ],
  },
  {
    name: "match: an example with conditions is no default where another has none",
    paths: {
      "/a": ok({
        examples: {
          tenant: { value: "acme's", "x-svc": { mocking: { match: { "header.x-tenant": "acme" } } } },
          anyone: { value: "anyone's" },
        },
      }),
    },
    exchanges: [
      { ask: "GET /a", status: 200, json: "anyone's", source: "examples.anyone" },
      { ask: "GET /a", headers: { "x-tenant": "acme" }, status: 200, json: "acme's" },
    ],
  },
  {
    name: "match: an example with conditions is the default where all have some",
    paths: {
      "/a": ok({
        examples: { tenant: { value: "acme's", "x-svc": { mocking: { match: { "header.x-tenant": "acme" } } } } },
      }),
    },
    exchanges: [{ ask: "GET /a", status: 200, json: "acme's" }],
  },
  {
    name: "match: the most conditions win",
    paths: {
      "/a": ok({
        examples: {
          none: { value: "none" },
          one: { value: "one", "x-svc": { mocking: { match: { "query.a": "1" } } } },
          two: { value: "two", "x-svc": { mocking: { match: { "query.a": "1", "query.b": "2" } } } },
        },
      }),
    },
    exchanges: [
      { ask: "GET /a?a=1&b=2", status: 200, json: "two" },
      { ask: "GET /a?a=1", status: 200, json: "one" },
      { ask: "GET /a?b=2", status: 200, json: "none" },
    ],
  },
  {
    name: "match: a parameter that has an example of the same name",
    paths: {
      "/a/{id}": {
        get: {
          parameters: [{ ...PARAMETER({ type: "integer" }), examples: { two: { value: 2 } } }],
          responses: { "200": json({ examples: { one: { value: "one" }, two: { value: "two" } } }) },
        },
      },
    },
    exchanges: [
      { ask: "GET /a/2", status: 200, json: "two", source: "examples.two" },
      { ask: "GET /a/3", status: 200, json: "one" },
    ],
  },
  {
    name: "match: a preference goes before the conditions",
    paths: {
      "/a": ok({
        examples: {
          none: { value: "none" },
          one: { value: "one", "x-svc": { mocking: { match: { "query.a": "1" } } } },
        },
      }),
    },
    exchanges: [{
      ask: "GET /a?a=1",
      headers: { prefer: "example=none" },
      status: 200,
      json: "none",
      but: [{ ...ignoresPreferences, json: "one" }],
    }],
  },
];

const ACTIONS: readonly Row[] = [
  {
    name: "action: an operation without mocking",
    paths: { "/a": { get: { "x-svc": { mocking: { enabled: false } }, responses: { "200": json({ example: 1 }) } } } },
    settings: MOCKED,
    exchanges: [{
      ask: "GET /a",
      status: 200,
      json: 1,
      but: [
        { users: ["gw mock --as-gateway"], why: "It has no upstream.", status: 501, json: undefined },
        { users: ["the embedded gateway"], why: "No upstream is set.", status: 503, json: undefined },
        { users: ["the mocks of a cluster"], why: "The gateway has its upstream.", status: 503, json: undefined },
      ],
    }],
  },
  {
    name: "action: a disabled operation is hidden, even where a template would match",
    paths: {
      "/a": { get: { "x-svc": { disabled: true }, responses: { "200": {} } } },
      "/{id}": { parameters: [PARAMETER({ type: "string" })], ...ok({ example: 1 }) },
    },
    exchanges: [{
      ask: "GET /a",
      status: 404,
      but: [{ users: ["createMock"], why: "A developer's mock answers every operation.", status: 200, text: "" }],
    }, { ask: "GET /b", status: 200, json: 1 }],
  },
  {
    name: "action: a redirect keeps the query",
    paths: {
      "/a": {
        get: {
          "x-svc": { redirect: { scheme: "https", host: "other", path: "/b", response_code: 308 } },
          responses: { "200": {} },
        },
      },
    },
    exchanges: [{
      ask: "GET /a?x=1",
      status: 308,
      has: { location: "https://other/b?x=1" },
      but: [{ users: ["createMock"], why: "A developer's mock answers every operation.", status: 200, has: {} }],
    }],
  },
];

export const ANSWERS: readonly Row[] = [
  ...STATUS,
  ...PREFERRED,
  ...BODY,
  ...HEADERS,
  ...MATCHES,
  ...ACTIONS,
];
