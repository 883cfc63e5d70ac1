import assert from "node:assert/strict";
import { join } from "node:path";
import { definitionsOf } from "../../cmd/line/operands.ts";
import { createFolder } from "./definitions.ts";
import { runGw } from "./process.ts";

const DEFINITION = "openapi: 3.1.0\ninfo: { title: Pets, version: 1.0.0 }\npaths: {}\n";

Deno.test("definitionsOf() takes the one definition in a folder, or says which there are", async (t) => {
  const cases: { name: string; files: Record<string, string>; want: string | RegExp }[] = [
    { name: "any name", files: { "pets.yml": DEFINITION, "package.json": "{}", "a.yaml": "a: 1" }, want: "pets.yml" },
    { name: "JSON", files: { "pets.JSON": '{"info": {}, "swagger": "2.0"}' }, want: "pets.JSON" },
    { name: "beside an overlay", files: { "a.yaml": "overlay: 1.0.0\n", "b.yaml": DEFINITION }, want: "b.yaml" },
    { name: "a broken file with a well-known name", files: { "openapi.yaml": "opnapi: 3.1.0" }, want: "openapi.yaml" },
    {
      name: "a definition before a well-known name",
      files: { "api.json": "{}", "b.yaml": DEFINITION },
      want: "b.yaml",
    },
    {
      name: "two",
      files: { "b.yaml": DEFINITION, "a.yaml": DEFINITION },
      want: /^Which definition\? There are several in \S+: \S+a\.yaml, \S+b\.yaml\. Name one: gw mock \S+a\.yaml$/,
    },
    {
      name: "a name that a shell would split",
      files: { "a b.yaml": DEFINITION, "c.yaml": DEFINITION },
      want: /^Which definition\? .* Name one: gw mock '\S+a b\.yaml'$/,
    },
    {
      name: "none",
      files: { ".hidden.yaml": DEFINITION, "a.txt": DEFINITION, "b.yaml": "" },
      want: /^Which definition\? Name a file, a URL, or - for standard input\. There is none in \S+; gw init writes /,
    },
    {
      name: "one, and too many files",
      files: {
        "a.yaml": DEFINITION,
        ...Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`b${index}.yaml`, ""])),
      },
      want:
        /^Which definition\? There are too many files in \S+ to look at all; \S+a\.yaml is one\. Name it: gw mock \S+a\.yaml$/,
    },
    {
      name: "too many files",
      files: Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`${index}.yaml`, ""])),
      want: /^Which definition\? Name a file, .*There are too many files in \S+ to look for one\.$/,
    },
  ];
  for (const { name, files, want } of cases) {
    await t.step(name, async () => {
      await using folder = await createFolder();
      for (const [file, text] of Object.entries(files)) await Deno.writeTextFile(join(folder.path, file), text);
      const named = await definitionsOf([folder.path], [], "gw mock");
      if (typeof want !== "string") return assert.match(named.kind === "mistake" ? named.message : "", want);
      assert.deepEqual(named, { kind: "named", definitions: [join(folder.path, want)] });
    });
  }
});

Deno.test("Commands without a definition take the one in the working directory", async (t) => {
  await using folder = await createFolder();
  await Deno.writeTextFile(join(folder.path, "pets.yaml"), DEFINITION);
  const cases: { args: string[]; want: RegExp }[] = [
    { args: ["validate"], want: /in pets\.yaml\.\n/ },
    { args: ["validate", "--format", "json"], want: /^\[/ },
    { args: ["resources"], want: /resource/ },
    {
      args: ["validate", "pest.yaml"],
      want: /^Cannot read pest\.yaml: there is no such file\. Did you mean pets\.yaml\?\n$/,
    },
    { args: ["validate", ""], want: /^Which definition\? The name of one is empty\.\n/ },
    { args: ["mock", "./pest.yaml"], want: /^Cannot read \.\/pest\.yaml: .* Did you mean pets\.yaml\?\n$/ },
    { args: ["validate", "pets"], want: /^Cannot read pets: there is no such file\. Did you mean pets\.yaml\?\n$/ },
    { args: ["validate", "pets.json"], want: /^Cannot read pets\.json: .* Did you mean pets\.yaml\?\n$/ },
    { args: ["validate", "unlike-any"], want: /^Cannot read unlike-any: there is no such file\.\n$/ },
    { args: ["validate", "cats.yaml"], want: /^Cannot read cats\.yaml: there is no such file\.\n$/ },
    { args: ["deploy", "--server", "http://127.0.0.1:1"], want: /127\.0\.0\.1:1/ },
  ];
  for (const { args, want } of cases) {
    await t.step(`gw ${args.join(" ")}`, async () => {
      const { stdout, stderr } = await runGw({ args, cwd: folder.path });
      assert.match(stdout + stderr, want);
    });
  }
});
