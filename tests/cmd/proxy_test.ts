import assert from "node:assert/strict";
import { type Running, startGw } from "./process.ts";
import { sendRaw } from "./raw.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pet:
    get:
      responses: &responses
        "200": {description: "", content: {application/json: {schema: {type: object, required: [id]}}}}
        "204": {description: ""}
    put:
      requestBody: {content: {application/json: {schema: {type: object, required: [id]}}}}
      responses: *responses
  /events:
    get:
      responses:
        "200": {description: "", content: {text/event-stream: {schema: {type: object, properties: {data: {maxLength: 3}}}}}}
`;
const JSON_TYPE = { headers: { "content-type": "application/json" } };
const ENCODER = new TextEncoder();

interface Setting extends AsyncDisposable {
  readonly gw: Running;
}

/** Starts `gw proxy` in front of an upstream in this process. */
async function startProxy(handler: Deno.ServeHandler, ...flags: string[]): Promise<Setting> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, handler);
  const url = `http://127.0.0.1:${server.addr.port}`;
  const gw = await startGw({ args: ["proxy", "-", url, "--no-watch", ...flags], stdin: DEFINITION });
  return {
    gw,
    async [Symbol.asyncDispose]() {
      await gw[Symbol.asyncDispose]();
      await server.shutdown();
    },
  };
}

Deno.test("gw proxy sends every operation to the server", async () => {
  await using setting = await startProxy(() => Response.json({ id: 1, real: true }));
  assert.deepEqual(await (await fetch(`${setting.gw.url}/pet`)).json(), { id: 1, real: true });
  await setting.gw.until(/GET \/pet 200 application\/json upstream/);
});

Deno.test("gw proxy passes events on as they arrive, and logs their violations at the end", async () => {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  await using setting = await startProxy(() =>
    new Response(readable, { headers: { "content-type": "text/event-stream" } })
  );
  const { gw } = setting;
  const writer = writable.getWriter();
  const writing = writer.write(ENCODER.encode("data: abc\n\n"));
  const response = await fetch(`${gw.url}/events`);
  assert.ok(response.body);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await reader.read()).value, "data: abc\n\n");
  await Promise.all([writing, writer.write(ENCODER.encode("data: abcd\n\n"))]);
  assert.equal((await reader.read()).value, "data: abcd\n\n");
  await writer.close();
  assert.equal((await reader.read()).done, true);
  await gw.until(
    /\d GET \/events 200 body\n {2}! Response body property 1\.data must NOT have more than 3 characters\./,
  );
});

Deno.test("gw proxy aborts the request to the server when the client disconnects while a body is held back", async () => {
  const { promise: gone, resolve } = Promise.withResolvers<string>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  await using setting = await startProxy(
    () => {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(ENCODER.encode("{")),
        // The stream is pulled again once its first chunk was taken: gw has asked for the body.
        pull: () => ask(),
        cancel: () => resolve("gone"),
      });
      return new Response(body, JSON_TYPE);
    },
    "--validate",
    "error",
  );
  const client = new AbortController();
  const fetching = fetch(`${setting.gw.url}/pet`, { signal: client.signal }).catch(() => "aborted");
  await asked;
  client.abort();
  assert.equal(await fetching, "aborted");
  assert.equal(await gone, "gone");
});

Deno.test("gw proxy reads the body of a client that expects 100", async (t) => {
  await using setting = await startProxy(async (request) => new Response(await request.text(), JSON_TYPE));
  const cases = [{ body: '{"id":1}', want: "" }, { body: '{"id"  }', want: "not JSON" }];
  for (const { body, want } of cases) {
    await t.step(body, async () => {
      const head = "PUT /pet HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nConnection: close\r\n" +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      const answer = await sendRaw(setting.gw.port, head + body, 2000);
      assert.match(answer, want === "" ? /\r\n\r\n\{"id":1\}$/ : /x-gw-violations: .*is not JSON/);
    });
  }
});

Deno.test("gw proxy passes on answers to HEAD, 204 and 304 as they are", async (t) => {
  await using setting = await startProxy(
    ({ method, headers }) => {
      if (headers.has("if-none-match")) return new Response(null, { status: 304, headers: { etag: '"1"' } });
      if (method === "HEAD") {
        return new Response(null, { headers: { "content-length": "99", "content-type": "application/json" } });
      }
      return new Response(null, { status: 204 });
    },
    "--validate",
    "error",
  );
  const cases = [
    { name: "HEAD", init: { method: "HEAD" }, status: 200, length: "99" },
    { name: "204", init: {}, status: 204, length: null },
    { name: "304", init: { headers: { "if-none-match": '"1"' } }, status: 304, length: null },
  ];
  for (const { name, init, status, length } of cases) {
    await t.step(name, async () => {
      const response = await fetch(`${setting.gw.url}/pet`, init);
      assert.equal(response.status, status);
      assert.equal(response.headers.get("content-length"), length);
      assert.equal(response.headers.get("x-gw-violations"), null);
      assert.equal(await response.text(), "");
    });
  }
});

Deno.test("gw proxy sends a request to upgrade on as a plain one", async () => {
  await using setting = await startProxy(({ headers }) => Response.json({ id: 1, upgrade: headers.get("upgrade") }));
  const request = "GET /pet HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  const answer = await sendRaw(setting.gw.port, request, 1000);
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(answer, /\{"id":1,"upgrade":null\}$/);
});

Deno.test("gw proxy breaks off the request to the server when the client breaks off its upload", async () => {
  const { promise: received, resolve } = Promise.withResolvers<string>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  await using setting = await startProxy(async (request) => {
    ask();
    resolve(await request.text().then(() => "whole", () => "broken"));
    return new Response(null, { status: 204 });
  });
  using connection = await Deno.connect({ port: setting.gw.port });
  const head =
    "PUT /pet HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{";
  await connection.write(ENCODER.encode(head));
  await asked;
  connection.close();
  assert.equal(await received, "broken");
});

Deno.test("gw proxy tells the upstream scheme and host that a trusted proxy tells, and no one else", async (t) => {
  const cases = [
    { name: "a trusted proxy", flags: ["--trusted-proxy", "127.0.0.0/8"], want: "https://shop.example" },
    { name: "another client", flags: ["--trusted-proxy", "10.0.0.0/8"], want: undefined },
    { name: "no flag", flags: [], want: undefined },
  ];
  for (const { name, flags, want } of cases) {
    await t.step(name, async () => {
      let seen: Headers | undefined;
      await using setting = await startProxy(({ headers }) => {
        seen = headers;
        return new Response(null, { status: 204 });
      }, ...flags);
      const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "shop.example" };
      await fetch(`${setting.gw.url}/pet`, { headers });
      const told = `${seen?.get("x-forwarded-proto")}://${seen?.get("x-forwarded-host")}`;
      assert.equal(told, want ?? setting.gw.url);
      assert.equal(seen?.get("forwarded")?.includes("host=shop.example;proto=https"), want !== undefined);
    });
  }
});
