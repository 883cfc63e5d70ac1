import assert from "node:assert/strict";
import type { JsonObject } from "../../../../lib/schema/json/node.ts";
import { hostUpstream, jwt, OTHER, planOf, renderPlan, rewrite, WEB } from "./rendering_support.ts";

Deno.test("renderGatewayApi() refuses settings of Envoy Gateway in the portable profile", async (t) => {
  const cases: [settings: JsonObject, pointer: string, message: RegExp][] = [
    [hostUpstream("api.example.com"), "/upstream", /An upstream that is a host/],
    [rewrite("^/a"), "/upstream", /`rewrite`/],
    [{ ...WEB, qos: { retries: 1 } }, "/qos", /retries/],
    [{ ...WEB, qos: { idle_timeout: 1 } }, "/qos", /idle_timeout/],
    [{ ...WEB, rate_limit: { requests_per_unit: 1, unit: "second" } }, "/rate_limit", /rate_limit/],
    [jwt("https://id.example.com/keys"), "/auth", /auth/],
    [{ ...WEB, validation: { request: { enabled: true } } }, "/validation", /validation/],
  ];
  for (const [settings, pointer, message] of cases) {
    await t.step(pointer, async () => {
      const { diagnostics, objects } = renderPlan(await planOf("pets", {}, { "PUT /a": settings, "PUT /b": WEB }), {
        profile: "portable",
      });
      assert.deepEqual(diagnostics.map((diagnostic) => diagnostic.pointer), [`/paths/~1a/put/x-svc${pointer}`]);
      assert.match(diagnostics[0]?.message ?? "", message);
      assert.deepEqual([...new Set(objects.map(({ kind }) => kind))], ["HTTPRoute"]);
    });
  }
});

Deno.test("renderGatewayApi() refuses templates of unspecified precedence in the portable profile", async (t) => {
  const cases: readonly { name: string; operations: Record<string, JsonObject>; refused: string[] }[] = [
    { name: "a concrete path", operations: { "PUT /a/{x}": {}, "PUT /a/b": OTHER }, refused: ["/paths/~1a~1{x}/put"] },
    {
      name: "another template",
      operations: { "PUT /a/{x}": {}, "PUT /{y}/b": OTHER },
      refused: ["/paths/~1a~1{x}/put"],
    },
    { name: "another method", operations: { "PUT /a/{x}": {}, "PATCH /a/b": OTHER }, refused: [] },
    { name: "an equal content", operations: { "PUT /a/{x}": {}, "PUT /a/b": {}, "PATCH /c": OTHER }, refused: [] },
  ];
  for (const { name, operations, refused } of cases) {
    await t.step(name, async () => {
      const { diagnostics } = renderPlan(await planOf("pets", WEB, operations), { profile: "portable" });
      assert.deepEqual(diagnostics.map(({ pointer }) => pointer), refused);
    });
  }
});
