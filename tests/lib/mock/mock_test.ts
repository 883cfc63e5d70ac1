/** What `createMock` does beside the rules of mocking, whose rows are in exchanges/. */
import assert from "node:assert/strict";
import { createMock } from "../../../lib/mock/mock.ts";
import { createResponder } from "../../../lib/mock/responder.ts";
import type { MockOptions } from "../../../lib/mock/mock_options.ts";
import { type Document, parseDocument } from "../../../lib/openapi/document.ts";

const json = (content: unknown): Record<string, unknown> => ({ content: { "application/json": content } });
const ok = (content: unknown): Record<string, unknown> => ({ get: { responses: { "200": json(content) } } });

Deno.test("operations that aren't mocked go to the upstream", async (t) => {
  const upstream = (): Response => new Response("from upstream", { status: 207 });
  const unmocked = { get: { "x-svc": { mocking: { enabled: false } }, responses: { "200": json({ example: 1 }) } } };
  const cases: { name: string; path: Record<string, unknown>; options: MockOptions; status: number; source: string }[] =
    [
      {
        name: "as a gateway, without mocking",
        path: ok({ example: 1 }),
        options: { asGateway: true, upstream },
        status: 207,
        source: "upstream",
      },
      { name: "locally, with mocking off", path: unmocked, options: { upstream }, status: 207, source: "upstream" },
      {
        name: "locally, without mocking",
        path: ok({ example: 1 }),
        options: { upstream },
        status: 200,
        source: "example",
      },
      {
        name: "as a gateway without an upstream",
        path: ok({ example: 1 }),
        options: { asGateway: true },
        status: 501,
        source: "problem",
      },
    ];
  for (const { name, path, options, status, source } of cases) {
    await t.step(name, async () => {
      const respond = await createResponder([await define({ "/a": path })], options);
      const reply = await respond(new Request("http://localhost:8080/a"));
      const text = await reply.response.text();
      assert.deepEqual([reply.response.status, reply.source], [status, source], text);
      if (status === 501) assert.match(text, /x-svc\.mocking\.enabled.*--proxy/);
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
