/**
 * The programs of README.md and of the npm package's README, in Node.js and with the package's library.
 *
 * @module
 */
import assert from "node:assert/strict";
import { hasProgram } from "../../scripts/program.ts";
import { createFolder, TODO } from "../cmd/definitions.ts";
import { readRepositoryFile } from "../tour/pages.ts";
import { libraryPackage } from "./library_package.ts";
import { run } from "./programs.ts";
import { isSkipped } from "./recipe.ts";

/** The READMEs, each with the name that its definition has. */
const READMES = { "README.md": "todo.yaml", "packages/npm/README.md": "api.yaml" };

for (const [path, definition] of Object.entries(READMES)) {
  Deno.test({
    name: `${path}: its program runs in Node.js`,
    ignore: isSkipped(path, hasProgram("node"), "Node.js 20 or later"),
    async fn() {
      const [, program = ""] = /^```js\n([^]*?)^```$/m.exec(readRepositoryFile(path)) ?? [];
      assert.match(program, /from "openapi-gw";/);
      await using folder = await createFolder();
      await Deno.symlink(`${(await libraryPackage()).folder}/node_modules`, `${folder.path}/node_modules`);
      await Deno.copyFile(TODO, `${folder.path}/${definition}`);
      await Deno.writeTextFile(`${folder.path}/todo.test.mjs`, program);
      await run("node", ["todo.test.mjs"], folder.path);
    },
  });
}
