import assert from "node:assert/strict";
import { createFolder } from "../cmd/definitions.ts";
import { runGw, spawn, startGw } from "../cmd/process.ts";
import { patternOf, readExchanges } from "./exchanges.ts";

const DOCS = new URL("../../docs/overlays.md", import.meta.url);

Deno.test("docs/overlays.md: gw mock and gw validate print what it says", async (t) => {
  const text = await Deno.readTextFile(DOCS);
  const [definition = "", overlay = ""] = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, block]) => block);
  const [mock, curl, validate] = readExchanges(text, "## An example");
  assert.ok(
    mock !== undefined && curl !== undefined && validate !== undefined,
    "The exchanges are not where they were.",
  );
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/pets.yaml`, definition);
  await Deno.writeTextFile(`${folder.path}/tests.overlay.yaml`, overlay);

  await using gw = await startGw({ args: mock.command.split(" ").slice(1), cwd: folder.path });
  await t.step(mock.command, async () => {
    await gw.until(/may find more\.\n/);
    assert.match(gw.text().replace(`:${gw.port}`, ":8080"), patternOf(mock.output));
  });
  await t.step(curl.command, async () => {
    const command = curl.command.replace(":8080", `:${gw.port}`);
    await using shell = spawn({ program: ["sh", "-c"], args: [command], cwd: folder.path });
    await shell.ended;
    assert.match(`${shell.text().trimEnd()}\n`, patternOf(curl.output));
  });
  await t.step(validate.command, async () => {
    const { stdout } = await runGw({ args: validate.command.split(" ").slice(1), cwd: folder.path });
    assert.match(stdout, patternOf(validate.output));
  });
});
