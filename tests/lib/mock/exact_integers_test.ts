import assert from "node:assert/strict";
import fc from "fast-check";
import { createMockServer, parseDocument, parseOverlay } from "../../../mod.ts";
import { createMock } from "../../../lib/mock/mock.ts";
import { readJsonText, writeJson } from "../../../lib/schema/json/json.ts";
import { runs } from "../../runs.ts";

const POSTS = `
openapi: 3.1.0
info: {title: Posts, version: 1.0.0}
paths:
  /posts:
    get:
      parameters:
        - {name: ref, in: query, schema: {type: integer, format: int64}}
      responses:
        "200": {description: OK, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Post"}}}}}
    post:
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Post"}}}}
      responses: {"201": {description: Made, content: {application/json: {schema: {$ref: "#/components/schemas/Post"}}}}}
  /posts/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer, format: int64}}]
    get: {responses: {"200": {description: OK, content: {application/json: {schema: {$ref: "#/components/schemas/Post"}}}}, "404": {description: None}}}
    put:
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Post"}}}}
      responses: {"200": {description: OK, content: {application/json: {schema: {$ref: "#/components/schemas/Post"}}}}}
    delete: {responses: {"204": {description: Gone}}}
components:
  schemas:
    Post:
      type: object
      required: [id, ref]
      properties: {id: {type: integer, format: int64}, ref: {type: integer, format: int64}}
`;

/** Integers of `int64`, most of which no double is equal to. */
const int64 = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });

Deno.test("JSON texts keep integers of any size", () => {
  const parts = fc.array(
    fc.oneof(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), fc.double({ noNaN: true }), fc.string()),
  );
  fc.assert(
    fc.property(parts, (parts) => {
      const text = `[${parts.map((part) => typeof part === "bigint" ? String(part) : JSON.stringify(part)).join()}]`;
      for (const part of parts) {
        if (typeof part === "bigint") {
          assert.match(writeJson(readJsonText(text)), new RegExp(`(?<![\\d.])${part}(?!\\d)`));
        }
      }
    }),
    runs(10_000),
  );
  assert.equal(readJsonText("9007199254740991"), 9007199254740991);
  assert.deepEqual(readJsonText("[0.12345678901234567890, 1e21]"), [0.12345678901234568, 1e21]);
  assert.throws(() => readJsonText("[0012345678901234567890]"), SyntaxError);
  assert.equal(writeJson({ a: [12345678901234567890n] }, 2), '{\n  "a": [\n    12345678901234567890\n  ]\n}');
});

Deno.test("ids of int64 keep their digits through create, read, list, filter, update, delete, snapshot and journal", async () => {
  const document = await parseDocument(POSTS);
  await fc.assert(
    fc.asyncProperty(int64, int64, async (id, ref) => {
      const server = await createMockServer(document, { validate: "error", items: 0 });
      const ask = async (method: string, path: string, body?: string): Promise<[number, string]> => {
        const headers = body === undefined ? {} : { "content-type": "application/json" };
        const response = await server.fetch(
          new Request(`http://localhost${path}`, { method, headers, ...body === undefined ? {} : { body } }),
        );
        return [response.status, await response.text()];
      };
      const post = `{"id":${id},"ref":${ref}}`;
      assert.deepEqual(await ask("POST", "/posts", post), [201, post]);
      assert.deepEqual(await ask("GET", `/posts/${id}`), [200, post]);
      await server.requests.verify({ method: "POST", body: { "/id": id, "/ref": ref }, count: 1 });
      await server.requests.verify({ method: "POST", body: { "/id": id - 1n }, count: 0 });
      const [created] = await server.requests.list({ method: "POST" });
      assert.equal(writeJson(created?.request.body), post);
      assert.equal((await ask("GET", `/posts/${id - 1n}`))[0], 404);
      assert.deepEqual(await ask("GET", "/posts"), [200, `[${post}]`]);
      assert.deepEqual(await ask("GET", `/posts?ref=${ref}`), [200, `[${post}]`]);
      assert.deepEqual(await ask("GET", `/posts?ref=${ref === 1n ? 2n : ref - 1n}`), [200, "[]"]);
      server.snapshot("before");
      const changed = `{"id":${id},"ref":${id}}`;
      assert.deepEqual(await ask("PUT", `/posts/${id}`, changed), [200, changed]);
      assert.deepEqual(await ask("DELETE", `/posts/${id}`), [204, ""]);
      server.restore("before");
      assert.deepEqual(await ask("GET", `/posts/${id}`), [200, post]);
    }),
    runs(100),
  );
});

