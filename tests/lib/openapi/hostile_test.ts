import { checkHostileText } from "./check_hostile_text.ts";
import { HOSTILE_TEXTS } from "./hostile_texts.ts";

// This test sees only that there is a diagnostic; `deno task hostile` also limits the CPU time.
Deno.test("a hostile text gives a diagnostic", async (t) => {
  for (const hostile of HOSTILE_TEXTS) await t.step(hostile.name, () => checkHostileText(hostile));
});
