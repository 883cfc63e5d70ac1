import assert from "node:assert/strict";
import { createMock } from "../../../lib/mock/mock.ts";
import type { MockOptions } from "../../../lib/mock/mock_options.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";

const text = (example: string) => ({ responses: { 200: { content: { "text/plain": { example } } } } });

async function ask(
  line: string,
  { paths = { "/pets": { get: text("pets") } }, accept, options = { control: true } }: {
    paths?: Record<string, unknown>;
    accept?: string;
    options?: MockOptions;
  } = {},
): Promise<Response> {
  const info = { title: "Pets <b>", version: "1.0.0" };
  const document = await parseDocument(JSON.stringify({ openapi: "3.1.0", info, paths }));
  const [method = "", path = ""] = line.split(" ");
  const headers: HeadersInit = accept === undefined ? {} : { accept };
  return await createMock(document, options)(new Request(`http://localhost${path}`, { method, headers }));
}

Deno.test("/_gw/health answers GET and HEAD with 200", async () => {
  const response = await ask("GET /_gw/health");
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.deepEqual(await response.json(), { status: "ok" });
  assert.equal((await ask("HEAD /_gw/health")).status, 200);
  const refused = await ask("POST /_gw/health");
  assert.equal(refused.status, 405);
  assert.equal(refused.headers.get("allow"), "GET, HEAD");
  const unknown = await ask("GET /_gw/helth");
  assert.equal(unknown.status, 404);
  assert.match((await unknown.json()).detail, /\/_gw\/health/);
});

Deno.test("/_gw/ takes precedence over path templates of the definition, but not over its literal paths", async () => {
  const template = { "/{a}/{b}": { get: text("template") } };
  assert.deepEqual(await (await ask("GET /_gw/health", { paths: template })).json(), { status: "ok" });
  const literal = { "/_gw/health": { get: text("own") } };
  assert.equal(await (await ask("GET /_gw/health", { paths: literal })).text(), "own");
  const off = { paths: template, options: { control: false } };
  assert.equal(await (await ask("GET /_gw/health", off)).text(), "template");
});

Deno.test("/ lists the operations as JSON, for browsers too where there is no console", async () => {
  const paths = {
    "/pets": { get: { ...text("pets"), summary: 'All <pets> & "more"' }, post: text("made") },
    "/pets/{id}": { get: text("pet") },
    "//other.example/x": { get: text("other") },
  };
  for (const accept of [undefined, "*/*", "application/json", "text/html,*/*;q=0.8"]) {
    const response = await ask("GET /", { paths, ...(accept === undefined ? {} : { accept }) });
    assert.equal(response.status, 200);
    assert.deepEqual(
      (await response.json()).definitions[0].operations.map(({ method, path }: Record<string, string>) => {
        return `${method} ${path}`;
      }),
      ["GET /pets", "POST /pets", "GET /pets/{id}", "GET //other.example/x"],
    );
  }
});

Deno.test("/ is the definition's if it declares it, and 404 without the option control or as a gateway", async () => {
  assert.equal(await (await ask("GET /", { paths: { "/": { get: text("root") } } })).text(), "root");
  for (const options of [{ control: false }, {}, { control: true, asGateway: true }]) {
    assert.equal((await ask("GET /", { options })).status, 404);
    assert.equal((await ask("GET /_gw/health", { options })).status, 404);
  }
  assert.equal((await ask("POST /")).status, 404);
});
