import assert from "node:assert/strict";
import { expand, type ExpressionContext, parseRuntimeExpression } from "../../../lib/openapi/runtime_expression.ts";

/** The request and response of the examples in the OpenAPI Specification (Runtime Expressions). */
const context: ExpressionContext = {
  request: {
    url: "http://localhost/subscribe/myevent?queryUrl=https%3A%2F%2Fclientdomain.com%2Fstillrunning&q=1&q=2",
    method: "POST",
    query: "queryUrl=https%3A%2F%2Fclientdomain.com%2Fstillrunning&q=1&q=2",
    pathParameters: { eventType: "myevent" },
    headers: new Headers({ "content-type": "application/json", "content-length": "187" }),
    body: {
      failedUrl: "https://clientdomain.com/failed",
      successUrls: ["https://clientdomain.com/fast", "https://clientdomain.com/medium"],
      "a/b~c": { "": 5 },
      nothing: null,
      empty: "",
      flag: false,
    },
  },
  response: {
    status: 201,
    headers: new Headers({ location: "https://example.org/subscription/1" }),
    body: { id: 1 },
  },
};

const CASES: { text: string; want: string | undefined }[] = [
  { text: "$url", want: context.request.url },
  { text: "$method", want: "POST" },
  { text: "$statusCode", want: "201" },
  { text: "$request.path.eventType", want: "myevent" },
  { text: "$request.query.queryUrl", want: "https://clientdomain.com/stillrunning" },
  { text: "$request.query.q", want: "1" },
  { text: "$request.header.content-Type", want: "application/json" },
  { text: "$request.body#/failedUrl", want: "https://clientdomain.com/failed" },
  { text: "$request.body#/successUrls/1", want: "https://clientdomain.com/medium" },
  { text: "$request.body#/successUrls", want: '["https://clientdomain.com/fast","https://clientdomain.com/medium"]' },
  { text: "$request.body#/a~1b~0c/", want: "5" },
  { text: "$request.body#/nothing", want: "null" },
  { text: "$request.body#/flag", want: "false" },
  { text: "$request.body#/empty", want: "" },
  { text: "$response.header.Location", want: "https://example.org/subscription/1" },
  { text: "$response.body#/id", want: "1" },
  { text: "$response.body", want: '{"id":1}' },
  { text: "$response.body#", want: '{"id":1}' },
  {
    text: "{$request.query.queryUrl}/data?id={$response.body#/id}",
    want: "https://clientdomain.com/stillrunning/data?id=1",
  },
  { text: "http://localhost/fixed", want: "http://localhost/fixed" },

  { text: "$request.query.none", want: undefined },
  { text: "$request.path.toString", want: undefined },
  { text: "$request.header.x-none", want: undefined },
  { text: "$request.header.bad name", want: undefined },
  { text: "$request.body#/none", want: undefined },
  { text: "$request.body#/toString", want: undefined },
  { text: "$request.body#/failedUrl/length", want: undefined },
  { text: "$request.body#none", want: undefined },
  { text: "$request.bodyguard", want: undefined },
  { text: "$response.query.q", want: undefined },
  { text: "$response.path.eventType", want: undefined },
  { text: "$request", want: undefined },
  { text: "$urls", want: undefined },
  { text: "{request.query.q}", want: undefined },
];

for (const { text, want } of CASES) {
  Deno.test(`expand() ${want === undefined ? "finds nothing for" : "evaluates"} ${text}`, () => {
    const expansion = expand(text, context);
    assert.equal(expansion.kind === "text" ? expansion.text : undefined, want);
  });
}

Deno.test("expand() names the expression that has no value", () => {
  assert.deepEqual(expand("{$method} {$request.query.to}/{$request.query.from}", context), {
    kind: "unresolved",
    expression: "$request.query.to",
  });
});

Deno.test("expand() has no value of a response that doesn't exist yet", () => {
  const { request } = context;
  for (const text of ["$statusCode", "$response.body#/id", "$response.header.location"]) {
    assert.equal(expand(text, { request }).kind, "unresolved", text);
  }
});

Deno.test("parseRuntimeExpression() tells expressions from other text", () => {
  assert.deepEqual(parseRuntimeExpression("$request.query.a.b"), { kind: "query", name: "a.b" });
  for (const text of ["", "$", "$request.", "$request.body.id", "$request.cookie.sid", "url"]) {
    assert.equal(parseRuntimeExpression(text), undefined, text);
  }
});
