import assert from "node:assert/strict";
import { startGw } from "../cmd/process.ts";
import { startRegistry } from "../../scripts/package/registry.ts";
import { emptyFolder, newUser, packages } from "./support.ts";

const TODO = await Deno.readTextFile(new URL("../data/todo.yaml", import.meta.url));

/** How long npm may take to install the packages and to start gw, on a machine that does other things too. */
const INSTALLING = 180_000;

Deno.test("npx openapi-gw mock api.yaml answers, from an empty folder and an empty cache", async () => {
  await using registry = await startRegistry((await packages()).npm);
  await using folder = await emptyFolder({ "api.yaml": TODO });
  await using home = await emptyFolder();
  await using gw = await startGw({
    program: ["npx", "--yes", "openapi-gw"],
    args: ["mock", "api.yaml"],
    cwd: folder.path,
    env: newUser(home.path, registry.url),
    patience: INSTALLING,
  });
  const response = await fetch(`${gw.url}/todos`);
  assert.deepEqual([response.status, response.headers.get("x-svc-mocked")], [200, "true"]);
  assert.deepEqual(await response.json(), [
    { id: 1, title: "Buy milk", done: false },
    { id: 2, title: "Feed the cat", done: true },
  ]);
  // npx itself ends by the signal; its output ends when gw has ended too.
  gw.signal("SIGTERM");
  await gw.ended;
});
