/** The rules of mocking as a client observes them: requests and responses for each of the numbered rules. */
import assert from "node:assert/strict";
import { createMock } from "../../../lib/mock/mock.ts";
import { createResponder } from "../../../lib/mock/responder.ts";
import type { MockOptions } from "../../../lib/mock/mock_server.ts";
import { type Document, parseDocument } from "../../../lib/openapi/document.ts";

interface Case {
  name: string;
  /** Path Items by path, each as an object or in YAML flow style. */
  paths: Record<string, unknown>;
  /** Additional fields of the OpenAPI Object. */
  root?: Record<string, unknown>;
  options?: MockOptions;
  /** The request line. Default: `GET /a`. */
  request?: string;
  headers?: Record<string, string>;
  status: number;
  /** Expected headers; `null` for a header that must be absent. */
  has?: Record<string, string | null>;
  /** The expected body: as text if it is a string, else as JSON. */
  body?: unknown;
  /** Texts that the body must contain. */
  says?: string[];
  source?: string;
}

const json = (content: unknown): Record<string, unknown> => ({ content: { "application/json": content } });
const ok = (content: unknown): Record<string, unknown> => ({ get: { responses: { "200": json(content) } } });
const mocked = { "x-svc": { mocking: { enabled: true } } };
const STRING = { schema: { type: "string", const: "made" } };