Deno.test("integers beyond 2^53 keep their digits in examples, const, enum, bounds, headers, XML and forms", async () => {
  const large = "9223372036854775807";
  const schema = `{type: object, required: [a, b, c, d], properties: {
    a: {type: integer, format: int64, example: ${large}}, b: {const: 9007199254740993}, c: {enum: [9007199254740995]},
    d: {type: integer, minimum: 9007199254740993, maximum: 9007199254740993}}}`;
  const mock = createMock(
    await parseDocument(`
openapi: 3.1.0
info: {title: Large, version: 1.0.0}
paths:
  /json: {get: {responses: {"200": {description: OK, headers: {X-Id: {schema: {type: integer}, example: ${large}}}, content: {application/json: {schema: ${schema}}}}}}}
  /xml: {get: {responses: {"200": {description: OK, content: {application/xml: {schema: ${schema}}}}}}}
  /form: {get: {responses: {"200": {description: OK, content: {application/x-www-form-urlencoded: {schema: ${schema}}}}}}}
  /yaml: {get: {responses: {"200": {description: OK, content: {application/yaml: {schema: ${schema}}}}}}}
  /example: {get: {responses: {"200": {description: OK, content: {application/json: {example: {id: ${large}}}}}}}}
  /match/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get:
      responses:
        "200":
          description: OK
          content: {application/json: {examples: {one: {x-svc: {mocking: {match: {path.id: ${large}}}}, value: 1}, two: {value: 2}}}}
`),
    { validate: "error" },
  );
  const answers: [path: string, wanted: RegExp][] = [
    ["/json", /^\{"a":9223372036854775807,"b":9007199254740993,"c":9007199254740995,"d":9007199254740993\}$/],
    ["/xml", /<a>9223372036854775807<\/a><b>9007199254740993<\/b>/],
    ["/form", /^a=9223372036854775807&b=9007199254740993/],
    ["/yaml", /^a: 9223372036854775807\nb: 9007199254740993\n/],
    ["/example", /^\{"id":9223372036854775807\}$/],
    [`/match/${large}`, /^1$/],
    ["/match/9223372036854775806", /^2$/],
  ];
  for (const [path, wanted] of answers) {
    const response = await mock(new Request(`http://localhost${path}`));
    assert.match(await response.text(), wanted, path);
    if (path === "/json") assert.equal(response.headers.get("x-id"), large);
  }
  assert.equal((await mock(new Request("http://localhost/match/9223372036854775808"))).status, 200);
});

Deno.test("an overlay keeps the digits of integers", async () => {
  const overlay = await parseOverlay(`
overlay: 1.0.0
info: {title: O, version: "1"}
actions: [{target: "$.paths['/'].get.responses['200'].content['application/json']", update: {example: 9007199254740993}}]
`);
  const definition = `
openapi: 3.1.0
info: {title: Large, version: 1.0.0}
paths: {/: {get: {responses: {"200": {description: OK, content: {application/json: {}}}}}}}
`;
  const mock = createMock(await parseDocument(definition, { overlays: [overlay] }));
  assert.equal(await (await mock(new Request("http://localhost/"))).text(), "9007199254740993");
});

