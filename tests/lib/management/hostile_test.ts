import assert from "node:assert/strict";
import { HOSTILE_TEXTS } from "../openapi/hostile_texts.ts";
import { definition, serve } from "./server.ts";

/** Milliseconds that a text may take, on a slow and busy machine; on a quiet one a tenth is enough. */
const MOST_TIME = 10_000;

Deno.test("a hostile definition is refused or deployed in bounded time, and harms no other", async (t) => {
  const { ask, plans } = await serve();
  await ask("POST /apis", { name: "todo", openapi: definition() });
  for (const { name, text, code } of HOSTILE_TEXTS) {
    await t.step(name, async () => {
      const hostile = text();
      const openapi = typeof hostile === "string" ? hostile : new TextDecoder().decode(hostile);
      const start = performance.now();
      const reply = await ask("POST /apis", { name: "hostile", openapi });
      assert.ok(performance.now() - start < MOST_TIME, `takes ${Math.round(performance.now() - start)} ms`);
      if (code === undefined) assert.ok([201, 400].includes(reply.status), reply.text.slice(0, 500));
      assert.ok(reply.status < 500, reply.text.slice(0, 500));
      await ask("DELETE /apis/default/hostile");
      assert.deepEqual(plans(), ["api default/todo"]);
      assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
    });
  }
});

Deno.test("hostile content is refused in bounded time", async (t) => {
  const { ask } = await serve();
  const table: [name: string, content: string][] = [
    ["brackets, a million deep", "[".repeat(1_000_000) + "]".repeat(1_000_000)],
    ["brackets under a key", `{"name":1,"x":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`],
    ["brackets that are never closed", "[".repeat(8_000_000)],
    ["many values", `{"name":1,"x":[${"1,".repeat(4_000_000)}1]}`],
    ["many keys", `{${Array.from({ length: 300_000 }, (_, index) => `"k${index}":1`).join(",")}}`],
    ["many lines", `${"\n".repeat(15_000_000)}{`],
    ["keys of Object.prototype", '{"__proto__":{"name":"a","openapi":""},"constructor":{}}'],
    ["a long string", `{"name":"${"a".repeat(15_000_000)}","openapi":""}`],
    ["a string with many escapes", `{"name":"a","openapi":1,"x":"${'\\"'.repeat(4_000_000)}"}`],
  ];
  for (const [name, content] of table) {
    await t.step(name, async () => {
      for (const path of ["/apis", "/fleets"]) {
        const start = performance.now();
        const reply = await ask(`POST ${path}`, content);
        assert.ok(performance.now() - start < MOST_TIME, `takes ${Math.round(performance.now() - start)} ms`);
        assert.equal(reply.status, 400, reply.text.slice(0, 500));
        assert.ok(reply.text.length < 100_000, `${reply.text.length} characters`);
      }
    });
  }
});
