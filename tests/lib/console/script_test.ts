import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** `deno check` checks all files with one set of libraries, which has no DOM. */
Deno.test("the types of the console's script, in its JSDoc, are those of a browser", () => {
  const path = fileURLToPath(import.meta.resolve("../../../lib/console/assets/console.js"));
  const program = ts.createProgram([path], {
    allowJs: true,
    checkJs: true,
    lib: ["lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.esnext.d.ts"],
    module: ts.ModuleKind.ESNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    strict: true,
    target: ts.ScriptTarget.ESNext,
    types: [],
  });
  assert.ok(program.getSourceFile(path) !== undefined);
  const found = ts.getPreEmitDiagnostics(program);
  assert.deepEqual(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " ")), []);
});
