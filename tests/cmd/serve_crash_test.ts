import assert from "node:assert/strict";
import { createFolder } from "./definitions.ts";
import { createStore, definition, send, startServe } from "./serve_process.ts";

Deno.test("kill -9 during deploys loses no acknowledged API, and the gateway answers them all again", async () => {
  await using folder = await createFolder();
  await createStore(folder.path);
  const acknowledged: string[] = [];
  for (const [round, enough] of [5, 17, 30].entries()) {
    await using gw = await startServe({ data: folder.path });
    let isKilled = false;
    const clients = Array.from({ length: 5 }, async (_, client) => {
      for (let number = 0; !isKilled; number++) {
        const name = `api-${round}-${client}-${number}`;
        const created = await send(`${gw.api}/apis`, "POST", { name, openapi: definition(name) }).catch(() =>
          undefined
        );
        if (created === undefined) return;
        // A fleet counts as acknowledged once its status 201 has arrived, even if the process was killed before the
        // body did.
        if (created.status === 201) acknowledged.push(name);
        await created.text().catch(() => {});
        if (acknowledged.length >= enough && !isKilled) {
          isKilled = true;
          gw.signal("SIGKILL");
        }
      }
    });
    await Promise.all(clients);
    await gw.ended;
  }

  await using gw = await startServe({ data: folder.path });
  const kept: { name: string }[] = await (await fetch(`${gw.api}/apis`)).json();
  assert.ok(new Set(acknowledged).isSubsetOf(new Set(kept.map(({ name }) => name))));
  for (const name of acknowledged) {
    assert.equal(await (await fetch(`${gw.fleet}/${name}`)).text(), `mocked ${name}`);
  }
});
