import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { provideGo } from "../../scripts/cluster/tools.ts";
import { createFolder } from "../cmd/definitions.ts";
import type { Step } from "../tour/page.ts";
import { runPage } from "../tour/run_page.ts";
import { provideExecutable } from "./executable.ts";
import { folderOf, run } from "./programs.ts";
import { isSkipped, stepsOf } from "./recipe.ts";

const PAGE = "docs/go.md";
const TEST = "tests/package/go_test.ts";

/** The folder with go.mod and go.sum, which fix the versions of Testcontainers' modules. */
const MODULES = fileURLToPath(import.meta.resolve("./go/"));

const executable = await provideExecutable();
const go = await provideGo("1.26.0", MODULES).catch(() => undefined);
const ignore = isSkipped(
  PAGE,
  executable !== undefined && go !== undefined,
  "an executable for this platform and Go 1.26 or later",
);
const steps = stepsOf(PAGE, TEST);

Deno.test({
  name: `${PAGE}: its test passes`,
  ignore,
  async fn(t) {
    await using bin = await folderOf({ gw: executable ?? "", go: go ?? "" });
    const others = steps.filter((step) => !isOfContainer(step));
    assert.ok(others.some(({ kind }) => kind === "exchanges"));
    await runPage(t, others, { env: { HOME: Deno.env.get("HOME") ?? "", PATH: bin.searchPath } });
  },
});

Deno.test(`${PAGE}: the test with Testcontainers finds its definition from its own folder`, () => {
  const written = steps.flatMap((step) => step.kind === "file" ? [step.name] : []);
  for (const { name, text } of steps.filter(isOfContainer)) {
    const [, path = ""] = /HostFilePath: "([^"]*)"/.exec(text) ?? [];
    assert.ok(written.includes(join(dirname(name), path)), `${name}: no file ${path}`);
  }
});

Deno.test({
  name: `${PAGE}: the test with Testcontainers compiles`,
  ignore,
  async fn() {
    await using folder = await createFolder();
    const found = steps.filter(isOfContainer);
    assert.equal(found.length, 1);
    for (const { name, text } of found) {
      await Deno.writeTextFile(`${folder.path}/${name.replace("container/", "")}`, text);
    }
    for (const name of ["go.mod", "go.sum"]) await Deno.copyFile(`${MODULES}${name}`, `${folder.path}/${name}`);
    await run(go ?? "", ["vet", "./..."], folder.path);
  },
});

/** Tells whether a step writes a file of the separate Go module that uses Testcontainers. */
function isOfContainer(step: Step): step is Step & { kind: "file" } {
  return step.kind === "file" && step.name.startsWith("container/");
}
