/**
 * Request smuggling: a request that two servers may read differently never reaches the upstream as several requests.
 */
import assert from "node:assert/strict";
import { definition, plan, planStatic, serve, serveFleet, to } from "./fleet.ts";

const shapes: { name: string; head: string; body: string }[] = [
  {
    name: "two lengths",
    head: "POST /pets HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\n",
    body: "helloGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n",
  },
  {
    name: "two lengths in one field",
    head: "POST /pets HTTP/1.1\r\nHost: h\r\nContent-Length: 5, 50\r\n\r\n",
    body: "helloGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n",
  },
  {
    name: "a length beside chunks",
    head:
      "POST /pets HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
    body: "0\r\n\r\n",
  },
  {
    name: "a coding that nobody knows",
    head: "POST /pets HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n",
    body: "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n",
  },
  {
    name: "a field folded over two lines",
    head: "POST /pets HTTP/1.1\r\nHost: h\r\nX-A: b\r\n Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
    body: "0\r\n\r\n",
  },
  {
    name: "a GET with a body",
    head: "GET /pets HTTP/1.1\r\nHost: h\r\nContent-Length: 39\r\nConnection: close\r\n\r\n",
    body: "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n     ",
  },
];

Deno.test("no request is hidden in another", async (t) => {
  const seen: string[] = [];
  await using upstream = serve(async (request) => {
    seen.push(new URL(request.url).pathname);
    await request.body?.cancel();
    return new Response("fine");
  });
  await using fleet = serveFleet([await plan(definition(to(upstream))), await planStatic(to(upstream))]);
  for (const { name, head, body } of shapes) {
    await t.step(name, async () => {
      seen.length = 0;
      const connection = await Deno.connect({ hostname: "127.0.0.1", port: fleet.port });
      await connection.write(new TextEncoder().encode(head + body));
      const answer = await new Response(connection.readable).text().catch(() => "");
      const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status);
      // The bytes after a complete request are the client's next request, which the gateway routes like any other. So
      // the upstream sees at most as many requests as the client gets 200 responses.
      assert.ok(seen.length <= statuses.filter((status) => status === "200").length, `${seen} ${statuses}`);
      assert.ok(!seen.includes("/smuggled"), answer);
    });
  }
});
