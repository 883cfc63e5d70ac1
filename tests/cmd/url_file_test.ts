import assert from "node:assert/strict";
import { join } from "node:path";
import { createFolder, TODO } from "./definitions.ts";
import { runGw, startGw } from "./process.ts";
import { startServe } from "./serve_process.ts";

const ignore = Deno.build.os === "windows";

Deno.test({
  name: "gw mock --url-file writes the URL for its user alone, and removes it at the end",
  ignore,
  async fn(t) {
    const cases: { name: string; args: string[]; env?: Record<string, string>; before?: string }[] = [
      { name: "flag", args: ["--url-file", "url"] },
      { name: "variable", args: [], env: { GW_MOCK_URL_FILE: "url" } },
      { name: "with --quiet and a JSON log", args: ["--url-file", "url", "--quiet", "--log-format", "json"] },
      { name: "an earlier server's file", args: ["--url-file", "url"], before: "http://127.0.0.1:1\n" },
      { name: "an empty file, as mktemp makes", args: ["--url-file", "url"], before: "" },
    ];
    for (const { name, args, env = {}, before } of cases) {
      await t.step(name, async () => {
        await using folder = await createFolder();
        const file = join(folder.path, "url");
        if (before !== undefined) await Deno.writeTextFile(file, before, { mode: 0o644 });
        await using gw = await startGw({ args: ["mock", TODO, ...args], env, cwd: folder.path });
        // The file is there before the log announces the URL.
        assert.equal(await Deno.readTextFile(file), `${gw.url}\n`);
        assert.equal(Number((await Deno.stat(file)).mode) & 0o777, 0o600);
        gw.signal("SIGTERM");
        assert.equal((await gw.ended).code, 0);
        assert.deepEqual([...Deno.readDirSync(folder.path)], []);
      });
    }
  },
});

Deno.test({
  name: "gw serve --url-file writes the URL of the management API, and removes it at the end",
  ignore,
  async fn(t) {
    const cases: { name: string; args: string[]; env?: Record<string, string>; config?: string }[] = [
      { name: "flag", args: ["--url-file", "url"] },
      { name: "variable", args: ["--quiet"], env: { GW_SERVE_URL_FILE: "url" } },
      { name: "configuration", args: ["--config", "gw.yaml"], config: "url-file: url\n" },
    ];
    for (const { name, args, env = {}, config } of cases) {
      await t.step(name, async () => {
        await using folder = await createFolder();
        const file = join(folder.path, "url");
        if (config !== undefined) await Deno.writeTextFile(join(folder.path, "gw.yaml"), config);
        await using gw = await startServe({ args, env, cwd: folder.path });
        assert.equal(await Deno.readTextFile(file), `${gw.api}\n`);
        assert.equal(Number((await Deno.stat(file)).mode) & 0o777, 0o600);
        gw.signal("SIGTERM");
        assert.equal((await gw.ended).code, 0);
        await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
      });
    }
  },
});

Deno.test("gw serve --url-file refuses a file that has something else than a URL", async () => {
  await using folder = await createFolder();
  const file = join(folder.path, "api.yaml");
  await Deno.writeTextFile(file, "openapi: 3.1.0\n");
  const args = ["serve", "--data", ":memory:", "--port", "0", "--fleet-port", "0", "--url-file", file];
  const { code, stdout, stderr } = await runGw({ args });
  assert.deepEqual({ code, stdout }, { code: 3, stdout: "" });
  assert.equal(stderr, `Cannot write the URL to ${file}: it is there already, and has something else than a URL.\n`);
});

Deno.test("gw mock --url-file leaves the URL of another server", async () => {
  await using folder = await createFolder();
  const file = join(folder.path, "url");
  await using gw = await startGw({ args: ["mock", TODO, "--url-file", file] });
  await Deno.writeTextFile(file, "http://127.0.0.1:1\n");
  gw.signal(Deno.build.os === "windows" ? "SIGINT" : "SIGTERM");
  await gw.ended;
  assert.equal(await Deno.readTextFile(file), "http://127.0.0.1:1\n");
});

Deno.test("gw mock --url-file refuses files that it can't replace", async (t) => {
  await using folder = await createFolder();
  const definition = join(folder.path, "api.yaml");
  await Deno.writeTextFile(definition, "openapi: 3.1.0\n");
  const cases = [
    { file: definition, reason: "it is there already, and has something else than a URL" },
    { file: folder.path, reason: "it is there already, and has something else than a URL" },
    { file: join(folder.path, "none", "url"), reason: "there is no such folder" },
  ];
  for (const { file, reason } of cases) {
    await t.step(reason, async () => {
      const { code, stdout, stderr } = await runGw({ args: ["mock", TODO, "--port", "0", "--url-file", file] });
      assert.deepEqual({ code, stdout }, { code: 3, stdout: "" });
      assert.equal(stderr, `Cannot write the URL to ${file}: ${reason}.\n`);
    });
  }
  assert.equal(await Deno.readTextFile(definition), "openapi: 3.1.0\n");
});
