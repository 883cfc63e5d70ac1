/**
 * Lints the GitHub workflows with actionlint, and all shell scripts with shellcheck.
 *
 * @module
 */
import assert from "node:assert/strict";
import { hasProgram } from "../../scripts/program.ts";
import { fileURLToPath } from "node:url";
import { makeOnce } from "../../scripts/cache.ts";
import { provideGo } from "../../scripts/cluster/tools.ts";
import { readRepositoryFile } from "../tour/pages.ts";
import { run } from "./programs.ts";
import { isSkipped } from "./recipe.ts";

const ROOT = fileURLToPath(import.meta.resolve("../../"));
const WORKFLOWS = ".github/workflows";
const ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";

const hasShellcheck = hasProgram("shellcheck");
const go = await provideGo("1.25.0", ROOT).catch(() => undefined);

Deno.test({
  name: "actionlint finds nothing in the workflows",
  ignore: isSkipped("actionlint", go !== undefined && hasShellcheck, "Go 1.25 or later, and shellcheck"),
  async fn() {
    const folder = await makeOnce("actionlint", "actionlint", [ACTIONLINT], async (folder) => {
      await run("env", [`GOBIN=${folder}`, go ?? "", "install", ACTIONLINT]);
    });
    // actionlint finds shellcheck in the path, and checks the workflows' scripts with it.
    assert.equal(await run(`${folder}/actionlint`, [], ROOT), "");
  },
});

Deno.test({
  name: "shellcheck finds nothing in the scripts",
  ignore: isSkipped("The check of scripts", hasShellcheck && hasProgram("git"), "shellcheck and git"),
  async fn() {
    const files = (await run("git", ["ls-files", "*.sh", ".ci/run"], ROOT)).trim().split("\n");
    assert.ok(files.includes(".ci/run") && files.length > 3);
    assert.equal(await run("shellcheck", files, ROOT), "");
  },
});

Deno.test("each action of others is pinned to a commit, and its version is named", () => {
  for (const { name } of Deno.readDirSync(`${ROOT}${WORKFLOWS}`)) {
    for (const [, used = ""] of readRepositoryFile(`${WORKFLOWS}/${name}`).matchAll(/\buses: (.*)/g)) {
      assert.match(used, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, name);
    }
  }
});
