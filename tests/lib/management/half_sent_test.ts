import assert from "node:assert/strict";
import { createManagementApi } from "../../../lib/management/api.ts";
import { createMemoryStore } from "../../../lib/management/memory_store.ts";

Deno.test("a body that is never sent to its end is refused in time", async () => {
  const api = createManagementApi(createMemoryStore(() => 0), {
    gateway: { plansOf: () => [], apply: () => Promise.resolve() },
    services: { status: () => "unavailable" },
    bodyTimeout: 10,
  });
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => api(request));
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
  const head = "POST /apis HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";
  await connection.write(new TextEncoder().encode(`${head}{"name":`));
  let answer = "";
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(4096);
  while (!answer.includes("0.01 s")) {
    const count = await connection.read(buffer);
    assert.ok(count !== null, answer);
    answer += decoder.decode(buffer.subarray(0, count));
  }
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.match(answer, /has not come within 0\.01 s/);
});