const cases: Case[] = [
  // Rule 2, status: the lowest exact code from 200 to 299.
  {
    name: "the lowest exact 2xx code is answered",
    paths: {
      "/a": { get: { responses: { "404": {}, "204": {}, "201": json({ example: 1 }), "2XX": {}, default: {} } } },
    },
    status: 201,
    body: 1,
    source: "example",
  },
  { name: "a code may be a number in YAML", paths: { "/a": { get: { responses: { 202: {} } } } }, status: 202 },
  {
    name: "a response may be a reference",
    paths: { "/a": { get: { responses: { "200": { $ref: "#/components/responses/R" } } } } },
    root: { components: { responses: { R: json({ example: "r" }) } } },
    status: 200,
    body: "r",
  },

  // Rule 3: operations without an exact 2xx code.
  {
    name: "an operation with only 4xx is a 501 that lists its responses",
    paths: { "/a": { get: { operationId: "getA", responses: { "404": {}, "5XX": {} } } } },
    status: 501,
    has: { "content-type": "application/problem+json" },
    says: ["getA", "404, 5XX", "--any-status"],
    source: "problem",
  },
  { name: "an operation with 2XX alone is a 501", paths: { "/a": { get: { responses: { "2XX": {} } } } }, status: 501 },
  {
    name: "an operation with default alone is a 501",
    paths: { "/a": { get: { responses: { default: {} } } } },
    status: 501,
  },
  {
    name: "an operation without responses is a 501",
    paths: { "/a": { get: {} } },
    status: 501,
    says: ["no responses"],
  },
  {
    name: "any status: 2XX is answered as 200",
    paths: { "/a": { get: { responses: { default: json({ example: 0 }), "2xx": json({ example: 2 }) } } } },
    options: { anyStatus: true },
    status: 200,
    body: 2,
  },
  {
    name: "any status: default is answered as 200",
    paths: { "/a": { get: { responses: { "404": {}, default: json({ example: 0 }) } } } },
    options: { anyStatus: true },
    status: 200,
    body: 0,
  },

  {
    name: "any status: the lowest 3xx is answered with its Location, before default",
    paths: {
      "/a": {
        get: {
          responses: {
            "307": {},
            "302": { headers: { Location: { example: "/b" } } },
            default: json({ example: 0 }),
          },
        },
      },
    },
    options: { anyStatus: true },
    status: 302,
    has: { location: "/b" },
  },
  {
    name: "any status: 2XX goes before 3xx",
    paths: { "/a": { get: { responses: { "302": {}, "2XX": json({ example: 2 }) } } } },
    options: { anyStatus: true },
    status: 200,
    body: 2,
  },

  {
    name: "an example with conditions is no default where another has none",
    paths: {
      "/a": ok({
        examples: {
          tenant: { value: "acme's", "x-svc": { mocking: { match: { "header.x-tenant": "acme" } } } },
          anyone: { value: "anyone's" },
        },
      }),
    },
    status: 200,
    body: "anyone's",
    source: "examples.anyone",
  },
  {
    name: "an example with conditions is the default where all have some",
    paths: {
      "/a": ok({
        examples: { tenant: { value: "acme's", "x-svc": { mocking: { match: { "header.x-tenant": "acme" } } } } },
      }),
    },
    status: 200,
    body: "acme's",
  },

  // Rule 4: `Prefer: code`.
  {
    name: "a code that the client prefers is answered",
    paths: { "/a": { get: { responses: { "200": {}, "404": json({ example: "no" }) } } } },
    headers: { prefer: "code=404" },
    status: 404,
    has: { "preference-applied": "code=404", "x-svc-mocked": "true" },
    body: "no",
  },
  {
    name: "a code by query",
    paths: { "/a": { get: { responses: { "200": {}, "404": {} } } } },
    request: "GET /a?x=1&__code=404",
    status: 404,
    has: { "preference-applied": "code=404" },
  },
  {
    name: "the header goes before the query",
    paths: { "/a": { get: { responses: { "200": {}, "404": {}, "500": {} } } } },
    request: "GET /a?__code=404",
    headers: { prefer: "code=500" },
    status: 500,
  },
  {
    name: "a preferred code may be described by its range",
    paths: { "/a": { get: { responses: { "200": {}, "4XX": json({ example: "range" }) } } } },
    headers: { prefer: "code=418" },
    status: 418,
    body: "range",
  },
  {
    name: "a preferred code may be described by default",
    paths: { "/a": { get: { responses: { "200": {}, default: json({ example: "default" }) } } } },
    headers: { prefer: "code=503" },
    status: 503,
    body: "default",
  },
  {
    name: "a preferred code that isn't there is a problem with that status",
    paths: { "/a": { get: { responses: { "200": {}, "201": {} } } } },
    headers: { prefer: "code=503" },
    status: 503,
    has: {
      "content-type": "application/problem+json",
      "x-svc-mocked": "true",
      "preference-applied": "code=503",
    },
    says: ["Service Unavailable", "no response 503", "200, 201"],
    source: "problem",
  },
  {
    name: "a code that a query prefers and that isn't there is a problem with that status",
    paths: { "/a": { get: { responses: { "200": {} } } } },
    request: "GET /a?__code=302",
    status: 302,
    has: { "content-type": "application/problem+json", "preference-applied": "code=302" },
    says: ["Found", "no response 302"],
  },
  ...[204, 205, 304].map((code): Case => ({
    name: `a preferred code ${code} that isn't there has no body`,
    paths: { "/a": { get: { responses: { "200": {} } } } },
    headers: { prefer: `code=${code}` },
    status: code,
    has: { "content-type": null, "preference-applied": `code=${code}` },
    body: "",
    source: "status",
  })),
  {
    name: "a preferred code that is none is ignored",
    paths: { "/a": { get: { responses: { "200": {} } } } },
    headers: { prefer: "code=abc" },
    status: 200,
    has: { "preference-applied": null },
  },

  // Rule 5: responses without `content`.
  {
    name: "a response without content is a status alone",
    paths: { "/a": { get: { responses: { "200": { description: "nothing" } } } } },
    status: 200,
    has: { "content-type": null, "content-length": null },
    body: "",
    source: "status",
  },
  {
    name: "204 has no body, although its response has content",
    paths: { "/a": { get: { responses: { "204": json({ example: 1 }) } } } },
    status: 204,
    body: "",
  },

  // Rule 6: examples, but no schema.
  {
    name: "examples are served where there is no schema",
    paths: { "/a": ok({ example: { a: 1 } }) },
    status: 200,
    body: { a: 1 },
  },

  // Rule 7: the body.
  {
    name: "example goes before examples",
    paths: { "/a": ok({ example: "one", examples: { x: { value: "two" } } }) },
    status: 200,
    body: "one",
    source: "example",
  },
  {
    name: "the first of examples is answered",
    paths: { "/a": ok({ examples: { x: { value: "x" }, y: { value: "y" } } }) },
    status: 200,
    body: "x",
    source: "examples.x",
  },
  {
    name: "an example may be a reference",
    paths: { "/a": ok({ examples: { x: { $ref: "#/components/examples/E" } } }) },
    root: { components: { examples: { E: { value: "e" } } } },
    status: 200,
    body: "e",
  },
  {
    name: "an example that the client prefers is answered",
    paths: { "/a": ok({ example: 0, examples: { x: { value: "x" }, y: { value: "y" } } }) },
    headers: { prefer: 'example="y"' },
    status: 200,
    has: { "preference-applied": "example=y" },
    body: "y",
    source: "examples.y",
  },
  {
    name: "an example that isn't there is a 404 problem that lists those that are",
    paths: { "/a": ok({ examples: { x: { value: 1 }, y: { value: 2 } } }) },
    request: "GET /a?__example=z",
    status: 404,
    says: ["no example z", "x, y"],
  },
  { name: "null is an example", paths: { "/a": ok({ example: null }) }, status: 200, body: null },
  { name: "false is an example", paths: { "/a": ok({ example: false, ...STRING }) }, status: 200, body: false },
  {
    name: "a body is made where there is no example",
    paths: { "/a": ok(STRING) },
    status: 200,
    body: "made",
    source: "generated",
  },
  {
    name: "dynamic goes before examples",
    paths: { "/a": ok({ example: "example", ...STRING }) },
    headers: { prefer: "dynamic=true" },
    status: 200,
    has: { "preference-applied": "dynamic=true" },
    body: "made",
    source: "generated",
  },
  {
    name: "a schema that contradicts itself is a 500 problem with its pointer",
    paths: { "/a": ok({ schema: { type: "integer", minimum: 3, maximum: 2 } }) },
    status: 500,
    says: ["/paths/~1a/get/responses/200/content/application~1json/schema"],
  },

  // Rules 8 to 10: the media type.
  {
    name: "nothing acceptable is a 406 that lists the offers",
    paths: { "/a": { get: { responses: { "200": { content: { "a/b": { example: 1 }, "c/d": { example: 2 } } } } } } },
    headers: { accept: "e/f" },
    status: 406,
    says: ["a/b, c/d", "e/f"],
  },
  {
    name: "the media type is answered as written",
    paths: {
      "/a": { get: { responses: { "200": { content: { "Application/JSON; Charset=utf-8": { example: 1 } } } } } },
    },
    headers: { accept: "application/json" },
    status: 200,
    has: { "content-type": "Application/JSON; Charset=utf-8" },
  },

  // Rule 11: the headers.
  {
    name: "headers come from their example, else their schema",
    paths: {
      "/a": {
        get: {
          responses: {
            "200": {
              headers: {
                "X-Example": { example: "e", schema: { type: "string" } },
                "X-Examples": { examples: { one: { value: [1, 2] } } },
                "X-Schema": { schema: { type: "string", const: "s" } },
                "X-Object": { schema: { type: "object" }, example: { a: 1, b: 2 } },
                "X-Exploded": { explode: true, example: { a: 1, b: 2 } },
                "X-Ref": { $ref: "#/components/headers/H" },
                "X-Content": { content: { "application/json": { example: { a: 1 } } } },
                "Content-Type": { example: "no/no" },
                "Content-Length": { example: 7 },
                "X-Odd": { example: "caf\u00e9\r\nx: y" },
              },
            },
          },
        },
      },
    },
    root: { components: { headers: { H: { example: 3 } } } },
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
      "content-type": null,
      "content-length": null,
      "x-odd": "caf%C3%A9%0D%0Ax: y",
    },
  },
  {
    name: "a deprecated operation says so",
    paths: { "/a": { get: { deprecated: true, responses: { "200": {} } } } },
    status: 200,
    has: { deprecation: "true" },
  },

  // Methods.
  {
    name: "HEAD answers as GET without a body",
    paths: { "/a": ok({ example: [1] }) },
    request: "HEAD /a",
    status: 200,
    has: { "content-type": "application/json", "content-length": "3" },
    body: "",
  },
  {
    name: "OPTIONS tells the methods",
    paths: { "/a": { ...ok({ example: 1 }), put: {} } },
    request: "OPTIONS /a",
    status: 204,
    has: { allow: "GET, PUT, HEAD, OPTIONS" },
  },
  {
    name: "OPTIONS of the definition is answered itself",
    paths: { "/a": { options: { responses: { "200": json({ example: "own" }) } } } },
    request: "OPTIONS /a",
    headers: { origin: "https://page", "access-control-request-method": "PUT" },
    status: 200,
    body: "own",
  },
  { name: "OPTIONS of nothing is a 404", paths: {}, request: "OPTIONS /a", status: 404 },
  {
    name: "another method is a 405 with Allow",
    paths: { "/a": { put: {}, post: {} } },
    request: "DELETE /a",
    status: 405,
    has: { allow: "PUT, POST, OPTIONS" },
    says: ["PUT, POST"],
  },
  {
    name: "an unknown path is a 404 that names the nearest ones",
    paths: { "/pets": {}, "/pets/{id}": { get: {} }, "/users": { get: {} } },
    request: "GET /petz/3",
    status: 404,
    says: ["/petz/3", "/pets/{id}"],
  },
  {
    name: "bad percent-encoding is a path like any other",
    paths: { "/p/{x}": ok({ example: 1 }) },
    request: "GET /p/%zz",
    status: 200,
  },

  // Cross-origin requests.
  {
    name: "a page of another origin may read the answer",
    paths: { "/a": { get: { responses: { "200": { headers: { "X-Total": { example: 1 } } } } } } },
    headers: { origin: "https://page" },
    status: 200,
    has: {
      "access-control-allow-origin": "https://page",
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": "x-svc-mocked, x-total",
      "vary": "origin",
    },
  },
  {
    name: "a page of another origin may read a problem",
    paths: {},
    headers: { origin: "https://page" },
    status: 404,
    has: { "access-control-allow-origin": "https://page" },
  },
  {
    name: "a preflight is answered",
    paths: { "/a": { put: {} } },
    request: "OPTIONS /a",
    headers: {
      origin: "https://page",
      "access-control-request-method": "PUT",
      "access-control-request-headers": "x-a, x-b",
    },
    status: 204,
    has: {
      "access-control-allow-origin": "https://page",
      "access-control-allow-methods": "PUT, OPTIONS",
      "access-control-allow-headers": "x-a, x-b",
      "access-control-allow-credentials": "true",
    },
  },
  {
    name: "CORS headers that the definition gives a value stay",
    paths: {
      "/a": {
        get: { responses: { "200": { headers: { "Access-Control-Allow-Origin": { example: "https://only" } } } } },
      },
    },
    headers: { origin: "https://page" },
    status: 200,
    has: { "access-control-allow-origin": "https://only", "access-control-allow-credentials": null },
  },
  {
    name: "CORS headers are not made up",
    paths: {
      "/a": {
        get: { responses: { "200": { headers: { "Access-Control-Allow-Origin": { schema: { type: "string" } } } } } },
      },
    },
    headers: { origin: "https://page" },
    status: 200,
    has: { "access-control-allow-origin": "https://page" },
  },
  {
    name: "without CORS a preflight is an OPTIONS",
    paths: { "/a": { put: {} } },
    options: { cors: false },
    request: "OPTIONS /a",
    headers: { origin: "https://page", "access-control-request-method": "PUT" },
    status: 204,
    has: { "access-control-allow-origin": null, vary: null, allow: "PUT, OPTIONS" },
  },

  // Servers.
  {
    name: "the base path of a server is accepted as a prefix",
    paths: { "/a": ok({ example: 1 }) },
    root: {
      servers: [{
        url: "https://{host}/{v}/",
        variables: { host: { default: "h" }, v: { default: "v1", enum: ["v1", "v2"] } },
      }],
    },
    request: "GET /v2/a",
    status: 200,
  },

  // Options of `gw mock --as-gateway`.
  {
    name: "as a gateway, an operation without mocking is a 501 without an upstream",
    paths: { "/a": ok({ example: 1 }) },
    options: { asGateway: true },
    status: 501,
    says: ["x-svc.mocking.enabled", "--proxy"],
  },
  {
    name: "as a gateway, an operation without mocking goes to the upstream",
    paths: { "/a": ok({ example: 1 }) },
    options: { asGateway: true, upstream: () => new Response("from upstream", { status: 207 }) },
    status: 207,
    body: "from upstream",
    source: "upstream",
  },
  {
    name: "as a gateway, a mocked operation is answered from its example",
    paths: { "/a": { ...ok({ example: 1 }), ...mocked } },
    options: { asGateway: true },
    status: 200,
    body: 1,
  },
  {
    name: "as a gateway, preferences are ignored",
    paths: { "/a": { get: { ...mocked, responses: { "200": {}, "404": {} } } } },
    request: "GET /a?__code=404",
    headers: { prefer: "code=404" },
    options: { asGateway: true },
    status: 200,
  },
  {
    name: "as a gateway, a schema alone answers the status",
    paths: { "/a": ok(STRING) },
    root: mocked,
    options: { asGateway: true },
    status: 200,
    has: { "content-type": null },
    body: "",
    source: "status",
  },
  {
    name: "as a gateway, a schema alone is generated from when asked for",
    paths: { "/a": ok(STRING) },
    root: { "x-svc": { mocking: { enabled: true, generate: true } } },
    options: { asGateway: true },
    status: 200,
    body: "made",
  },
  {
    name: "as a gateway, the innermost setting counts",
    paths: { "/a": { get: { "x-svc": { mocking: { enabled: false } }, responses: { "200": {} } } } },
    root: mocked,
    options: { asGateway: true },
    status: 501,
  },
  {
    name: "as a gateway, an operation with only 4xx is a 501",
    paths: { "/a": { get: { responses: { "404": {} } } } },
    root: mocked,
    options: { asGateway: true },
    status: 501,
  },
  {
    name: "as a gateway, a disabled operation is hidden, even from a template",
    paths: {
      "/a": { get: { "x-svc": { disabled: true } } },
      "/{x}": ok({ example: 1 }),
    },
    root: mocked,
    options: { asGateway: true },
    status: 404,
    says: ["disabled"],
  },
  {
    name: "as a gateway, an operation is redirected",
    paths: {
      "/a": { get: { "x-svc": { redirect: { scheme: "https", host: "other", path: "/b", response_code: 308 } } } },
    },
    options: { asGateway: true },
    request: "GET /a?x=1",
    status: 308,
    has: { location: "https://other/b?x=1" },
  },
  {
    name: "locally, an operation with mocking off goes to the upstream",
    paths: { "/a": { get: { "x-svc": { mocking: { enabled: false } } } } },
    options: { upstream: () => new Response("from upstream") },
    status: 200,
    body: "from upstream",
  },
  {
    name: "locally, without an upstream everything is mocked",
    paths: { "/a": { get: { "x-svc": { mocking: { enabled: false } }, responses: { "200": json({ example: 1 }) } } } },
    status: 200,
    body: 1,
  },
];

