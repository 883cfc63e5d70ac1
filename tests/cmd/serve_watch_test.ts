import assert from "node:assert/strict";
import { createFolder } from "./definitions.ts";
import { spawn } from "./process.ts";
import { definition, startServe } from "./serve_process.ts";

Deno.test("gw deploy --watch deploys again on each save, and a broken save leaves what was deployed", async () => {
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
