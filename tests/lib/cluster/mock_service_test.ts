import assert from "node:assert/strict";
import { createClusterMock, type DeployedMock, MOCKS_PLATFORM, planMocks } from "../../../lib/cluster/mock_service.ts";
import { createGateway, type EmbeddedGateway } from "../../../lib/gateway/embedded/gateway.ts";
import { createMock } from "../../../lib/mock/mock.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { CLIENT, plan } from "../gateway/embedded/fleet.ts";

const TODO = `
openapi: 3.1.0
info: {title: Todo, version: 1.0.0}
x-svc: {path: {prefix: /v1}, hosts: [todo.example.com], public_api_path: /openapi.json, cors: {origins: ["*"]},
  rate_limit: {requests_per_unit: 1, unit: hour}, upstream: {service: {name: todo}}, mocking: {enabled: true},
  cache: {enabled: true, max_age: 60}, auth: {jwt: {providers: [{name: a, issuer: a, jwks_uri: "http://127.0.0.1:1"}]}}}
paths:
  /todos:
    get:
      responses:
        "200":
          description: Todos.
          content:
            application/json: {schema: {type: array}, example: [{id: 1}]}
            application/xml: {example: {id: 1}}
    post:
      x-svc: {mocking: {enabled: false}}
      responses: {"201": {description: Made.}}
    put:
      x-svc: {disabled: true}
      responses: {"200": {description: Replaced.}}
`;

async function todo(text = TODO, before?: string): Promise<EmbeddedGateway> {
  return createGateway(
    [planMocks(await plan(text), before === undefined ? undefined : await plan(before))],
    MOCKS_PLATFORM,
  );
}

interface Question {
  path: string;
  method?: string;
  headers?: Record<string, string>;
}

async function ask(
  found: DeployedMock | Promise<DeployedMock>,
  { path, method = "GET", headers = {} }: Question,
): Promise<Response> {
  const mock = createClusterMock((api) => api === "shop/todo" ? found : "unknown");
  const request = new Request(`http://any.example.org${path}`, {
    method,
    headers: { "x-svc-api": "shop/todo", ...headers },
  });
  return (await mock(request, CLIENT)).response;
}

Deno.test("mocks of a cluster answer byte for byte as gw mock --as-gateway does", async (t) => {
  const local = createMock(await parseDocument(TODO), { asGateway: true, cors: false });
  const found = await todo();
  const cases: Question[] = [
    { path: "/todos" },
    { path: "/todos", headers: { accept: "application/xml" } },
    { path: "/todos", headers: { accept: "text/html" } },
    { path: "/todos", method: "HEAD" },
    { path: "/todos", headers: { prefer: "code=404", origin: "https://example.com" } },
  ];
  for (const { path, ...question } of cases) {
    await t.step(`${question.method ?? "GET"} ${JSON.stringify(question.headers ?? {})}`, async () => {
      const got = await ask(found, { path: `/v1${path}`, ...question });
      const want = await local(new Request(`http://localhost/v1${path}`, question));
      assert.deepEqual([got.status, [...got.headers], await got.text()], [
        want.status,
        [...want.headers],
        await want.text(),
      ]);
    });
  }
});