Deno.test("createMock() follows the rules of mocking", async (t) => {
  for (
    const { name, paths, root, options, request = "GET /a", headers, status, has = {}, body, says = [], source }
      of cases
  ) {
    await t.step(name, async () => {
      const document = await define(paths, root);
      const [method = "", target = ""] = request.split(" ");
      const answer = await (await createResponder([document], options))(
        new Request(`http://localhost:8080${target}`, { method, ...(headers && { headers }) }),
      );
      const { response } = answer;
      const text = await response.text();
      assert.equal(response.status, status, text);
      for (const [header, value] of Object.entries(has)) assert.equal(response.headers.get(header), value, header);
      if (typeof body === "string" && !text.startsWith('"')) assert.equal(text, body);
      else if (body !== undefined) assert.deepEqual(JSON.parse(text), body);
      for (const words of says) assert.ok(text.includes(words), `${words} in ${text}`);
      if (source !== undefined) assert.equal(answer.source, source);
    });
  }
});

Deno.test("createMock() answers several definitions together", async () => {
  const mock = createMock([await define({ "/a": ok({ example: "a" }) }), await define({ "/b": ok({ example: "b" }) })]);
  assert.equal(await (await mock(new Request("http://h/a"))).json(), "a");
  assert.equal(await (await mock(new Request("http://h/b"))).json(), "b");
});

