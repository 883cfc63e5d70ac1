import assert from "node:assert/strict";
import { createFolder } from "../cmd/definitions.ts";
import { runGw } from "../cmd/process.ts";
import { createStore, definition, send, startServe } from "../cmd/serve_process.ts";

/** Mounts a small disk in the mount namespace that `deno task test:disk` makes. It disappears with the namespace. */
async function mountDisk(size: string): Promise<AsyncDisposable & { path: string }> {
  const folder = await createFolder();
  await run("mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder.path);
  return {
    path: folder.path,
    async [Symbol.asyncDispose]() {
      await run("umount", "--lazy", folder.path);
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function run(program: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args, stderr: "piped" }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** Fills the disk with a file, whose path it returns. */
async function fill(folder: string): Promise<string> {
  const path = `${folder}/other`;
  using file = await Deno.open(path, { create: true, append: true });
  try {
    for (let size = 4096; size > 0;) size = await file.write(new Uint8Array(4096));
  } catch (error) {
    assert.match(String(error), /os error 28/);
  }
  return path;
}

Deno.test("a store on a full disk is served after kill -9, and written again once there is room", async () => {
  await using disk = await mountDisk("1m");
  await createStore(disk.path);
  let other = "";
  {
    await using gw = await startServe({ data: disk.path });
    const created = await send(`${gw.api}/apis`, "POST", { name: "pets", openapi: definition("pets") });
    assert.equal(created.status, 201, await created.text());
    other = await fill(disk.path);
    const refused = await send(`${gw.api}/apis`, "POST", { name: "large", openapi: large() });
    assert.equal(refused.status, 507);
    assert.match(await refused.text(), /There is no room left/);
    gw.signal("SIGKILL");
    await gw.ended;
  }
  await fill(disk.path);
  {
    await using gw = await startServe({ data: disk.path });
    assert.match(gw.text(), /There is no room left on the disk of .*gw\.db: what is stored is served/);
    assert.equal(await (await fetch(`${gw.fleet}/pets`)).text(), "mocked pets");
    const refused = await send(`${gw.api}/apis`, "POST", { name: "large", openapi: large() });
    assert.equal(refused.status, 507);
    await refused.text();
    await Deno.remove(other);
    const created = await send(`${gw.api}/apis`, "POST", { name: "large", openapi: large() });
    assert.equal(created.status, 201, await created.text());
    gw.signal("SIGKILL");
    await gw.ended;
  }
  await using gw = await startServe({ data: disk.path });
  assert.doesNotMatch(gw.text(), /no room/);
  const names = (await (await fetch(`${gw.api}/apis`)).json()).map(({ name }: { name: string }) => name);
  assert.deepEqual(names.sort(), ["large", "pets"]);
});

Deno.test("a store can't be made on a full disk, and gw serve says why", async () => {
  await using disk = await mountDisk("64k");
  await fill(disk.path);
  const { code, stderr } = await runGw({ args: ["serve", "--port", "0", "--data", disk.path] });
  assert.equal(code, 3);
  assert.match(stderr, /Cannot use the store .*gw\.db: there is no room left on its disk\. Make room/);
});

/** A definition that is too large for the rest of the disk, where smaller ones still fit. */
function large(): string {
  return definition("large").replace('"title":"large"', `"title":"large","description":"${"a".repeat(100_000)}"`);
}
