import assert from "node:assert/strict";
import { parseDocument, validateDocument } from "../../mod.ts";
import { EXTENSION_REFERENCE, extensionReference } from "../../scripts/docs.ts";

/** A text without what formatting changes. */
function words(text: string): string {
  return text.replaceAll(/-{3,}/g, "---").replaceAll(/\s+/g, " ");
}

Deno.test("docs/x-svc.md says what the program reads: else run `deno task docs`", async () => {
  assert.equal(words(await Deno.readTextFile(EXTENSION_REFERENCE)), words(extensionReference()));
});

Deno.test("the definition in docs/x-svc.md is right", async () => {
  const [, example = ""] = /```yaml\n(.*?)```/s.exec(await Deno.readTextFile(EXTENSION_REFERENCE)) ?? [];
  assert.deepEqual(await validateDocument(await parseDocument(example)), []);
});
