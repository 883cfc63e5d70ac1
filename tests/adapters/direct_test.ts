import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as send } from "node:http";
import { createListener } from "../../adapters/node.ts";
import { createMock, type Handler, parseDocument } from "../../mod.ts";

const DEFINITION = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  paths: {
    "/pets": {
      get: {
        parameters: [{ name: "limit", in: "query", schema: { type: "integer" } }],
        responses: {
          "200": {
            description: "Pets",
            headers: { "X-Total": { example: 3 }, "Set-Cookie": { example: "a=1" } },
            content: { "application/json": { example: [{ name: "Tömas" }] }, "text/plain": { example: "Tömas" } },
          },
          "503": { description: "Down" },
        },
      },
      delete: { responses: { "204": { description: "Gone" } } },
      put: { responses: { "201": { description: "Put", content: { "application/json": { example: { id: 1 } } } } } },
      post: {
        requestBody: { content: { "application/json": { schema: {} } } },
        responses: {
          "200": {
            description: "The answer depends on the body.",
            content: {
              "application/json": {
                examples: {
                  tom: { value: "Tom", "x-svc": { mocking: { match: { "body./name": "Tom" } } } },
                  other: { value: "other" },
                },
              },
            },
          },
        },
      },
    },
    "/pets/{id}": {
      get: { responses: { "200": { description: "A pet", content: { "application/json": { schema: {} } } } } },
    },
    "/long": {
      get: { responses: { "200": { description: "Long", content: { "text/plain": { example: "x".repeat(1e6) } } } } },
    },
    ...Object.fromEntries(
      "ABCDEFGHIJKLMNOPQRST".split("").map((name) => [`/actions#X-${name}=1`, {
        post: { responses: { "200": { description: name, content: { "text/plain": { example: name } } } } },
      }]),
    ),
    "/old": {
      get: { "x-svc": { redirect: { path_redirect: "/new" } }, responses: { "204": { description: "None" } } },
    },
  },
};

interface Sent {
  path: string;
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
}

const JSON_TYPE = { "content-type": "application/json" };

const REQUESTS: Sent[] = [
  { path: "/pets" },
  { path: "/pets?limit=3&__code=503" },
  { path: "/pets", headers: { accept: "text/plain" } },
  { path: "/pets", headers: { accept: ["text/html", "text/plain;q=0.1"] } },
  { path: "/pets", headers: { accept: "image/png" } },
  { path: "/pets", headers: { prefer: "code=503" } },
  { path: "/pets", headers: { origin: "https://app.example.com" } },
  { path: "/pets", method: "HEAD" },
  { path: "/pets", method: "DELETE" },
  { path: "/pets", method: "OPTIONS" },
  { path: "/pets", method: "DELETE", headers: { "content-length": "6" }, body: "unread" },
  { path: "/pets", method: "PUT", headers: JSON_TYPE, body: '{"name":"Kim"}' },
  { path: "/pets", method: "PUT", headers: { ...JSON_TYPE, prefer: "code=404" }, body: "x".repeat(100_000) },
  { path: "/pets", method: "PUT", headers: { "transfer-encoding": "chunked" }, body: "unread" },
  { path: "/pets", method: "PUT" },
  { path: "/pets", method: "PATCH", body: "{}" },
  { path: "/pets", method: "POST", headers: JSON_TYPE, body: '{"name":"Tom"}' },
  { path: "/pets", method: "POST", headers: JSON_TYPE, body: '{"name":"Kim"}' },
  { path: "/pets", method: "POST", headers: JSON_TYPE, body: `{"name":"Tom","note":"${"x".repeat(100_000)}"}` },
  { path: "/pets", method: "POST", headers: { "transfer-encoding": "chunked", ...JSON_TYPE }, body: '{"name":"Tom"}' },
  { path: "/pets", method: "POST", headers: JSON_TYPE, body: '{"name":' },
  { path: "/pets", method: "POST" },
  { path: "/pets", method: "HEAD", headers: { accept: "text/plain" } },
  { path: "/none", method: "HEAD" },
  { path: "/actions", method: "POST", headers: { "X-J": "1" }, body: "unread" },
  { path: "/pets/7" },
  { path: "/pets/./7" },
  { path: "/pets/x/../7" },
  { path: "/pets/%2E%2e/pets" },
  { path: "//pets" },
  { path: "/pets/K%C3%A4se" },
  { path: "/pets/a'b|c" },
  { path: "/pets", headers: { host: "api.example.com:80" } },
  { path: "/pets", headers: { host: "127.1" } },
  { path: "/pets", headers: { host: "a b" } },
  { path: "/long" },
  { path: "/old" },
  { path: "/none" },
];

Deno.test("requests on the fast path get the same response as others", async (t) => {
  const mock = createMock(await parseDocument(DEFINITION));
  for (const { path, ...options } of REQUESTS) {
    await t.step(
      `${options.method ?? "GET"} ${path} ${JSON.stringify(options.headers ?? {}).slice(0, 60)}`,
      async () => {
        const expected = await ask((request) => mock(request), path, options);
        assert.deepEqual(await ask(mock, path, options), expected);
        assert.deepEqual(await ask(mock, path, options), expected, "the second time");
      },
    );
  }
});

/** The response of a server with a handler: status, headers and body. Headers about the connection are left out. */
async function ask(handler: Handler, path: string, { body, ...options }: Omit<Sent, "path">): Promise<unknown> {
  const server = createServer(createListener(handler)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  try {
    const sent = send({ port, path, agent: false, ...options }).end(body);
    const [response] = await once(sent, "response");
    const chunks: Uint8Array[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const { connection: _, date: __, "keep-alive": ___, "transfer-encoding": ____, ...headers } = response.headers;
    // If the handler gives the whole body at once, the server adds its length.
    if (options.method !== "HEAD") delete headers["content-length"];
    return {
      status: response.statusCode,
      headers,
      body: new TextDecoder().decode(await new Blob(chunks as BlobPart[]).bytes()),
    };
  } finally {
    server.close();
  }
}
