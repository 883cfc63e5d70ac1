import assert from "node:assert/strict";
import { parseDocument, validateDocument } from "../../mod.ts";
import { main } from "../../main.ts";
import { recordPlatform } from "./recorded_platform.ts";

const DATA = new URL("../data/convert/", import.meta.url);

async function convert(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const platform = recordPlatform();
  const code = await main(["convert", ...args], platform);
  return { code, ...platform.printed };
}

Deno.test("gw convert prints a definition, and each thing that is left with its place", async (t) => {
  for (const name of ["kusk.yaml", "mockoon.json"]) {
    await t.step(name, async () => {
      const { pathname } = new URL(name, DATA);
      const { code, stdout, stderr } = await convert(pathname);
      const [base = ""] = name.split(".");
      assert.equal(stdout, await Deno.readTextFile(new URL(`${base}.expected.yaml`, DATA)));
      const places = stderr.replaceAll(/^\S*\/(?=[^/\s]+:\d+:\d+ )/gm, "");
      assert.equal(places, await Deno.readTextFile(new URL(`${base}.expected.txt`, DATA)));
      assert.equal(code, 1);
      const problems = await validateDocument(await parseDocument(stdout));
      assert.deepEqual(problems.filter(({ severity }) => severity === "error"), []);
    });
  }
});

Deno.test("gw convert refuses what it can't convert", async (t) => {
  const cases: { args: string[]; text?: string; code: number; want: RegExp }[] = [
    { args: [], code: 2, want: /^Which file\? Name one file, / },
    { args: ["a.yaml", "b.yaml"], code: 2, want: /^Which file\? Name one file, / },
    { args: ["a.yaml", "--from", "prism"], code: 2, want: /--from/ },
    { args: [""], code: 2, want: /^Which file\? Name one file, / },
    {
      args: [new URL("mockon.json", DATA).pathname],
      code: 3,
      want: /mockon\.json: there is no such file\. Did you mean \S+\/mockoon\.json\?\n/,
    },
    { args: ["missing.yaml"], code: 3, want: /missing\.yaml.*there is no such file/ },
    {
      args: ["-"],
      text: "openapi: 3.1.0",
      code: 1,
      want: /is not a file that gw can convert: a definition with x-kusk, or an environment file of Mockoon\.\n/,
    },
    { args: ["-", "--from", "kusk"], text: "[]", code: 1, want: /is not a definition with x-kusk\.\n/ },
    { args: ["-"], text: "x-kusk: [", code: 1, want: /1:\d+ error syntax: / },
  ];
  for (const { args, text = "", code: wanted, want } of cases) {
    await t.step(args.join(" "), async () => {
      const platform = recordPlatform({ stdin: text });
      const code = await main(["convert", ...args], platform);
      assert.match(platform.printed.stderr, want);
      assert.equal(platform.printed.stdout, "");
      assert.equal(code, wanted);
    });
  }
});

Deno.test("gw convert exits with 0 when nothing is left", async () => {
  const platform = recordPlatform({ stdin: "x-kusk: { disabled: true }\n" });
  assert.equal(await main(["convert", "-"], platform), 0);
  assert.deepEqual(platform.printed, { stdout: "x-svc: { disabled: true }\n", stderr: "" });
});
