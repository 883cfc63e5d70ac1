import assert from "node:assert/strict";
import { definition, send, startServe } from "./serve_process.ts";

Deno.test("gw serve finishes the requests of its fleets on SIGTERM, and ends with 0", async () => {
  const arrived = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await using upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async () => {
    arrived.resolve();
    await release.promise;
    return new Response("answered");
  });
  await using gw = await startServe();
  const openapi = definition("slow", upstream.addr.port);
  const created = await send(`${gw.api}/apis`, "POST", { name: "slow", openapi });
  assert.equal(created.status, 201, await created.text());
  const asked = fetch(`${gw.fleet}/slow`, { method: "POST", body: "x" }).then((response) => response.text());
  await arrived.promise;
  gw.signal("SIGTERM");
  for (const url of [gw.api, gw.fleet]) await refused(Number(new URL(url).port));
  release.resolve();
  assert.equal(await asked, "answered");
  assert.equal((await gw.ended).code, 0);
});

/** Resolves when the port refuses connections. */
async function refused(port: number): Promise<void> {
  for (;;) {
    const connection = await Deno.connect({ port }).catch(() => undefined);
    if (connection === undefined) return;
    connection.close();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
