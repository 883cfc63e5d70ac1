import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect } from "node:net";
import { createListener, createMiddleware } from "../../adapters/node.ts";
import { createMock, createMockServer, parseDocument } from "../../mod.ts";

const PETS = await parseDocument(`
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get: {responses: {"200": {description: Pets, content: {application/json: {example: [{name: Tom}]}}}}}
    post:
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses: {"201": {description: A pet, headers: {set-cookie: {example: a=1}}, content: {application/json: {example: {name: Kim}}}}}
    delete: {responses: {"204": {description: No pets.}}}
`);

/** Starts a Node server with a request listener. Returns its port. */
async function serve(listener: RequestListener): Promise<{ port: number } & Disposable> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  return { port: address.port, [Symbol.dispose]: () => void server.close() };
}

/** Sends a text over a new connection. Returns all bytes of the response as text. */
async function exchangeText(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  let received = "";
  socket.on("data", (data) => received += data.toString());
  await once(socket, "close");
  return received;
}

Deno.test("createListener() sends the responses of its handler", async (t) => {
  using server = await serve(createListener(await createMockServer(PETS, { stateful: false })));
  const cases: { request: [path: string, init?: RequestInit]; want: [status: number, body: string] }[] = [
    { request: ["/pets"], want: [200, '[{"name":"Tom"}]'] },
    { request: ["/pets", { method: "HEAD" }], want: [200, ""] },
    { request: ["/pets", { method: "DELETE" }], want: [204, ""] },
    { request: ["/pets", { method: "POST", body: "{}" }], want: [201, '{"name":"Kim"}'] },
  ];
  for (const { request: [path, init], want } of cases) {
    await t.step(`${init?.method ?? "GET"} ${path}`, async () => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, init);
      assert.deepEqual([response.status, await response.text()], want);
    });
  }
});

Deno.test("createListener() answers requests that can't be a Request of the Fetch API", async (t) => {
  using server = await serve(createListener(await createMockServer(PETS)));
  const cases = [
    { name: "a bad host", head: "GET /pets HTTP/1.1\r\nHost: a b" },
    { name: "a method that fetch refuses", head: "TRACE /pets HTTP/1.1\r\nHost: a" },
    { name: "the target *", head: "OPTIONS * HTTP/1.1\r\nHost: a" },
  ];
  for (const { name, head } of cases) {
    await t.step(name, async () => {
      assert.match(await exchangeText(server.port, `${head}\r\nConnection: close\r\n\r\n`), /^HTTP\/1\.1 400 /);
    });
  }
});

Deno.test("createListener() refuses bodies beyond the limit", async (t) => {
  using server = await serve(createListener(async (request) => new Response(await request.text()), { maxBody: 10 }));
  const bodies: { name: string; body: BodyInit }[] = [
    { name: "with a length", body: JSON.stringify({ name: "a long name" }) },
    { name: "without", body: new Blob([JSON.stringify({ name: "a long name" })]).stream() },
  ];
  for (const { name, body } of bodies) {
    await t.step(name, async () => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(`http://127.0.0.1:${server.port}/pets`, { method: "POST", headers, body });
      assert.equal(response.status, 413);
      assert.equal((await response.json()).detail, "The body has more than 10 bytes.");
    });
  }
});

Deno.test("createListener() refuses bodies beyond the limit whatever the method", async (t) => {
  using server = await serve(createListener(createMock(PETS), { maxBody: 10 }));
  for (const method of ["GET", "HEAD", "DELETE", "POST", "OPTIONS"]) {
    await t.step(method, async () => {
      const head = `${method} /pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 11\r\n\r\n`;
      assert.match(
        await exchangeText(server.port, `${head}more than 10`.slice(0, head.length + 11)),
        /^HTTP\/1\.1 413 /,
      );
    });
  }
});

Deno.test("createListener() keeps the values of repeated headers", async () => {
  const handler = ({ headers }: Request): Response => {
    const cookies: [string, string][] = [["set-cookie", "a=1"], ["set-cookie", "b=2"]];
    return new Response(headers.get("x-tag"), { headers: cookies });
  };
  using server = await serve(createListener(handler));
  const text = "GET / HTTP/1.1\r\nHost: a\r\nX-Tag: 1\r\nX-Tag: 2\r\nConnection: close\r\n\r\n";
  const received = await exchangeText(server.port, text);
  assert.match(received, /1, 2/);
  assert.deepEqual(received.match(/set-cookie: .*/gi), ["set-cookie: a=1", "set-cookie: b=2"]);
});

