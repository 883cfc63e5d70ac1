import assert from "node:assert/strict";
import { flagsOf } from "../../cmd/line/command.ts";
import { COMMANDS } from "../../cmd/commands.ts";
import { main } from "../../main.ts";
import { recordPlatform } from "./recorded_platform.ts";

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const platform = recordPlatform();
  return { code: await main(args, platform), ...platform.printed };
}

Deno.test("gw completions and gw man print every command and flag", async (t) => {
  const commands = await Promise.all(Object.values(COMMANDS).map(({ describe }) => describe()));
  // Each output spells flags in its own way: fish as `-l port`, roff as `\-\-port`.
  const cases = [
    { args: ["completions", "bash"], spell: (name: string) => `--${name}` },
    { args: ["completions", "zsh"], spell: (name: string) => `--${name}` },
    { args: ["completions", "fish"], spell: (name: string) => `-l ${name} ` },
    { args: ["man"], spell: (name: string) => `--${name}`.replaceAll("-", "\\-") },
  ];
  for (const { args, spell } of cases) {
    await t.step(`gw ${args.join(" ")}`, async () => {
      const { code, stdout, stderr } = await run(...args);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
      for (const command of commands) {
        assert.ok(stdout.includes(command.name), command.name);
        for (const name of Object.keys(flagsOf(command))) assert.ok(stdout.includes(spell(name)), name);
      }
    });
  }
});

Deno.test("gw completions and gw man refuse what they don't know", async () => {
  for (
    const [args, want] of [
      [["completions"], /^For which shell\? Name one of bash, zsh, fish\.\n/],
      [
        ["completions", "fihs"],
        /^There are no completions for fihs: one of bash, zsh, fish is meant here\. Did you mean fish\?/,
      ],
      [["completions", "powershell"], /^There are no completions for powershell: one of bash, zsh, fish is meant /],
      [["man", "mock"], /^gw man prints one page, of all commands, and takes no mock\.\n/],
    ] as const
  ) {
    const { code, stdout, stderr } = await run(...args);
    assert.match(stderr, want);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
  }
});