Deno.test("createMock() repeats a generated body, unless it is dynamic", async () => {
  const schema = {
    type: "object",
    required: ["id"],
    properties: { id: { type: "integer", minimum: 0, maximum: 1e9 } },
  };
  const document = await define({ "/a": ok({ schema }) });
  const ask = async (options: MockOptions, headers: Record<string, string> = {}): Promise<string[]> => {
    const mock = createMock(document, options);
    const bodies: string[] = [];
    for (let count = 0; count < 3; count++) {
      bodies.push(await (await mock(new Request("http://h/a", { headers }))).text());
    }
    return bodies;
  };
  const plain = await ask({});
  assert.equal(new Set(plain).size, 1);
  assert.deepEqual(await ask({}), plain);
  assert.deepEqual(await ask({ seed: 0 }), plain);
  assert.notDeepEqual(await ask({ seed: 5 }), plain);
  assert.deepEqual(await ask({}, { prefer: "seed=5" }), await ask({ seed: 5 }));
  const dynamic = await ask({ dynamic: true });
  assert.equal(new Set(dynamic).size, 3);
  assert.deepEqual(await ask({ dynamic: true }), dynamic, "the same sequence each time");
  assert.equal(new Set(await ask({}, { prefer: "dynamic=true" })).size, 3);
  assert.deepEqual(await ask({ dynamic: true }, { prefer: "seed=5" }), await ask({ seed: 5 }));
  assert.deepEqual(await ask({}, { prefer: "dynamic=true, seed=5" }), await ask({ seed: 5 }));
});