Deno.test("integers that a double would round are generated within their bounds, and vary", async (t) => {
  const cases: [schema: string, wanted: (value: bigint) => boolean, different: number][] = [
    ["minimum: 1, maximum: 9223372036854775807", (value) => value >= 1n && value <= 1000n, 10],
    ["format: int64, exclusiveMinimum: 9223372036854775800", (value) => value > 2n ** 63n - 8n && value < 2n ** 63n, 4],
    ["minimum: 9007199254740993", (value) => value >= 2n ** 53n + 1n && value < 2n ** 53n + 200n, 10],
    ["maximum: -9007199254740993", (value) => value < -(2n ** 53n), 10],
    ["exclusiveMinimum: 9007199254740992, exclusiveMaximum: 9007199254740994", (value) => value === 2n ** 53n + 1n, 1],
    ["minimum: 9007199254740994, maximum: 9007199254740999, multipleOf: 5", (value) => value === 2n ** 53n + 3n, 1],
    ["multipleOf: 9007199254740993, minimum: 1", (value) => value > 0n && value % (2n ** 53n + 1n) === 0n, 10],
    ["format: uint64, minimum: 18446744073709551615", (value) => value === 2n ** 64n - 1n, 1],
  ];
  for (const [keywords, wanted, different] of cases) {
    await t.step(keywords, async () => {
      const mock = createMock(
        await parseDocument(`
openapi: 3.1.0
info: {title: Large, version: 1.0.0}
paths: {/: {get: {responses: {"200": {description: OK, content: {application/json: {schema: {type: integer, ${keywords}}}}}}}}}
`),
      );
      const values = await Promise.all(Array.from({ length: 20 }, async (_, seed) => {
        const answer = await mock(new Request("http://localhost/", { headers: { prefer: `seed=${seed}` } }));
        return BigInt(await answer.text());
      }));
      assert.deepEqual(values.filter((value) => !wanted(value)), []);
      assert.ok(new Set(values).size >= different, String(values));
    });
  }
});

Deno.test("an integer range beyond 2^53 without an integer is impossible", async () => {
  const mock = createMock(
    await parseDocument(`
openapi: 3.1.0
info: {title: None, version: 1.0.0}
paths: {/: {get: {responses: {"200": {description: OK, content: {application/json: {schema: {type: integer, minimum: 9007199254740993, maximum: 9007199254740994, multipleOf: 10}}}}}}}}
`),
  );
  const answer = await mock(new Request("http://localhost/"));
  assert.match(await answer.text(), /no number is within the bounds/);
});

Deno.test("YAML integers keep their digits in every notation", async () => {
  const texts: [written: string, value: string][] = [
    ["0x7FFFFFFFFFFFFFFF", "9223372036854775807"],
    ["0o777777777777777777777", "9223372036854775807"],
    ["+9007199254740993", "9007199254740993"],
    ["-0009007199254740993", "-9007199254740993"],
    ["9007199254740991", "9007199254740991"],
    ["0x1F", "31"],
  ];
  for (const [written, value] of texts) {
    const mock = createMock(
      await parseDocument(`
openapi: 3.1.0
info: {title: Y, version: 1.0.0}
paths: {/: {get: {responses: {"200": {description: OK, content: {application/json: {example: ${written}}}}}}}}
`),
    );
    assert.equal(await (await mock(new Request("http://localhost/"))).text(), value, written);
  }
});

Deno.test("a definition that is an object may have a bigint", async () => {
  const content = { "application/json": { example: { id: 9223372036854775807n } } };
  const definition = {
    openapi: "3.1.0",
    info: { title: "Object", version: "1.0.0" },
    paths: { "/": { get: { responses: { "200": { description: "OK", content } } } } },
  };
  const document = await parseDocument(definition);
  assert.deepEqual(document.diagnostics, []);
  const answer = await createMock(document)(new Request("http://localhost/"));
  assert.equal(await answer.text(), '{"id":9223372036854775807}');
});
