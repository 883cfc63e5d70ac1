import assert from "node:assert/strict";
import { FirstExamples } from "../../../../lib/observe/report/first_example.ts";
import { exchange, type Given, parseTodo } from "./exchanges.ts";

const TOKEN = "tok-8f3a61c05d2e";

Deno.test("FirstExamples shows the value at the place of a violation, without secrets", async (t) => {
  const cases: { name: string; given: Given; location: string; url?: string; excerpt: string | undefined }[] = [
    {
      name: "a field of a response",
      given: { body: { items: [{ id: "a" }] } },
      location: "response.body.items.0.id",
      excerpt: '"a"',
    },
    {
      name: "the nearest value around a missing one",
      given: { body: { a: { b: 1 } } },
      location: "response.body.a.c.d",
      excerpt: '{"b":1}',
    },
    { name: "a field of a request", given: { requestBody: { price: -1 } }, location: "body.price", excerpt: "-1" },
    {
      name: "JSON that is broken",
      given: { body: "x".repeat(300), headers: { "content-type": "application/json" } },
      location: "response.body",
      excerpt: undefined,
    },
    {
      name: "text that isn't JSON",
      given: { body: "password=hunter22" },
      location: "response.body",
      excerpt: undefined,
    },
    {
      name: "a header",
      given: { headers: { "x-rate-limit": "many" } },
      location: "response.header.x-rate-limit",
      excerpt: "many",
    },
    { name: "no header", given: {}, location: "header.X Y", excerpt: undefined },
    {
      name: "credentials",
      given: { requestHeaders: { authorization: `Bearer ${TOKEN}` } },
      location: "header.Authorization",
      excerpt: undefined,
    },
    {
      name: "a query",
      given: { request: "GET /todos?limit=x&page=2" },
      location: "query.limit",
      url: "/todos?limit=x&page=2",
      excerpt: "limit=x",
    },
    {
      name: "an object in a query",
      given: { request: "GET /todos?f[a]=1&f[b]=2&g=3" },
      location: "query.f",
      url: "/todos?f[a]=1&f[b]=2&g=3",
      excerpt: "f[a]=1&f[b]=2",
    },
    {
      name: "a secret query",
      given: { request: `GET /todos?api_key=${TOKEN}` },
      location: "query.api_key",
      url: "/todos?api_key=REDACTED",
      excerpt: "api_key=REDACTED",
    },
    {
      name: "an API key of the definition",
      given: { request: "GET /todos?k=12" },
      location: "query.k",
      url: "/todos?k=REDACTED",
      excerpt: "k=REDACTED",
    },
    {
      name: "a secret field",
      given: { body: { password: "hunter22" } },
      location: "response.body.password",
      excerpt: '"REDACTED"',
    },
    {
      name: "a secret field within the excerpt",
      given: { body: { user: { pin: 1234, name: "Ada" } } },
      location: "response.body.user",
      excerpt: '{"pin":0,"name":"Ada"}',
    },
    {
      name: "credentials that a response repeats",
      given: { requestHeaders: { authorization: `Bearer ${TOKEN}` }, body: { echo: `got ${TOKEN}` } },
      location: "response.body.echo",
      excerpt: '"got REDACTED"',
    },
    {
      name: "an API key of the definition that a response repeats",
      given: { request: `GET /todos?k=${TOKEN}`, body: { echo: TOKEN } },
      location: "response.body.echo",
      url: "/todos?k=REDACTED",
      excerpt: '"REDACTED"',
    },
    {
      name: "a field whose format says that it is secret",
      given: { operation: "POST /todos", requestBody: { word: "open sesame", other: 1 } },
      location: "body",
      excerpt: '{"word":"REDACTED","other":1}',
    },
    {
      name: "an API key of the definition in a header",
      given: { requestHeaders: { "x-own": TOKEN } },
      location: "header.X-Own",
      excerpt: undefined,
    },
    {
      name: "a secret in a path",
      given: { operation: "PUT /resets/{token}", request: "PUT /resets/a%20b", pathParameters: { token: "a b" } },
      location: "path.token",
      url: "/resets/REDACTED",
      excerpt: undefined,
    },
  ];
  const document = await parseTodo();
  for (const { name, given, location, url = "/todos", excerpt } of cases) {
    await t.step(name, () => {
      const examples = new FirstExamples(exchange(document, { operation: "GET /todos", ...given }));
      const { excerpt: found, url: foundUrl } = examples.at(location.split("."));
      assert.equal(found, excerpt);
      assert.equal(foundUrl, url);
    });
  }
});

Deno.test("FirstExamples has no excerpt of a body with too many levels", async () => {
  const headers = { "content-type": "application/json" };
  const body = "[".repeat(100_000) + "]".repeat(100_000);
  const deep = exchange(await parseTodo(), { operation: "GET /todos", headers, body });
  assert.deepEqual(new FirstExamples(deep).at(["response", "body"]), { method: "GET", url: "/todos", status: 200 });
});

Deno.test("FirstExamples shortens long values and doesn't parse large bodies", async () => {
  const document = await parseTodo();
  const examples = (body: unknown) => new FirstExamples(exchange(document, { operation: "GET /todos", body }));
  assert.equal(examples({ a: "x".repeat(1_000) }).at(["response", "body", "a"]).excerpt?.length, 200);
  assert.equal(examples({ a: "x".repeat(300_000) }).at(["response", "body", "a"]).excerpt, undefined);
});
