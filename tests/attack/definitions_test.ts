import assert from "node:assert/strict";
import { HOSTILE_TEXTS } from "../lib/openapi/hostile_texts.ts";
import { PATTERN_TEXTS } from "../lib/openapi/pattern_texts.ts";
import { HOSTILE_CONTENTS } from "../lib/management/hostile_contents.ts";
import { definition, serve } from "../lib/management/server.ts";

Deno.test("a hostile definition is refused or deployed, and harms no other", async (t) => {
  const { ask, plans } = await serve();
  await ask("POST /apis", { name: "todo", openapi: definition() });
  for (const { name, text, code } of [...HOSTILE_TEXTS, ...PATTERN_TEXTS]) {
    await t.step(name, async () => {
      const hostile = text();
      const openapi = typeof hostile === "string" ? hostile : new TextDecoder().decode(hostile);
      const reply = await ask("POST /apis", { name: "hostile", openapi });
      if (code === undefined) assert.ok([201, 400].includes(reply.status), reply.text.slice(0, 500));
      assert.ok(reply.status < 500, reply.text.slice(0, 500));
      await ask("DELETE /apis/default/hostile");
      assert.deepEqual(plans(), ["api default/todo"]);
      assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
    });
  }
});

Deno.test("hostile content is refused in few words", async (t) => {
  const { ask } = await serve();
  for (const [name, content] of HOSTILE_CONTENTS) {
    await t.step(name, async () => {
      for (const path of ["/apis", "/fleets"]) {
        const reply = await ask(`POST ${path}`, content());
        assert.equal(reply.status, 400, reply.text.slice(0, 500));
        assert.ok(reply.text.length < 100_000, `${reply.text.length} characters`);
      }
    });
  }
});
