import assert from "node:assert/strict";
import { validateDocument } from "../../../lib/mock/lint/validate_document.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { HOSTILE_TEXTS, type HostileText, LARGE_TEXTS } from "./hostile_texts.ts";

/** The size of the heap that the large texts may need, in megabytes. */
const MOST_MEMORY = 512;

async function check({ text, code }: HostileText): Promise<void> {
  const document = await parseDocument(text());
  const codes = (await validateDocument(document)).map((diagnostic) => diagnostic.code);
  if (code === undefined) assert.deepEqual(codes, []);
  else assert.ok(codes.includes(code), `${code} is not among ${[...new Set(codes)].join(", ")}`);
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
}

// This test sees only that there is a diagnostic; `deno task hostile` also limits the CPU time.
Deno.test("a hostile text gives a diagnostic", async (t) => {
  for (const hostile of HOSTILE_TEXTS) await t.step(hostile.name, () => check(hostile));
});

Deno.test("a large hostile text gives a diagnostic in bounded memory", async (t) => {
  for (const [index, { name }] of LARGE_TEXTS.entries()) {
    await t.step(name, async () => {
      const { success, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", `--v8-flags=--max-old-space-size=${MOST_MEMORY}`, import.meta.filename ?? "", String(index)],
        cwd: new URL("../../..", import.meta.url),
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
    });
  }
});

if (import.meta.main && Deno.args[0] !== undefined) {
  const large = LARGE_TEXTS[Number(Deno.args[0])];
  assert.ok(large);
  await check(large);
}