Deno.test("createListener() aborts the request and cancels the response's body when the client disconnects", async () => {
  const cancelled = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  using server = await serve(createListener(({ signal }) => {
    signal.addEventListener("abort", () => aborted.resolve());
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("first")),
      cancel: () => cancelled.resolve(),
    });
    return new Response(body);
  }));
  const controller = new AbortController();
  const response = await fetch(`http://127.0.0.1:${server.port}/`, { signal: controller.signal });
  await response.body?.getReader().read();
  controller.abort();
  await Promise.all([cancelled.promise, aborted.promise]);
});

Deno.test("createListener() closes the connection if a rule demands it", async () => {
  const mock = await createMockServer(PETS);
  await mock.rules.add("GET /pets: reset");
  using server = await serve(createListener(mock));
  assert.equal(await exchangeText(server.port, "GET /pets HTTP/1.1\r\nHost: a\r\n\r\n"), "");
});

Deno.test("createListener() sends the beginning of a truncated body", async () => {
  const mock = await createMockServer(PETS, { stateful: false });
  await mock.rules.add("GET /pets: truncated 3");
  using server = await serve(createListener(mock));
  const text = await exchangeText(server.port, "GET /pets HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(text, /\r\n\r\n(3\r\n)?\[\{"(\r\n)?$/);
});

Deno.test("createListener() takes the body that a parser has read", async (t) => {
  const echo = async (request: Request): Promise<Response> =>
    new Response(`${request.headers.get("content-encoding")} ${await request.text()}`);
  const listener = createListener(echo);
  const form = "application/x-www-form-urlencoded";
  const cases: { name: string; type: string; parsed: unknown; want: string }[] = [
    { name: "a text", type: "text/plain", parsed: "Tom", want: "Tom" },
    { name: "bytes", type: "text/plain", parsed: new TextEncoder().encode("Tom"), want: "Tom" },
    { name: "JSON", type: "application/json", parsed: { name: "Tom" }, want: '{"name":"Tom"}' },
    { name: "a form", type: form, parsed: { name: "Tom", tag: ["a", "b"] }, want: "name=Tom&tag=a&tag=b" },
    { name: "a form with objects", type: form, parsed: { cat: { name: "Tom" } }, want: "cat%5Bname%5D=Tom" },
    {
      name: "a form with a list of objects",
      type: form,
      parsed: { cats: [{ name: "Tom" }, { name: "Kit" }] },
      want: "cats%5B0%5D%5Bname%5D=Tom&cats%5B1%5D%5Bname%5D=Kit",
    },
  ];
  for (const { name, type, parsed, want } of cases) {
    await t.step(name, async () => {
      using server = await serve(async (incoming, outgoing) => {
        await Array.fromAsync(incoming);
        listener(Object.assign(incoming, { body: parsed }), outgoing);
      });
      const headers = { "content-type": type, "content-encoding": "gzip" };
      const response = await fetch(`http://127.0.0.1:${server.port}/`, { method: "POST", headers, body: "encoded" });
      assert.equal(await response.text(), `null ${want}`);
    });
  }
});

Deno.test("createListener() answers a connection's next request after a body that was read in part", async () => {
  using server = await serve(createListener(async ({ body }) => {
    await body?.getReader().read();
    return new Response("done");
  }));
  const body = "x".repeat(200_000);
  const first = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const received = await exchangeText(server.port, `${first}GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  assert.equal(received.match(/HTTP\/1\.1 200 /g)?.length, 2);
});

Deno.test("createListener() answers with 500 and the reason if its handler fails", async (t) => {
  const handlers = {
    "throws": () => {
      throw new Error("no luck");
    },
    "rejects": () => Promise.reject(new Error("no luck")),
  };
  for (const [name, handler] of Object.entries(handlers)) {
    await t.step(name, async () => {
      using server = await serve(createListener(handler));
      const response = await fetch(`http://127.0.0.1:${server.port}/`);
      assert.equal(response.status, 500);
      assert.equal((await response.json()).detail, "The handler of this request failed: no luck");
    });
  }
});

Deno.test("createMiddleware() answers a request whose target is a whole URL", async () => {
  const middleware = createMiddleware(await createMockServer(PETS));
  using server = await serve((request, response) => middleware(request, response, () => response.writeHead(418).end()));
  const textOf = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
  assert.match(await exchangeText(server.port, textOf("http://a/pets")), /^HTTP\/1\.1 200 /);
  assert.match(await exchangeText(server.port, textOf("*")), /^HTTP\/1\.1 418 /);
});
