/** Path keys with conditions (a query or a fragment) in the embedded gateway. */
import assert from "node:assert/strict";
import type { Send } from "../../../../lib/http/url/upstream.ts";
import type { RoutePlan } from "../../../../lib/gateway/route.ts";
import { ask, definition, plan, planStatic } from "./fleet.ts";

function operation(name: string, settings = "mocking: {enabled: true}", more = ""): string {
  const media = `{schema: {type: string}, example: ${name}}`;
  return `{${more}x-svc: {${settings}}, responses: {"200": {description: Fine., content: {text/plain: ${media}}}}}`;
}

function api(
  name: string,
  paths: readonly (readonly [key: string, item: string])[],
  settings = "{}",
): Promise<RoutePlan> {
  return plan(definition(settings, paths.map(([key, item]) => `"${key}": ${item}`).join("\n  ")), name);
}

const REQUIRED_KEY = "parameters: [{name: key, in: query, required: true, schema: {type: string}}], ";

async function fleet(): Promise<RoutePlan[]> {
  return [
    await planStatic("{upstream: {host: {hostname: files.example}}}", "all"),
    await api("agents", [
      ["/agents/{id}", `{get: ${operation("stable")}, put: ${operation("put")}}`],
      ["/agents/{id}?beta=true", `{get: ${operation("beta")}, delete: ${operation("beta-delete")}}`],
      ["/agents/{id}?gone", `{get: ${operation("gone", "disabled: true")}}`],
      ["/hidden?gone", `{x-svc: {disabled: true}, get: ${operation("gone")}}`],
      ["/hidden", `{get: ${operation("shown")}, put: ${operation("put")}}`],
      ["/tags", `{get: ${operation("tags")}}`],
      ["/tags#key", `{get: ${operation("tag", undefined, REQUIRED_KEY)}}`],
    ], "{path: {prefix: /v1}}"),
    await api("tables", [
      ["/#X-Amz-Target=DynamoDB.ListTables", `{post: ${operation("list")}}`],
      [
        "/#X-Amz-Target=DynamoDB.GetItem",
        `{post: ${operation("item", "mocking: {enabled: true}, cors: {origins: ['*']}")}}`,
      ],
    ]),
    // A second API of the fleet declares the same path with another query.
    await api("others", [["/v1/agents/{name}?gamma", `{get: ${operation("gamma")}}`]]),
  ];
}

const CASES: readonly {
  request: string;
  headers?: Record<string, string>;
  want: string;
  allow?: string;
}[] = [
  { request: "GET /v1/agents/7", want: "200 stable" },
  { request: "GET /v1/agents/7?beta=true", want: "200 beta" },
  { request: "GET /v1/agents/7?x=y&beta=tru%65", want: "200 beta" },
  { request: "HEAD /v1/agents/7?beta=true", want: "200 " },
  { request: "GET /v1/agents/7?gamma", want: "200 gamma" },
  { request: "GET /v1/agents/7?gone", want: "404 Nothing that is deployed to this fleet answers GET /v1/agents/7" },
  { request: "GET /v1/./agents//7?beta=true", want: "200 beta" },
  { request: "DELETE /v1/agents/7?beta=true", want: "200 beta-delete" },
  {
    request: "DELETE /v1/agents/7",
    want: "405 /v1/agents/7 has no DELETE; it has GET, PUT, HEAD, OPTIONS.",
    allow: "GET, PUT, HEAD, OPTIONS",
  },
  { request: "OPTIONS /v1/agents/7?beta=true", want: "204 ", allow: "GET, PUT, DELETE, HEAD, OPTIONS" },
  { request: "GET /v1/hidden", want: "200 shown" },
  { request: "GET /v1/hidden?gone", want: "404 Nothing that is deployed to this fleet answers GET /v1/hidden" },
  // `/v1/hidden?gone` is disabled as a whole, so its PUT isn't answered by `/v1/hidden`, which has one.
  { request: "PUT /v1/hidden?gone", want: "404 Nothing that is deployed to this fleet answers PUT /v1/hidden" },
  { request: "GET /v1/hidden/?gone", want: "404 Nothing that is deployed to this fleet answers GET /v1/hidden/" },
  { request: "GET /v1/tags", want: "200 tags" },
  { request: "GET /v1/tags?key=a", want: "200 tag" },
  { request: "POST /", headers: { "x-amz-target": "DynamoDB.GetItem" }, want: "200 item" },
  { request: "POST /", headers: { "x-amz-target": "" }, want: "404 The request lacks a query or header" },
  { request: "POST /", want: "404 The request lacks a query or header" },
  { request: "OPTIONS /", want: "204 ", allow: "POST, OPTIONS" },
];

