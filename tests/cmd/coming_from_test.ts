import assert from "node:assert/strict";
import { insteadOf, PEER_FLAGS } from "../../cmd/line/coming_from.ts";
import { readCommandLine } from "../../cmd/line/flag.ts";
import { MOCK_COMMAND } from "../../cmd/mock/settings.ts";
import { main } from "../../main.ts";
import { recordPlatform } from "./recorded_platform.ts";

Deno.test("gw mock names its own flag for a flag of Prism or Steady", async (t) => {
  const cases: { flags: string; want: RegExp }[] = [
    { flags: "--multiprocess", want: /^--multiprocess is a flag of Prism\. Leave it out\. / },
    { flags: "-m", want: /^-m is a flag of Prism\. Leave it out\. / },
    { flags: "--verboseLevel debug", want: /Write --verbose instead\./ },
    { flags: "--verbose-level=silent", want: /^--verbose-level is a flag of Prism\. Write --quiet instead\./ },
    { flags: "--no-ignoreExamples", want: /^--no-ignoreExamples is a flag of Prism\. Leave it out\./ },
    { flags: "--validate-request=false", want: /Write --validate off instead\./ },
    { flags: "--upstream-proxy http://p:3128", want: /Write HTTPS_PROXY=http:\/\/p:3128 instead\. An environment / },
    { flags: "-r", want: /^-r is a flag of Steady\. Leave it out\. gw reloads on every save, / },
    { flags: "--validator-query-array-format=brackets", want: /Write --query-array brackets instead\./ },
    { flags: "--validator-query-object-format flat-comma", want: /Write --query-object comma instead\./ },
    { flags: "--validator-query-object-format=auto", want: /Leave it out\./ },
    { flags: "--generator-seed=7", want: /Write --seed 7 instead\./ },
    { flags: "--generator-seed=-1", want: /Write --dynamic instead\./ },
    { flags: "--reject-on-sdk-error=false", want: /Write --validate warn instead\./ },
    { flags: "--version", want: /^--version is a flag of Prism and Steady\. Write gw --version instead\.\nSee / },
    { flags: "--generator-seed=\u001b[2J", want: /^\P{Cc}*\n\P{Cc}*\n$/u },
  ];
  for (const { flags, want } of cases) {
    await t.step(flags, async () => {
      const platform = recordPlatform();
      assert.equal(await main(["mock", "api.yaml", ...flags.split(" ")], platform), 2);
      assert.match(platform.printed.stderr, want);
    });
  }
});

Deno.test("gw mock has a flag of Prism or Steady, or says what to write", () => {
  for (const { names } of PEER_FLAGS) {
    for (const name of names) {
      const known = Object.entries(MOCK_COMMAND.flags).some(([long, flag]) =>
        `--${long}` === name || "short" in flag && `-${flag.short}` === name || `--no-${name.slice(2)}` === `--${long}`
      );
      assert.ok(known || insteadOf(name, undefined, undefined) !== undefined, name);
    }
  }
});

Deno.test("what to write instead of a flag of Prism or Steady is a flag of gw mock", () => {
  for (const { write = "", values = {} } of PEER_FLAGS) {
    for (const advice of [write, ...Object.values(values)]) {
      const [, name] = /^--([\w-]+)/.exec(advice) ?? [];
      assert.ok(
        name === undefined || name === "help" || Object.hasOwn(MOCK_COMMAND.flags, name),
        advice,
      );
    }
  }
});

Deno.test("a switch no-x is read as --x=false too", async (t) => {
  const table = { "no-cors": { description: "" }, "quiet": { description: "" } };
  const cases: { line: string; want: boolean | string }[] = [
    { line: "--cors=false", want: true },
    { line: "--cors", want: false },
    { line: "--no-cors --cors=true", want: false },
    { line: "--no-cors=false", want: false },
    { line: "--cors=maybe", want: "--no-cors maybe: a switch is true or false." },
    { line: "--no-quiet", want: "There is no flag --no-quiet. Did you mean --quiet?" },
  ];
  for (const { line, want } of cases) {
    await t.step(line, () => {
      const read = readCommandLine(table, line.split(" "), (name) => ({ name, value: undefined }));
      assert.equal(read.kind === "line" ? read.values["no-cors"] : read.message, want);
    });
  }
});
