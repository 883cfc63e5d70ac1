import assert from "node:assert/strict";
import { createFolder } from "../cmd/definitions.ts";
import { spawn, startGw } from "../cmd/process.ts";
import { patternOf, readExchanges } from "./exchanges.ts";

/**
 * Checks a section of a page in docs/: starts `gw mock` with its definition, the first of the page, as the first of its
 * exchanges says, and makes the others.
 *
 * @param page File name: `paths.md`.
 * @param definition File name that the exchanges give to the definition.
 * @param count The number of exchanges after the first.
 */
export async function checkExchanges(
  t: Deno.TestContext,
  page: string,
  section: string,
  definition: string,
  count: number,
): Promise<void> {
  const text = await Deno.readTextFile(new URL(`../../docs/${page}`, import.meta.url));
  const [, written = ""] = /```yaml\n(.*?)```/s.exec(text) ?? [];
  const [start, ...requests] = readExchanges(text, section);
  assert.ok(start !== undefined && requests.length === count, "The exchanges are not where they were.");
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/${definition}`, written);
  await using gw = await startGw({ args: wordsOf(start.command).slice(1), cwd: folder.path });
  await t.step(start.command, () => {
    const printed = `${gw.text().trimEnd()}\n`.replace(`:${gw.port}`, ":8080");
    assert.match(printed, patternOf(start.output));
  });
  for (const { command, output } of requests) {
    await t.step(command, async () => {
      const program = ["sh", "-c"];
      await using shell = spawn({ program, args: [command.replace(":8080", `:${gw.port}`)], cwd: folder.path });
      await shell.ended;
      assert.match(`${shell.text().trimEnd()}\n`.replaceAll(`:${gw.port}`, ":8080"), patternOf(output));
    });
  }
}

/** The words of a command, as a shell splits them: single quotes keep spaces. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}