for (const { request, headers = {}, want, allow } of CASES) {
  Deno.test(`${request} ${JSON.stringify(headers)} is answered by ${want}`, async () => {
    const [method = "", target = ""] = request.split(" ");
    const { response } = await ask(await fleet(), `http://localhost${target}`, { method, headers });
    const text = await response.text();
    const isProblem = response.headers.get("content-type")?.includes("problem") ?? false;
    const shown = `${response.status} ${isProblem ? JSON.parse(text).detail : text}`;
    assert.ok(shown.startsWith(want), shown);
    if (allow !== undefined) assert.equal(response.headers.get("allow"), allow);
  });
}

Deno.test("a preflight finds the operation although its headers aren't known", async () => {
  const tables = await api("tables", [
    [
      "/#X-Amz-Target=DynamoDB.GetItem",
      `{post: ${operation("item", "mocking: {enabled: true}, cors: {origins: ['*'], headers: [x-amz-target]}")}}`,
    ],
  ]);
  const { response } = await ask([tables], "http://localhost/", {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-amz-target",
    },
  });
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
});

Deno.test("a problem names the condition that a path demands", async () => {
  const { response } = await ask(await fleet(), "http://localhost/", {
    method: "POST",
    headers: { "x-amz-target": "DynamoDB.GetItems" },
  });
  const { detail } = await response.json();
  assert.equal(
    detail,
    "The request lacks a query or header that the definition's path demands: POST / needs the header " +
      "`X-Amz-Target: DynamoDB.GetItem`; POST / needs the header `X-Amz-Target: DynamoDB.ListTables`.",
  );
});

const JWT =
  "auth: {jwt: {providers: [{name: idp, issuer: 'https://idp.example', jwks_uri: 'https://idp.example/keys'}]}}";

/** Operations with one upstream. An operation whose name begins with "secret" needs a token. */
async function guarded(): Promise<RoutePlan> {
  const route = (name: string): string => `{get: ${operation(name, name.startsWith("secret") ? JWT : "")}}`;
  return await api("guarded", [
    ["/?Action=List", route("list")],
    ["/?Action=Show", route("show")],
    ["/?Action=Delete", route("secret-delete")],
    ["/?Action=Drop", `{get: ${operation("drop", "disabled: true")}}`],
    ["/x", route("secret-x")],
    ["/x?public", route("public")],
    ["/x?secret", route("secret")],
    ["/x?kind=a&full", route("full")],
    ["/y", route("y")],
    ["/y#X-Target=Secret", route("secret-y")],
    ["/z", route("secret-z")],
    ["/z#X-Target=Public", route("public-z")],
  ], "{upstream: {host: {hostname: upstream.example}}}");
}

const AMBIGUITIES: readonly { request: string; headers?: Record<string, string>; want: number }[] = [
  { request: "/?Action=List", want: 200 },
  { request: "/?Action=Delete", want: 401 },
  { request: "/?Action=List&Action=List&x=1", want: 200 },
  { request: "/?Action=List&Action=Show", want: 200 },
  { request: "/?Action=List&Action=Delete", want: 400 },
  { request: "/?Action=Delete&Action=List", want: 400 },
  { request: "/?%41ction=Lis%74&Act%69on=Delete", want: 400 },
  { request: "/?Action=List&Action=Show&Action=Delete", want: 400 },
  { request: "/?Action=List&Action=Drop", want: 400 },
  { request: "/x?public", want: 200 },
  { request: "/x?public&secret", want: 400 },
  { request: "/x?kind=a&full", want: 200 },
  // Of two operations whose conditions hold, the one with more conditions has precedence.
  { request: "/x?kind=a&full&secret", want: 200 },
  { request: "/x?kind=a&kind=b&full", want: 400 },
  { request: "/y", want: 200 },
  { request: "/y", headers: { "x-target": "Secret" }, want: 401 },
  { request: "/y", headers: { "x_target": "Secret" }, want: 400 },
  { request: "/y", headers: { "x-target": "Public", "x_target": "Secret" }, want: 400 },
  { request: "/y", headers: { "x_other": "Secret" }, want: 200 },
  { request: "/z", headers: { "x-target": "Public" }, want: 200 },
  { request: "/z", headers: { "x-target": "Public", connection: "close, X-Target" }, want: 400 },
];

for (const { request, headers = {}, want } of AMBIGUITIES) {
  Deno.test(`GET ${request} ${JSON.stringify(headers)} doesn't get around authentication: ${want}`, async () => {
    const send: Send = () => Promise.resolve({ kind: "answered", response: new Response("sent") });
    const { response } = await ask([await guarded()], `http://localhost${request}`, { headers }, { send });
    assert.equal(response.status, want, await response.text());
  });
}
