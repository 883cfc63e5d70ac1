import assert from "node:assert/strict";
import { createMock } from "../../../../lib/mock/mock.ts";
import type { MockOptions } from "../../../../lib/mock/mock_options.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

const DOCUMENT = await parseDocument(JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Half real", version: "1" },
  paths: {
    "/a": {
      get: { responses: { 200: { content: { "text/plain": { example: "mocked" } } } } },
      put: { responses: { 200: {} }, "x-svc": { mocking: { enabled: false } } },
      delete: { responses: { 200: {} }, "x-svc": { mocking: { enabled: false } } },
    },
    "/b": {
      get: { responses: { 200: {} }, "x-svc": { mocking: { enabled: false } } },
      options: {
        responses: { 200: { headers: { "Access-Control-Allow-Methods": { example: "GET, DELETE" } } } },
      },
    },
  },
}));

/**
 * Sends a request to a mock server in front of an upstream. The upstream answers OPTIONS with `answer`, by default with
 * 501.
 */
async function ask(
  method: string,
  origin: string | undefined,
  answer: { status?: number; headers?: Record<string, string> } = {},
  { preflight = false, path = "/a", ...options }: MockOptions & { preflight?: boolean; path?: string } = {},
): Promise<{ response: Response; asked: string[] }> {
  const asked: string[] = [];
  const mock = createMock(DOCUMENT, {
    upstream: ({ method }) => {
      asked.push(method);
      return new Response("real", { headers: { "x-real": "1" }, ...answer });
    },
    ...options,
  });
  const headers = new Headers(origin === undefined ? {} : { origin });
  if (preflight) {
    headers.set("access-control-request-method", method);
    headers.set("access-control-request-headers", "content-type");
  }
  const request = new Request(`http://gw${path}`, { method: preflight ? "OPTIONS" : method, headers });
  return { response: await mock(request), asked };
}

/** For each origin of a page: whether the page may read an upstream's response that has no CORS headers. */
const ORIGINS: { origin: string; corsOrigins?: string[]; want: boolean }[] = [
  { origin: "http://localhost:3000", want: true },
  { origin: "https://app.localhost", want: true },
  { origin: "http://127.0.0.1:5173", want: true },
  { origin: "http://[::1]:5173", want: true },
  { origin: "https://app.example.com", want: false },
  { origin: "https://localhost.example.com", want: false },
  { origin: "app://localhost", want: false },
  { origin: "null", want: false },
  { origin: "https://app.example.com", corsOrigins: ["https://app.example.com"], want: true },
  { origin: "http://app.example.com", corsOrigins: ["https://app.example.com"], want: false },
];

for (const { origin, corsOrigins = [], want } of ORIGINS) {
  const permitted = `${origin}${corsOrigins.length > 0 ? `, with ${corsOrigins} permitted,` : ""}`;
  Deno.test(`pages of ${permitted} ${want ? "may" : "may not"} read the answers of the upstream`, async () => {
    const { response } = await ask("PUT", origin, {}, { corsOrigins });
    assert.equal(response.headers.get("access-control-allow-origin"), want ? origin : null);
    assert.equal(response.headers.get("access-control-allow-credentials"), want ? "true" : null);
    assert.equal(/x-real/.test(response.headers.get("access-control-expose-headers") ?? ""), want);
    assert.equal(response.headers.get("vary"), "origin");
    assert.equal(await response.text(), "real");
  });

  Deno.test(`a preflight of ${permitted} ${want ? "passes" : "doesn't pass"} for the upstream`, async () => {
    const { response, asked } = await ask("PUT", origin, { status: 501 }, { corsOrigins, preflight: true });
    assert.deepEqual(asked, ["OPTIONS"]);
    assert.equal(response.status, 204);
    assert.equal(response.headers.get("access-control-allow-origin"), want ? origin : null);
    const methods = response.headers.get("access-control-allow-methods");
    assert.equal(methods, want ? "GET, PUT, DELETE, HEAD, OPTIONS" : null);
    assert.equal(response.headers.get("access-control-allow-headers"), want ? "content-type" : null);
  });
}

Deno.test("an upstream's own CORS headers take precedence", async () => {
  const headers = { "access-control-allow-origin": "https://only", "vary": "Origin" };
  for (const preflight of [false, true]) {
    const { response } = await ask("PUT", "http://localhost:1", { headers }, { preflight });
    assert.equal(response.headers.get("access-control-allow-origin"), "https://only");
    assert.equal(response.headers.get("access-control-allow-credentials"), null);
    assert.equal(response.headers.get("vary"), "Origin");
    assert.equal(await response.text(), "real");
  }
});

Deno.test("an upstream keeps its own headers of CORS and Vary", async () => {
  const headers = { "access-control-expose-headers": "x-total", "vary": "accept" };
  const { response } = await ask("PUT", "http://localhost:1", { headers });
  assert.equal(response.headers.get("access-control-expose-headers"), "x-total");
  assert.equal(response.headers.get("vary"), "accept, origin");
});

Deno.test("a preflight for a mocked operation doesn't allow those of the upstream", async () => {
  const { response, asked } = await ask("GET", "https://elsewhere", {}, { preflight: true });
  assert.deepEqual(asked, []);
  assert.equal(response.headers.get("access-control-allow-origin"), "https://elsewhere");
  assert.equal(response.headers.get("access-control-allow-methods"), "GET, HEAD, OPTIONS");
});

Deno.test("a mocked OPTIONS doesn't answer preflights for the upstream", async () => {
  const { response, asked } = await ask("GET", "https://elsewhere", {}, { preflight: true, path: "/b" });
  assert.deepEqual(asked, ["OPTIONS"]);
  assert.equal(response.headers.get("access-control-allow-origin"), null);
});

Deno.test("without CORS an upstream's answers go on as they are", async () => {
  for (const preflight of [false, true]) {
    const { response, asked } = await ask("PUT", "http://localhost:1", {}, { cors: false, preflight });
    assert.deepEqual([...response.headers.keys()], ["content-type", "x-real"]);
    assert.deepEqual(asked, [preflight ? "OPTIONS" : "PUT"]);
  }
});

Deno.test("an answer to a request without Origin has Vary: origin", async () => {
  const { response } = await ask("PUT", undefined);
  assert.equal(response.headers.get("vary"), "origin");
  assert.equal(response.headers.get("access-control-allow-origin"), null);
});
