/** The authorization server of `auth.custom` is asked by the gateway's own client, as an upstream is. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { createUpstreamClient } from "../../../../cmd/io/upstream/client.ts";
import { definition, plan, serve, serveBytes, serveFleet, to } from "../../../lib/gateway/embedded/fleet.ts";
import { converse } from "../../../attack/wire.ts";

Deno.test("a compressed refusal is passed on as it was sent", async () => {
  const page = new Uint8Array(gzipSync("<b>Log in.</b>".repeat(50)));
  const asked: Headers[] = [];
  await using decider = serve(({ headers }) => {
    asked.push(headers);
    return new Response(page, {
      status: 401,
      headers: { "content-type": "text/html", "content-encoding": "gzip", etag: '"x"', "set-cookie": "a=1" },
    });
  });
  await using upstream = serve(() => new Response("open"));
  const custom = `auth: {custom: {host: {hostname: 127.0.0.1, port: ${decider.port}}}}`;
  await using client = createUpstreamClient(() => undefined);
  await using fleet = serveFleet([await plan(definition(to(upstream, custom)))], { send: client.send });

  const answer = await converse(fleet.port, {
    text: "GET /pets HTTP/1.1\r\nHost: h\r\nX-Key: k\r\nConnection: close\r\n\r\n",
    timeout: 10_000,
  });
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  assert.match(head, /^HTTP\/1\.1 401 /);
  for (const field of ["content-encoding: gzip", "content-type: text/html", 'etag: "x"', "set-cookie: a=1"]) {
    assert.ok(head.toLowerCase().includes(field), `${field} in ${head}`);
  }
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? page.length);
  assert.equal(length, page.length);
  assert.ok(answer.includes(String.fromCharCode(...page)), "the bytes differ");
  assert.equal(body.slice(0, 2), "\x1f\x8b");
  const [headers = new Headers()] = asked;
  assert.equal(headers.get("x-key"), "k");
  // fetch would add these fields.
  for (const name of ["accept", "accept-encoding", "accept-language", "user-agent"]) {
    assert.equal(headers.get(name), null, name);
  }
});

Deno.test("an authorization server that doesn't answer in HTTP leads to 503", async () => {
  await using upstream = serve(() => new Response("open"));
  await using broken = serveBytes(async (connection) => {
    await connection.read(new Uint8Array(1000));
    await connection.write(new TextEncoder().encode("220 ready\r\n"));
  });
  const custom = `auth: {custom: {host: {hostname: 127.0.0.1, port: ${broken.port}}}}`;
  await using client = createUpstreamClient(() => undefined);
  await using fleet = serveFleet([await plan(definition(to(upstream, custom)))], { send: client.send });
  const response = await fetch(`${fleet.url}/pets`);
  assert.equal(response.status, 503);
  assert.match(await response.text(), /authorization server/);
});
