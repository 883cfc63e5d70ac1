import assert from "node:assert/strict";
import { checkHostileText } from "../lib/openapi/check_hostile_text.ts";
import { LARGE_TEXTS } from "../lib/openapi/hostile_texts.ts";

/** The size of the heap that a large text may need, in megabytes. */
const MOST_MEMORY = 512;

Deno.test("a large hostile text gives a diagnostic in bounded memory", async (t) => {
  for (const [index, { name }] of LARGE_TEXTS.entries()) {
    await t.step(name, async () => {
      const { success, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", `--v8-flags=--max-old-space-size=${MOST_MEMORY}`, import.meta.filename ?? "", String(index)],
        cwd: new URL("../..", import.meta.url),
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
    });
  }
});

if (import.meta.main && Deno.args[0] !== undefined) {
  const large = LARGE_TEXTS[Number(Deno.args[0])];
  assert.ok(large);
  await checkHostileText(large);
}
