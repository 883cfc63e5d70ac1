import assert from "node:assert/strict";
import { hasProgram } from "../../scripts/program.ts";
import { readRepositoryFile } from "../tour/pages.ts";
import { runPage } from "../tour/run_page.ts";
import { provideExecutable } from "./executable.ts";
import { folderOf } from "./programs.ts";
import { isSkipped, stepsOf } from "./recipe.ts";

const PAGE = "docs/java.md";
const TEST = "tests/package/java_test.ts";

const executable = await provideExecutable();
const isPossible = executable !== undefined && hasProgram("mvn") && hasProgram("javac");

Deno.test({
  name: `${PAGE}: its test passes, and that with Testcontainers compiles`,
  ignore: isSkipped(PAGE, isPossible, "an executable for this platform, Java 17 or later and Maven"),
  async fn(t) {
    await using bin = await folderOf({ gw: executable ?? "" });
    const steps = stepsOf(PAGE, TEST);
    // Surefire runs only classes whose names end in Test, but all are compiled.
    const names = steps.flatMap((step) => step.kind === "file" ? [step.name.split("/").at(-1)] : []);
    assert.deepEqual(names, ["api.yaml", "GwMock.java", "TodosTest.java", "TodosContainerIT.java"]);
    const exchanges = steps.filter(({ kind }) => kind === "exchanges");
    assert.equal(exchanges.length, 1);
    await runPage(t, [...steps.filter(({ kind }) => kind === "file"), ...exchanges], {
      env: { HOME: Deno.env.get("HOME") ?? "", PATH: bin.searchPath },
      files: () =>
        Promise.resolve({
          "pom.xml": readRepositoryFile("tests/package/java/pom.xml"),
          ".mvn/maven.config": "--batch-mode\n--no-transfer-progress\n-Dstyle.color=never\n",
        }),
    });
  },
});
