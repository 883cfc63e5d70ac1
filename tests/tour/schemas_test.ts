import assert from "node:assert/strict";
import { createFolder } from "../cmd/definitions.ts";
import { spawn, startGw } from "../cmd/process.ts";
import { patternOf, readExchanges } from "./exchanges.ts";

const DOCS = new URL("../../docs/schemas.md", import.meta.url);

Deno.test("docs/schemas.md: gw mock answers as it says", async (t) => {
  const text = await Deno.readTextFile(DOCS);
  const [, definition = ""] = /```yaml\n(.*?)```/s.exec(text) ?? [];
  const [start, ...requests] = readExchanges(text, "## JSON in strings");
  assert.ok(start !== undefined && requests.length === 3, "The exchanges are not where they were.");
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/orders.yaml`, definition);
  await using gw = await startGw({ args: start.command.split(" ").slice(1), cwd: folder.path });
  await t.step(start.command, () => {
    const printed = `${gw.text().trimEnd()}\n`.replace(`:${gw.port}`, ":8080");
    assert.match(printed, patternOf(start.output));
  });
  for (const { command, output } of requests) {
    await t.step(command, async () => {
      const program = ["sh", "-c"];
      await using shell = spawn({ program, args: [command.replace(":8080", `:${gw.port}`)], cwd: folder.path });
      await shell.ended;
      assert.match(`${shell.text().trimEnd()}\n`, patternOf(output));
    });
  }
});
