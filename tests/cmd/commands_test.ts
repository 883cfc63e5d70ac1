import assert from "node:assert/strict";
import { flagsOf, readLine } from "../../cmd/line/command.ts";
import { COMMANDS } from "../../cmd/commands.ts";
import { EXIT } from "../../cmd/line/platform.ts";
import { main } from "../../main.ts";
import { recordPlatform } from "./recorded_platform.ts";
import { callsOfGw } from "./shell_words.ts";

/** Asserts that each `gw` command in a shell's command line has valid arguments. */
async function assertAccepted(line: string): Promise<void> {
  for (const [name = "", ...args] of callsOfGw(line)) {
    assert.ok(Object.hasOwn(COMMANDS, name), `${line}: there is no command ${name}`);
    const command = await COMMANDS[name]!.describe();
    const platform = recordPlatform();
    assert.equal(readLine(command, args, platform).kind, "line", `${line}: ${platform.printed.stderr}`);
  }
}

Deno.test("Each command has two examples or more, and accepts them", async (t) => {
  for (const [name, entry] of Object.entries(COMMANDS)) {
    await t.step(`gw ${name}`, async () => {
      const command = await entry.describe();
      assert.equal(command.name, name);
      const own = command.examples.filter(({ line }) => callsOfGw(line).some(([word]) => word === name));
      assert.ok(own.length >= 2, `gw ${name} has ${own.length} examples of its own`);
      for (const { line } of command.examples) {
        await assertAccepted(line);
        // Few homes have all folders that the examples write to.
        const [, folder] = / > (~\/\S+)\/[^/]+$/.exec(line) ?? [];
        if (folder !== undefined) assert.ok(line.startsWith(`mkdir -p ${folder} && `), `${line}: no such folder`);
      }

      const platform = recordPlatform();
      assert.equal(await main([name, "--help"], platform), EXIT.fine);
      const help = platform.printed.stdout;
      const end = help.slice(help.lastIndexOf("\nExamples:\n"));
      for (const { line } of command.examples) assert.ok(end.includes(`\n  ${line}\n`), `${line} is not at the end`);
      assert.deepEqual(help.split("\n").filter((line) => line.length > 100), [], "longer than 100 columns");
      // The packages hold no docs/.
      assert.doesNotMatch(help, /docs\//);
      assert.doesNotMatch(help, / $/m);
    });
  }
});

Deno.test("The groups of a command's help have each of its flags once", async (t) => {
  for (const [name, entry] of Object.entries(COMMANDS)) {
    const command = await entry.describe();
    const { groups, flags } = command;
    if (groups === undefined) continue;
    await t.step(`gw ${name}`, () => {
      const grouped = Object.values(groups).flat();
      assert.equal(new Set(grouped).size, grouped.length);
      assert.deepEqual(Object.keys(flags).filter((flag) => !grouped.includes(flag)), []);
      assert.equal(Object.keys(flagsOf(command))[0], Object.values(groups)[0]?.[0]);
    });
  }
});

Deno.test("gw mock --help has the most used flags first, and headings", async () => {
  const platform = recordPlatform();
  await main(["mock", "--help"], platform);
  const { stdout } = platform.printed;
  assert.match(stdout, /\n\nMost used:\n {2}-p, --port PORT +Port /);
  assert.match(stdout, /\n\nKubernetes:\n {2}--cluster /);
  assert.doesNotMatch(stdout, /^Flags:$/m);
});

Deno.test("gw alone prints every command in at most 20 lines; gw --help ends with two examples", async () => {
  const platform = recordPlatform();
  assert.equal(await main([], platform), EXIT.usage);
  const lines = platform.printed.stderr.trimEnd().split("\n");
  assert.ok(lines.length <= 20, `${lines.length} lines`);
  assert.deepEqual(lines.filter((line) => line.length > 80), [], "longer than 80 columns");
  for (const name of Object.keys(COMMANDS)) assert.ok(lines.some((line) => line.startsWith(`  ${name} `)), name);

  await main(["--help"], platform);
  const [, examples = ""] = platform.printed.stdout.split("\nExamples:\n");
  const written = examples.split("\n").filter((line) => /^ {2}\S/.test(line));
  assert.equal(written.length, 2);
  for (const line of written) await assertAccepted(line);
});
