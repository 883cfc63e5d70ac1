/**
 * `gw completions` in interactive shells: the test presses keys, and a shell function named `gw` prints its arguments.
 *
 * @module
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { createFolder } from "../cmd/definitions.ts";
import { runGw } from "../cmd/process.ts";
import { needs, startShell } from "./shell.ts";

/** The shells. Each command starts one without the user's settings, and loads the script `completions`. */
const SHELLS = {
  bash: {
    start: "bash --norc --noprofile -i",
    setUp: `bind 'set enable-bracketed-paste off' 2>/dev/null; source ./completions; gw() { echo "ran: $*."; }`,
  },
  zsh: {
    start: "zsh -f -i",
    setUp: `autoload -U compinit; compinit -u -D; source ./completions; gw() { print -r -- "ran: $*." }`,
  },
  fish: {
    start: "fish --no-config -i",
    setUp: `source ./completions; function gw; echo "ran: $argv."; end`,
  },
} as const;

/** The keys that are pressed after `gw `, and a pattern of the arguments that result. */
const CASES: readonly (readonly [keys: string, want: RegExp])[] = [
  ["va\t", /^validate$/],
  ["--vers\t", /^--version$/],
  ["help res\t", /^help resources$/],
  ["mock --validate w\t", /^mock --validate warn$/],
  ["mock --validate=w\t", /^mock --validate=warn$/],
  ["mock --log-f\tj\t", /^mock --log-format[ =]json$/],
  ["mock -q --stat\tful\t", /^mock -q --stateful$/],
  ["mock tod\t", /^mock todo\.yaml$/],
  ["render -q inn\tpe\t", /^render -q inner\/pets\.yaml$/],
  ["mock --overlay tod\t", /^mock --overlay[ =]todo\.yaml$/],
  ["mock --port tod\t", /^mock --port tod$/],
  ["get fl\t", /^get fleets$/],
  ["create fleet --type L\t", /^create fleet --type LoadBalancer$/],
  ["completions f\t", /^completions fish$/],
];

for (const [name, { start, setUp }] of Object.entries(SHELLS)) {
  const options = needs("script", name);
  Deno.test({
    name: `gw completions ${name} completes commands, flags, their values, and files`,
    ...options,
    async fn(t) {
      await using folder = await createFolder();
      const { stdout, code } = await runGw({ args: ["completions", name] });
      assert.equal(code, 0);
      await Deno.writeTextFile(join(folder.path, "completions"), stdout);
      await Deno.writeTextFile(join(folder.path, "todo.yaml"), "");
      await Deno.mkdir(join(folder.path, "inner"));
      await Deno.writeTextFile(join(folder.path, "inner", "pets.yaml"), "");

      await using shell = startShell(start, { cwd: folder.path });
      await shell.type(`${setUp}; echo set''-up\n`);
      await shell.until(/set-up\r/);
      for (const [keys, want] of CASES) {
        await t.step(JSON.stringify(keys), async () => {
          await shell.type(`gw ${keys}\n`);
          const [, args = ""] = await shell.until(/ran: (.*)\.\r/);
          // The shell adds a space after a completed word.
          assert.match(args.trimEnd(), want);
        });
      }
    },
  });
}
