import assert from "node:assert/strict";
import { sendRaw } from "./raw.ts";
import { definition, send, startServe } from "./serve_process.ts";

/**
 * Malformed or ambiguous requests, and the expected responses. They must neither end the process nor reach an upstream
 * with another meaning.
 */
const REQUESTS: Record<string, { raw: string; want: RegExp }> = {
  "two content-lengths that differ": {
    raw: "POST /pets HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\ncontent-length: 40\r\n\r\nbody",
    want: /^HTTP\/1\.1 400 /,
  },
  "a content-length beside a transfer-encoding": {
    raw: "POST /pets HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n" +
      "0\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: localhost\r\n\r\n",
    want: /^HTTP\/1\.1 \d\d\d /,
  },
  "a transfer-encoding that isn't chunked at last": {
    raw: "POST /pets HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    want: /^HTTP\/1\.1 [45]\d\d /,
  },
  "a header that goes on in the next line": {
    raw: "POST /pets HTTP/1.1\r\nhost: localhost\r\nx-a: b\r\n content-length: 40\r\n\r\n",
    want: /^HTTP\/1\.1 [245]\d\d /,
  },
  "a space before the colon": {
    raw: "POST /pets HTTP/1.1\r\nhost: localhost\r\ncontent-length : 4\r\n\r\nbody",
    want: /^HTTP\/1\.1 400 /,
  },
  "a content-length that is no number": {
    raw: "POST /pets HTTP/1.1\r\nhost: localhost\r\ncontent-length: +4\r\n\r\nbody",
    want: /^HTTP\/1\.1 400 /,
  },
  "a chunk size that is none": {
    raw: "POST /pets HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nbody\r\n0\r\n\r\n",
    want: /^(HTTP\/1\.1 [245]\d\d |$)/,
  },
  "a host that is none": { raw: "GET /pets HTTP/1.1\r\nhost: a b/<>\r\n\r\n", want: /^HTTP\/1\.1 400 [^]*Host/ },
  "a host with a path": { raw: "GET /pets HTTP/1.1\r\nhost: localhost/x\r\n\r\n", want: /^HTTP\/1\.1 400 [^]*Host/ },
  "two hosts": { raw: "GET /pets HTTP/1.1\r\nhost: localhost\r\nhost: b\r\n\r\n", want: /^HTTP\/1\.1 [24]\d\d / },
  "no host": { raw: "GET /pets HTTP/1.0\r\n\r\n", want: /^HTTP\/1\.[01] [24]\d\d / },
  "an absolute target of another host": {
    raw: "GET http://other.example/pets HTTP/1.1\r\nhost: localhost\r\n\r\n",
    want: /^HTTP\/1\.1 [24]\d\d /,
  },
  "an origin that is none": {
    raw: "POST /pets HTTP/1.1\r\nhost: localhost\r\norigin: ://\r\ncontent-length: 0\r\n\r\n",
    want: /^HTTP\/1\.1 [245]\d\d /,
  },
  "bad percent-encoding": {
    raw: "GET /apis/%zz/%00 HTTP/1.1\r\nhost: localhost\r\n\r\n",
    want: /^HTTP\/1\.1 [24]\d\d /,
  },
  "no HTTP at all": { raw: "\u0016\u0003\u0001\u0002\r\n\r\n", want: /^(HTTP\/1\.1 400 [^]*)?$/ },
};

Deno.test("gw serve takes every request, however malformed, at its management API and its fleets", async (t) => {
  const seen: string[] = [];
  await using upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    seen.push(new URL(request.url).pathname);
    await request.text().catch(() => {});
    return new Response("answered");
  });
  await using gw = await startServe();
  const created = await send(`${gw.api}/apis`, "POST", {
    name: "pets",
    openapi: definition("pets", upstream.addr.port),
  });
  assert.equal(created.status, 201, await created.text());
  for (const [what, { raw, want }] of Object.entries(REQUESTS)) {
    await t.step(what, async () => {
      for (const port of [gw.apiPort, Number(new URL(gw.fleet).port)]) assert.match(await sendRaw(port, raw, 50), want);
    });
  }
  assert.deepEqual(seen.filter((path) => path !== "/pets"), []);
  assert.equal(await (await fetch(`${gw.fleet}/pets`)).text(), "mocked pets");
  assert.equal((await (await fetch(`${gw.api}/apis`)).json()).length, 1);
  assert.doesNotMatch(gw.text(), /This is an error of gw/);
});

Deno.test("gw serve answers others while clients send their requests byte by byte", async () => {
  await using gw = await startServe();
  const created = await send(`${gw.api}/apis`, "POST", { name: "pets", openapi: definition("pets") });
  assert.equal(created.status, 201, await created.text());
  const ports = [gw.apiPort, Number(new URL(gw.fleet).port)];
  const slow = await Promise.all(Array.from({ length: 60 }, async (_, index) => {
    const connection = await Deno.connect({ port: ports[index % 2] ?? 0 });
    const head =
      "POST /apis HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{";
    await connection.write(new TextEncoder().encode(head.slice(0, index % 3 === 0 ? head.length : 40)));
    return connection;
  }));
  assert.equal(await (await fetch(`${gw.fleet}/pets`)).text(), "mocked pets");
  assert.equal((await (await fetch(`${gw.api}/apis`)).json()).length, 1);
  for (const connection of slow) connection.close();
});
