import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createListener } from "../../../adapters/node.ts";
import { createMock, createMockServer, type DefinitionObject, type Handler, parseDocument } from "../../../mod.ts";

const TWO = ["lang=en-US; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "foo=bar; Path=/"];
const LINES = TWO.join("\n");

const strings = { type: "array", items: { type: "string" } };

/** Header Objects of `Set-Cookie`, and the headers that they become. */
const COOKIES: Readonly<Record<string, [header: Record<string, unknown>, want: readonly string[]]>> = {
  "an array": [{ schema: strings, example: TWO }, TWO],
  "an array in examples": [{ schema: strings, examples: { two: { value: TWO } } }, TWO],
  "an array of one": [{ schema: strings, example: ["a=1, 2"] }, ["a=1, 2"]],
  "an empty array": [{ schema: strings, example: [] }, []],
  "an array by const": [{ schema: { const: TWO } }, TWO],
  "an object": [{ schema: { type: "object" }, example: { lang: "en-US", foo: 7 } }, ["lang=en-US", "foo=7"]],
  "a text": [{ schema: { type: "string" }, example: TWO[0] }, TWO.slice(0, 1)],
  "lines of a text": [{ schema: { type: "string" }, example: `${LINES}\n` }, TWO],
  "lines with CR LF": [{ schema: { type: "string" }, example: TWO.join("\r\n") }, TWO],
  "text/plain": [{ content: { "text/plain": { schema: { type: "string" }, example: LINES } } }, TWO],
  "text/plain, serialized": [{ content: { "text/plain": { examples: { a: { serializedValue: LINES } } } } }, TWO],
  "serialized": [{ schema: strings, examples: { a: { serializedValue: LINES } } }, TWO],
};

function definition(headers: Record<string, unknown>, method = "get", content?: unknown): DefinitionObject {
  const response = { description: "", headers, ...(content === undefined ? {} : { content }) };
  return {
    openapi: "3.2.0",
    info: { title: "", version: "" },
    paths: { "/x": { [method]: { responses: { "200": response } } } },
  };
}

/** Answers by the library alone, by Deno's server, and by Node's with and without the fast path. */
const SERVERS: Readonly<
  Record<string, (definition: DefinitionObject, ask: (send: Handler) => Promise<void>) => Promise<void>>
> = {
  library: async (definition, ask) => await ask(createMock(await parseDocument(definition))),
  Deno: async (definition, ask) => {
    const mock = createMock(await parseDocument(definition));
    await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => mock(request));
    await ask((request) => fetch(new Request(`http://127.0.0.1:${server.addr.port}/x`, request)));
  },
  "node:http": async (definition, ask) => await askNode(createListener(await createMockServer(definition)), ask),
  "node:http, directly": async (definition, ask) => {
    await askNode(createListener(createMock(await parseDocument(definition))), ask);
  },
};

async function askNode(listener: ReturnType<typeof createListener>, ask: (send: Handler) => Promise<void>) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = Object(server.address());
  await ask((request) => fetch(new Request(`http://127.0.0.1:${port}/x`, request)));
  server.closeAllConnections();
  server.close();
}

for (const [name, serve] of Object.entries(SERVERS)) {
  Deno.test(`each cookie has a Set-Cookie header of its own: ${name}`, async (t) => {
    for (const [form, [header, want]] of Object.entries(COOKIES)) {
      await t.step(form, async () => {
        await serve(definition({ "Set-Cookie": header }), async (send) => {
          const response = await send(new Request("http://localhost/x"));
          await response.body?.cancel();
          assert.deepEqual(response.headers.getSetCookie(), want);
        });
      });
    }
  });

  Deno.test(`HEAD has the declared Content-Length: ${name}`, async (t) => {
    const length = { schema: { type: "integer" }, example: 1024 };
    const content = { "text/plain": { example: "body" } };
    const cases: Readonly<Record<string, [definition: DefinitionObject, method: string, want: string | null]>> = {
      "of HEAD": [definition({ "Content-Length": length }, "head"), "HEAD", "1024"],
      "of HEAD with a body": [definition({ "Content-Length": length }, "head", content), "HEAD", "1024"],
      "by const": [definition({ "content-length": { schema: { const: 7 } } }, "head"), "HEAD", "7"],
      "of GET": [definition({ "Content-Length": length }, "get", content), "HEAD", "4"],
      "of GET, to GET": [definition({ "Content-Length": length }, "get", content), "GET", "4"],
    };
    for (const [form, [definition, method, want]] of Object.entries(cases)) {
      await t.step(form, async () => {
        await serve(definition, async (send) => {
          const response = await send(new Request("http://localhost/x", { method }));
          const body = await response.text();
          // The library alone tells no length of a body that it has.
          const found = response.headers.get("content-length") ?? (method === "GET" ? String(body.length) : null);
          assert.equal(found, want);
        });
      });
    }
  });
}

Deno.test("a header of text/plain has its text without quotes, other lists are joined", async () => {
  const headers = {
    "X-Text": { content: { "text/plain": { example: "a b" } } },
    "X-Json": { content: { "application/json": { example: { a: 1 } } } },
    "Link": { schema: strings, example: ['</a>; rel="next"', '</b>; rel="prev"'] },
    "Content-Length": { schema: { type: "integer" } },
  };
  const response = await createMock(await parseDocument(definition(headers)))(new Request("http://localhost/x"));
  assert.equal(response.headers.get("x-text"), "a b");
  assert.equal(response.headers.get("x-json"), '{"a":1}');
  assert.equal(response.headers.get("link"), '</a>; rel="next",</b>; rel="prev"');
  assert.equal(response.headers.get("content-length"), null);
});