Deno.test("createMock() prepares an answer once for requests that come together", async () => {
  const document = await define({ "/a": ok({ example: [1, 2, 3] }) });
  const respond = await createResponder([document]);
  const first = respond(new Request("http://h/a"));
  const second = respond(new Request("http://h/a"));
  assert.ok(first instanceof Promise && second instanceof Promise);
  assert.equal(await (await first).response.text(), await (await second).response.text());
  assert.ok(!(respond(new Request("http://h/a")) instanceof Promise), "later answers are looked up");
});

Deno.test("createMock() answers any target without throwing", async () => {
  const mock = createMock(await define({ "/a/{b}": ok({ example: 1 }) }));
  const targets = [
    "/",
    "//",
    "/a/%",
    "/a/%00",
    "/a/..%2f",
    "/a/b?%",
    "/a/b?__code=",
    "/a/b?__code=99999999999999999999",
  ];
  for (const target of targets) {
    const response = await mock(new Request(`http://h${target}`, { headers: { accept: ";;;,,q=", prefer: '="";;=' } }));
    assert.ok([200, 404, 406].includes(response.status), `${target}: ${response.status}`);
  }
});

async function define(paths: Record<string, unknown>, root: Record<string, unknown> = {}): Promise<Document> {
  const document = await parseDocument(
    JSON.stringify({ openapi: "3.1.0", info: { title: "T", version: "1" }, paths, ...root }),
  );
  assert.deepEqual(document.unlocatedDiagnostics, []);
  return document;
}

Deno.test("a mock checks bodies of 10 MiB and what surrounds them, up to 16 MiB", async () => {
  const content = { "application/json": { schema: { type: "object", properties: { text: { type: "string" } } } } };
  const mail = { post: { requestBody: { content }, responses: { 202: { description: "Accepted" } } } };
  const document = await parseDocument(JSON.stringify({ openapi: "3.1.0", paths: { "/mail": mail } }));
  const mock = createMock(document, { validate: "error" });
  const send = async (text: unknown): Promise<number> => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ text }) };
    return (await mock(new Request("http://localhost/mail", init))).status;
  };
  const mebibyte = 1024 * 1024;
  assert.equal(await send("#".repeat(10 * mebibyte)), 202);
  assert.equal(await send("#".repeat(16 * mebibyte)), 413);
  assert.equal(await send(1), 422);
});
