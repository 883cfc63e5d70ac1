/**
 * `gw mock --as-gateway` and the embedded gateway answer the same requests with the same statuses.
 *
 * @module
 */
import assert from "node:assert/strict";
import { createMock } from "../../../lib/mock/mock.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { ask, definition, plan } from "./embedded/fleet.ts";

const OK = 'responses: {"200": {description: Fine.}}';
const OFF = "x-svc: {disabled: true}";
const ON = "x-svc: {disabled: false}";

const PATHS = [
  `/pets: {get: {${OK}}, post: {${OK}}}`,
  `/pets/mine: {get: {${OK}, ${OFF}}, post: {${OK}}}`,
  `/pets/{id}: {get: {${OK}}, put: {${OK}}}`,
  `/one: {get: {${OK}, ${OFF}}}`,
  `/admin: {${OFF}, get: {${OK}}, patch: {${OK}, ${ON}}}`,
  `/admin/{x}: {${OFF}, get: {${OK}}}`,
  `/empty: {${OFF}}`,
  `/closed/: {${OFF}, get: {${OK}}}`,
  `/both: {${OFF}, get: {${OK}}}`,
  `/both/: {get: {${OK}}}`,
  `/any/{x}/: {get: {${OK}}, post: {${OK}}}`,
  `/any/a: {${OFF}, get: {${OK}}}`,
  `/any/b: {get: {${OK}, ${OFF}}}`,
].join("\n  ");

const CASES: Readonly<Record<string, string>> = {
  // Operations that aren't disabled.
  "GET /pets": "200",
  "HEAD /pets": "200",
  "DELETE /pets": "405 GET, POST, HEAD, OPTIONS",
  "OPTIONS /pets": "204 GET, POST, HEAD, OPTIONS",
  "GET /pets/7": "200",
  "GET /nothing": "404",
  "OPTIONS /nothing": "404",
  // A disabled operation, beside a template that matches its path.
  "GET /pets/mine": "404",
  "HEAD /pets/mine": "404",
  "POST /pets/mine": "200",
  "PUT /pets/mine": "200",
  "GET /pets/mine/": "404",
  "DELETE /pets/mine": "405 POST, PUT, OPTIONS",
  "OPTIONS /pets/mine": "204 POST, PUT, OPTIONS",
  // The only operation of this path is disabled.
  "GET /one": "404",
  "HEAD /one": "404",
  "POST /one": "404",
  "OPTIONS /one": "404",
  "GET /one/": "404",
  // A path whose Path Item is disabled.
  "GET /admin": "404",
  "HEAD /admin": "404",
  "POST /admin": "404",
  "OPTIONS /admin": "404",
  "PURGE /admin": "404",
  "POST /%61dmin": "404",
  "PATCH /admin": "200",
  "POST /admin/": "404",
  "PATCH /admin/": "404",
  "GET /admin/7": "404",
  "POST /admin/7": "404",
  "DELETE /admin/7/": "404",
  "GET /empty": "404",
  "POST /empty": "404",
  "POST /empty/": "404",
  "GET /closed": "404",
  "POST /closed": "404",
  "POST /closed/": "404",
  "POST /both": "404",
  "GET /both/": "200",
  "POST /both/": "405 GET, HEAD, OPTIONS",
  // `/any/{x}/` matches these paths too. `/any/a` and GET of `/any/b` are disabled, also with a trailing slash.
  "GET /any/a/": "404",
  "POST /any/a/": "404",
  "GET /any/b/": "404",
  "POST /any/b/": "200",
  "GET /any/c/": "200",
};

Deno.test("the mock as a gateway and the embedded gateway answer alike", async (t) => {
  await compare(t, definition("{mocking: {enabled: true}}", PATHS), CASES);
});

Deno.test("the mock as a gateway and the embedded gateway answer alike where the root is disabled", async (t) => {
  const paths = `/a: {get: {${OK}}, put: {${OK}, ${ON}}}\n  /b: {${ON}, get: {${OK}}}`;
  await compare(t, definition("{disabled: true, mocking: {enabled: true}}", paths), {
    "GET /a": "404",
    "POST /a": "404",
    "PUT /a": "200",
    "POST /a/": "404",
    "GET /b": "200",
    "POST /b": "405 GET, HEAD, OPTIONS",
    "GET /c": "404",
  });
});

Deno.test("the mock as a gateway and the embedded gateway serve paths below path.prefix, not those of servers", async (t) => {
  const servers = "servers: [{url: /v1}]";
  const paths = `/a: {${OFF}, get: {${OK}}}\n  /b: {get: {${OK}}}\n  ` +
    `/c: {x-svc: {path: {prefix: /own/}}, servers: [{url: /v2}], get: {${OK}}}`;
  await compare(t, `${definition("{mocking: {enabled: true}}", paths)}\n${servers}`, {
    "POST /v1/b": "404",
    "GET /v1/b": "404",
    "POST /b": "405 GET, HEAD, OPTIONS",
    "GET /v2/c": "404",
    "GET /c": "404",
    "GET /own/c": "200",
  });
  await compare(t, `${definition("{mocking: {enabled: true}, path: {prefix: /v1}}", paths)}\n${servers}`, {
    "GET /v1/b": "200",
    "GET /b": "404",
    "POST /v1/a": "404",
    "POST /v1/a/": "404",
    "POST /v1/b": "405 GET, HEAD, OPTIONS",
  });
});

Deno.test("a 404 for the base path of servers names path.prefix", async (t) => {
  const text = `${definition("{mocking: {enabled: true}}", `/b: {get: {${OK}}}\n  /a: {${OFF}, get: {${OK}}}`)}\n`;
  for (
    const [servers, path, isNamed] of [
      ["[{url: 'https://a.example/base'}]", "/base/b", true],
      ["[{url: '/base/'}]", "/base/b", true],
      ["[{url: /base}]", "/base/c", false],
      ["[{url: /base}]", "/base/a", false],
      ["[{url: /base}]", "/other/b", false],
      ["[{url: /base}, {url: /}]", "/base/b", false],
    ] as const
  ) {
    await t.step(`${servers} ${path}`, async () => {
      const { response } = await ask([await plan(`${text}servers: ${servers}`)], `http://h${path}`);
      assert.equal(response.status, 404);
      assert.equal(/`x-svc\.path\.prefix: \/base`/.test((await response.json()).detail), isNamed);
    });
  }
});

async function compare(t: Deno.TestContext, text: string, wanted: Readonly<Record<string, string>>): Promise<void> {
  const mock = createMock(await parseDocument(text), { asGateway: true });
  const plans = [await plan(text)];
  for (const [line, want] of Object.entries(wanted)) {
    await t.step(`${line}: ${want}`, async () => {
      const [method = "", path = ""] = line.split(" ");
      const url = `http://any.example${path}`;
      const embedded = await ask(plans, url, { method });
      const mocked = await mock(new Request(url, { method }));
      assert.deepEqual({ gateway: say(embedded.response), mock: say(mocked) }, { gateway: want, mock: want });
    });
  }
}

/** The status of a response, with its `Allow` header. */
function say({ status, headers }: Response): string {
  return `${status} ${headers.get("allow") ?? ""}`.trim();
}
