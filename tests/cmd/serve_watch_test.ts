import assert from "node:assert/strict";
import { createFolder } from "./definitions.ts";
import { spawn } from "./process.ts";
import { createStore, definition, startServe } from "./serve_process.ts";

Deno.test("gw deploy --watch deploys again on each save, and a broken save leaves the deployment", async () => {
  await using folder = await createFolder();
  await using gw = await startServe();
  const file = `${folder.path}/pets.json`;
  await Deno.writeTextFile(file, definition("pets"));
  await using deploy = spawn({ args: ["deploy", file, "--watch"], env: { GW_SERVER: gw.api } });
  await deploy.until(/Created api default\/pets/);
  await deploy.until(/Watching 1 file/);

  let seen = deploy.text().length;
  await Deno.writeTextFile(file, definition("pets").replaceAll("mocked pets", "other pets"));
  await deploy.until(/Replaced api default\/pets/, seen);
  assert.equal(await (await fetch(`${gw.fleet}/pets`)).text(), "other pets");

  seen = deploy.text().length;
  await Deno.writeTextFile(file, "{");
  await deploy.until(/What was deployed before stays\./, seen);
  assert.equal(await (await fetch(`${gw.fleet}/pets`)).text(), "other pets");

  deploy.signal("SIGTERM");
  assert.equal((await deploy.ended).code, 0);
});

Deno.test("gw deploy --watch deploys the last save once an unreachable server is back", async () => {
  await using folder = await createFolder();
  await createStore(folder.path);
  const file = `${folder.path}/pets.json`;
  await Deno.writeTextFile(file, definition("pets"));
  let port = 0;
  {
    await using gw = await startServe({ data: folder.path });
    port = gw.apiPort;
  }
  // Nothing listens on the server's port when `gw deploy --watch` starts.
  await using deploy = spawn({ args: ["deploy", file, "--watch"], env: { GW_SERVER: `http://127.0.0.1:${port}` } });
  await deploy.until(/Cannot reach .*\nTrying again until the server answers\./);
  await deploy.until(/Watching 1 file/);
  {
    await using gw = await startServe({ data: folder.path, args: ["--port", String(port)] });
    await deploy.until(/Created api default\/pets/);
    assert.equal(await (await fetch(`${gw.fleet}/pets`)).text(), "mocked pets");
  }

  // The server is stopped between two edits.
  let seen = deploy.text().length;
  await Deno.writeTextFile(file, definition("pets").replaceAll("mocked pets", "first pets"));
  await deploy.until(/Trying again until the server answers\./, seen);
  await Deno.writeTextFile(file, definition("pets").replaceAll("mocked pets", "last pets"));
  seen = deploy.text().length;
  await using gw = await startServe({ data: folder.path, args: ["--port", String(port)] });
  await untilAnswered(`${gw.fleet}/pets`, "last pets");
  await deploy.until(/Replaced api default\/pets/, seen);
  deploy.signal("SIGTERM");
  assert.equal((await deploy.ended).code, 0);
});

/** Repeats a request until it gets the wanted answer. */
async function untilAnswered(url: string, wanted: string): Promise<void> {
  while (await (await fetch(url)).text() !== wanted) await new Promise((resolve) => setTimeout(resolve, 50));
}
