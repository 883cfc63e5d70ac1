import assert from "node:assert/strict";
import { textOf } from "./definitions.ts";
import { startGw } from "./process.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Half real, version: 1.0.0}
paths:
  /mocked: {get: {responses: {"200": {description: "", content: {text/plain: {example: mocked}}}}}}
  /real:
    x-svc: {mocking: {enabled: false}}
    get: {responses: {"200": {description: ""}}}
    post: {responses: {"200": {description: ""}}}
`;

function serveUpstream(handler: Deno.ServeHandler): { url: string } & AsyncDisposable {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, handler);
  return { url: `http://127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("gw mock --proxy passes on requests that aren't mocked", async () => {
  await using upstream = serveUpstream((request) =>
    Response.json({ url: request.url, headers: Object.fromEntries(request.headers) }, {
      headers: { "x-upstream": "1" },
    })
  );
  await using gw = await startGw({ args: ["mock", "-", "--proxy", `${upstream.url}/base`], stdin: DEFINITION });
  assert.equal(await textOf(gw, "/mocked"), "mocked");
  const response = await fetch(`${gw.url}/real?a=1`);
  const seen = await response.json();
  assert.equal(response.headers.get("x-upstream"), "1");
  assert.equal(seen.url, `${upstream.url}/base/real?a=1`);
  assert.equal(seen.headers["x-forwarded-for"], "127.0.0.1");
  assert.equal(seen.headers["x-forwarded-host"], `127.0.0.1:${gw.port}`);
  await gw.until(/GET \/real\?a=1 200 application\/json upstream/);
});

Deno.test("gw mock --proxy streams both ways", async () => {
  // The upstream echoes each chunk. The client sends the next chunk only after it got the last one back.
  await using upstream = serveUpstream((request) => new Response(request.body));
  await using gw = await startGw({ args: ["mock", "-", "--proxy", upstream.url], stdin: DEFINITION });
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const writing = writer.write(new TextEncoder().encode("one"));
  const response = await fetch(`${gw.url}/real`, { method: "POST", body: readable });
  assert.ok(response.body);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await reader.read()).value, "one");
  await Promise.all([writing, writer.write(new TextEncoder().encode("two"))]);
  assert.equal((await reader.read()).value, "two");
  await writer.close();
  assert.equal((await reader.read()).done, true);
});

Deno.test("gw mock --proxy aborts the request to the upstream when the client disconnects", async () => {
  const { promise: gone, resolve } = Promise.withResolvers<string>();
  await using upstream = serveUpstream(() =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode("first")),
        cancel: () => resolve("gone"),
      }),
    )
  );
  await using gw = await startGw({ args: ["mock", "-", "--proxy", upstream.url], stdin: DEFINITION });
  const client = new AbortController();
  const response = await fetch(`${gw.url}/real`, { signal: client.signal });
  await response.body?.getReader().read();
  client.abort();
  assert.equal(await gone, "gone");
});

Deno.test("gw mock --proxy explains an upstream that can't be reached", async () => {
  const port = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const url = `http://127.0.0.1:${port.addr.port}`;
  port.close();
  await using gw = await startGw({ args: ["mock", "-", "--proxy", url], stdin: DEFINITION });
  const response = await fetch(`${gw.url}/real`);
  assert.equal(response.status, 502);
  assert.match((await response.json()).detail, new RegExp(`^The upstream ${url} can't be reached: `));
});