Deno.test("mocks of a cluster answer for the API that the header names, on any host", async (t) => {
  const found = await todo();
  const cases: (Question & { status: number; want: Record<string, string | null>; detail?: RegExp })[] = [
    // The gateway in front of the mocks does all this, so the mock must ignore these settings: credentials, CORS,
    // caching, rate limits.
    {
      path: "/v1/todos",
      headers: { origin: "https://example.com" },
      status: 200,
      want: { "x-svc-mocked": "true", "access-control-allow-origin": null, "cache-control": null, "x-svc-api": null },
    },
    { path: "/todos", status: 404, want: { "x-svc-mocked": null } },
    { path: "/v1/todos", method: "PUT", status: 404, want: {} },
    { path: "/v1/todos", method: "DELETE", status: 405, want: { allow: "GET, POST, HEAD, OPTIONS" } },
    { path: "/v1/todos", method: "OPTIONS", status: 204, want: { allow: "GET, POST, HEAD, OPTIONS" } },
    { path: "/v1/todos", method: "POST", status: 503, want: { "retry-after": "1" }, detail: /isn't mocked/ },
    { path: "/openapi.json", status: 200, want: { "content-type": "application/json" } },
    {
      path: "/v1/todos",
      headers: { "x-svc-closed": "todo-jwt" },
      status: 503,
      want: { "retry-after": "1", "x-svc-closed": null },
      detail: /about to be opened/,
    },
    { path: "/v1/todos", headers: { "x-svc-api": "shop/other" }, status: 404, want: {}, detail: /isn't deployed/ },
  ];
  for (const { status, want, detail, ...question } of cases) {
    await t.step(`${question.method ?? "GET"} ${question.path} ${JSON.stringify(question.headers ?? {})}`, async () => {
      const response = await ask(found, question);
      assert.equal(response.status, status);
      for (const [name, value] of Object.entries(want)) assert.equal(response.headers.get(name), value, name);
      if (detail !== undefined) assert.match((await response.json()).detail, detail);
      else await response.body?.cancel();
    });
  }
});

Deno.test("undeclared requests are answered 404 or 405, whichever operation the mocks know there", async (t) => {
  const found = await todo();
  const cases: (Question & { status: number; allow?: string })[] = [
    { path: "/v1/todos", status: 404 },
    { path: "/v1/todos", method: "HEAD", status: 404 },
    { path: "/v1/todos", method: "POST", status: 404 },
    { path: "/v1/todos", method: "PUT", status: 404 },
    { path: "/v1/todos/", status: 404 },
    { path: "/openapi.json", status: 404 },
    { path: "/nothing", status: 404 },
    { path: "/v1/todos", method: "DELETE", status: 405, allow: "GET, POST, HEAD, OPTIONS" },
    { path: "/v1/todos", method: "OPTIONS", status: 204, allow: "GET, POST, HEAD, OPTIONS" },
  ];
  for (const { status, allow = null, ...question } of cases) {
    await t.step(`${question.method ?? "GET"} ${question.path}: ${status}`, async () => {
      const response = await ask(found, { ...question, headers: { "x-svc-undeclared": "true" } });
      assert.deepEqual([response.status, response.headers.get("allow")], [status, allow]);
      assert.doesNotMatch(await response.text(), /"id"/);
    });
  }
});

Deno.test("a request that came by no route is refused", async () => {
  const found = await todo();
  const mock = createClusterMock(() => found);
  const { response } = await mock(
    new Request("http://localhost/v1/todos", { headers: { "x-svc-closed": "a" } }),
    CLIENT,
  );
  assert.equal(response.status, 404);
  assert.match((await response.json()).detail, /through a route of the gateway/);
});

Deno.test("a request waits for an API that is being planned; starting mocks answer 503", async () => {
  const later = Promise.withResolvers<DeployedMock>();
  const answer = ask(later.promise, { path: "/v1/todos" });
  later.resolve(await todo());
  assert.equal((await answer).status, 200);
  const starting = await ask("starting", { path: "/v1/todos" });
  assert.deepEqual([starting.status, starting.headers.get("retry-after")], [503, "1"]);
});

Deno.test("an operation that got an upstream goes on being mocked, for gateways with the old routes", async () => {
  const proxied = TODO.replace("mocking: {enabled: true}", "mocking: {enabled: false}").replace(
    "[{id: 1}]",
    "[{id: 2}]",
  );
  const bridged = await ask(await todo(proxied, TODO), { path: "/v1/todos" });
  assert.deepEqual([bridged.status, await bridged.text()], [200, '[{"id":1}]']);
  assert.equal((await ask(await todo(proxied), { path: "/v1/todos" })).status, 503);
  // The previous definition, for requests by old routes, is used only for operations that are no longer mocked. This
  // operation is answered by the new one.
  const changed = await ask(await todo(TODO.replace("[{id: 1}]", "[{id: 3}]"), TODO), { path: "/v1/todos" });
  assert.equal(await changed.text(), '[{"id":3}]');
});
