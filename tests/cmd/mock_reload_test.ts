import assert from "node:assert/strict";
import { createFolder, textOf, texts } from "./definitions.ts";
import { startGw } from "./process.ts";

Deno.test("gw mock answers by an edited definition at once, and logs which operations changed", async () => {
  await using folder = await createFolder();
  const file = `${folder.path}/a.json`;
  await Deno.writeTextFile(file, texts({ "/kept": "a", "/gone": "b", "/changed": "c" }));
  await using gw = await startGw({ args: ["mock", "a.json"], cwd: folder.path });
  await Deno.writeTextFile(file, texts({ "/kept": "a", "/changed": "d", "/new": "e" }));
  await gw.until(/~ GET .*\n/);
  const [, message] = gw.text().split(/^Watching.*\n/m);
  assert.equal(
    message,
    "Reloaded a.json: 1 operation added, 1 removed, 1 changed.\n  + GET /new\n  - GET /gone\n  ~ GET /changed\n",
  );
  assert.equal(await textOf(gw, "/changed"), "d");
});

Deno.test("gw mock shows the errors of an edit, and goes on with the last valid definition", async () => {
  await using folder = await createFolder();
  const file = `${folder.path}/a.json`;
  await Deno.writeTextFile(file, texts({ "/a": "good" }));
  await using gw = await startGw({ args: ["mock", "a.json"], cwd: folder.path });

  await Deno.writeTextFile(file, texts({ "/a": "bad" }).slice(0, -10));
  await gw.until(/^a\.json:1:\d+ error syntax: [^]*> 1 \|[^]*Still answering from the last good definition\.\n/m);
  assert.equal(await textOf(gw, "/a"), "good");

  await Deno.remove(file);
  await gw.until(/^Cannot read a\.json: there is no such file\. Still answering from the last good definition\.\n/m);
  assert.equal(await textOf(gw, "/a"), "good");

  await Deno.writeTextFile(file, texts({ "/a": "mended" }));
  await gw.until(/Reloaded a\.json: 1 operation changed/);
  assert.equal(await textOf(gw, "/a"), "mended");
});

Deno.test("gw mock refuses an edit that gives two definitions the same operation", async () => {
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/a.json`, texts({ "/a": "one" }));
  await Deno.writeTextFile(`${folder.path}/b.json`, texts({ "/b": "two" }));
  await using gw = await startGw({ args: ["mock", "a.json", "b.json"], cwd: folder.path });
  await Deno.writeTextFile(`${folder.path}/b.json`, texts({ "/a": "two" }));
  await gw.until(/duplicate-operation[^]*Still answering/);
  assert.equal(await textOf(gw, "/b"), "two");
});

Deno.test("gw mock drops no request and no connection while it reloads", async () => {
  await using folder = await createFolder();
  const file = `${folder.path}/a.json`;
  await Deno.writeTextFile(file, texts({ "/a": "0" }));
  await using gw = await startGw({ args: ["mock", "a.json"], cwd: folder.path });
  const connection = await Deno.connect({ port: gw.port });

  let isDone = false;
  let asked = 0;
  const clients = Array.from({ length: 8 }, async () => {
    while (!isDone) {
      const response = await fetch(`${gw.url}/a`);
      assert.match(await response.text(), /^\d$/);
      asked++;
    }
  });
  for (let version = 1; version <= 5; version++) {
    const from = gw.text().length;
    await Deno.writeTextFile(file, texts({ "/a": String(version) }));
    await gw.until(/Reloaded/, from);
    assert.equal(await textOf(gw, "/a"), String(version));
  }
  isDone = true;
  await Promise.all(clients);
  assert.ok(asked > 5);

  // This connection was opened before the first reload, and is answered by the latest definition.
  await connection.write(new TextEncoder().encode("GET /a HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"));
  assert.match(await new Response(connection.readable).text(), /\r\n\r\n5$/);
});

Deno.test("gw mock lets a request finish on the definition that it began with", async () => {
  await using folder = await createFolder();
  const file = `${folder.path}/a.json`;
  await Deno.writeTextFile(file, texts({ "/a": "before" }));
  await using gw = await startGw({ args: ["mock", "a.json", "--delay", "1000"], cwd: folder.path });
  const underWay = textOf(gw, "/a");
  await Deno.writeTextFile(file, texts({ "/a": "after" }));
  await gw.until(/Reloaded/);
  assert.equal(await underWay, "before");
  assert.equal(await textOf(gw, "/a"), "after");
});

Deno.test("gw mock --no-watch leaves edits alone", async () => {
  await using folder = await createFolder();
  const file = `${folder.path}/a.json`;
  await Deno.writeTextFile(file, texts({ "/a": "before" }));
  await using gw = await startGw({ args: ["mock", "a.json", "--no-watch"], cwd: folder.path });
  await using watching = await startGw({ args: ["mock", "a.json"], cwd: folder.path });
  await Deno.writeTextFile(file, texts({ "/a": "after" }));
  await watching.until(/Reloaded/);
  assert.equal(await textOf(gw, "/a"), "before");
  assert.doesNotMatch(gw.text(), /Watching/);
});
