import assert from "node:assert/strict";
import { findDefinitions } from "../../../../cmd/io/files/folder_definitions.ts";
import { createFolder } from "../../definitions.ts";

Deno.test("findDefinitions() leaves out named pipes", { ignore: Deno.build.os === "windows" }, async () => {
  await using folder = await createFolder();
  const { success } = await new Deno.Command("mkfifo", { args: [`${folder.path}/openapi.yaml`] }).output();
  assert.ok(success);
  assert.deepEqual((await findDefinitions(folder.path)).names, []);
});
