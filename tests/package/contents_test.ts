/**
 * Checks what the files of the npm library must not contain.
 *
 * @module
 */
import assert from "node:assert/strict";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { libraryPackage } from "./library_package.ts";
import { filesBelow } from "./runtimes.ts";

Deno.test("the library's files say nothing about the machine that made them", async () => {
  const { path } = await libraryPackage();
  const files = await filesBelow(path, "", "");
  assert.ok(files.some((file) => file.endsWith(".map")), "there are source maps");
  for (const file of files) {
    const text = await Deno.readTextFile(`${path}/${file}`);
    for (const folder of [homedir(), fileURLToPath(import.meta.resolve("../.."))]) {
      assert.ok(!text.includes(`${folder.replace(/\/$/, "")}/`), `${file} has the path ${folder}`);
    }
  }
});

Deno.test("mod.js needs nothing of a runtime but the web platform's globals", async () => {
  const { path, imports } = await libraryPackage();
  const reached = new Set(["mod.js"]);
  for (const file of reached) {
    const { static: first = [], dynamic = [] } = imports.get(file) ?? {};
    for (const imported of [...first, ...dynamic]) reached.add(imported);
    const text = await Deno.readTextFile(`${path}/library/${file}`);
    assert.doesNotMatch(text, /\b(?:Deno|Bun|process)\.\w/, file);
    assert.doesNotMatch(text, /(?:from|import\(?)\s*"(?:node:|[a-z@])[\w:@/-]+"/, file);
  }
  assert.ok(reached.size > 10, "the parts are files of their own");
});
