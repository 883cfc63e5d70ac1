import assert from "node:assert/strict";
import { OLDEST_NODE } from "../../../scripts/package/names.ts";
import { readRepositoryFile } from "../../tour/pages.ts";

Deno.test("README and docs name the oldest version of Node that the npm package allows", async (t) => {
  const makesManifest = readRepositoryFile("scripts/package/npm_command.ts");
  assert.ok(makesManifest.includes("engines: { node: `>=${OLDEST_NODE}` }"));
  const statements: Record<string, RegExp> = {
    "README.md": /Node (\d+)(?: or later|\+)/g,
    "docs/install.md": /Node (\d+) or later/g,
    "docs/library.md": /^Node (\d+) and later/gm,
  };
  for (const [page, statement] of Object.entries(statements)) {
    await t.step(page, () => {
      const named = [...readRepositoryFile(page).matchAll(statement)].map(([, version]) => Number(version));
      assert.deepEqual([...new Set(named)], [OLDEST_NODE]);
    });
  }
});
