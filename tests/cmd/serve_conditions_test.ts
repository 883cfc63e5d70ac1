import assert from "node:assert/strict";
import { startServe } from "./serve_process.ts";

/** A definition whose path keys have conditions: a query or a fragment. */
function agents(keys: Readonly<Record<string, string>>): string {
  const lines = Object.entries(keys).map(([key, example]) =>
    `  ${JSON.stringify(key)}: {get: {responses: {"200": {description: ${example}, content: {text/plain: ` +
    `{schema: {type: string}, example: ${example}}}}}}}\n`
  );
  return `openapi: 3.1.0\ninfo: {title: Agents, version: "1"}\nx-svc: {mocking: {enabled: true}}\npaths:\n${
    lines.join("")
  }`;
}

Deno.test("gw serve deploys path keys with a query or a fragment, and tells their operations apart", async (t) => {
  await using gw = await startServe();
  const deploy = async (name: string, keys: Readonly<Record<string, string>>): Promise<Response> =>
    await fetch(`${gw.api}/apis`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name, openapi: agents(keys) }),
    });
  const first = await deploy("agents", { "/agents": "stable", "/agents?beta=true": "beta", "/#X-Target=List": "list" });
  assert.equal(first.status, 201, await first.text());
  const second = await deploy("others", { "/agents?alpha": "alpha", "/#X-Target=Get": "get" });
  assert.equal(second.status, 201, await second.text());

  for (
    const [target, headers, want] of [
      ["/agents", {}, "stable"],
      ["/agents?x=1&beta=true", {}, "beta"],
      ["/agents?alpha=1", {}, "alpha"],
      ["/", { "x-target": "List" }, "list"],
      ["/", { "x-target": "Get" }, "get"],
    ] as const
  ) {
    await t.step(`${target} ${JSON.stringify(headers)} is answered by ${want}`, async () => {
      const response = await fetch(gw.fleet + target, { headers });
      assert.equal(await response.text(), want);
    });
  }
  await t.step("a request without the header is told of it", async () => {
    const response = await fetch(`${gw.fleet}/`, { headers: { "x-target": "Lists" } });
    assert.equal(response.status, 404);
    const { detail } = await response.json();
    assert.match(detail, /: GET \/ needs the header `X-Target: List`; GET \/ needs the header `X-Target: Get`\.$/);
  });
  await t.step("an API that demands the same is refused", async () => {
    const response = await deploy("third", { "/agents?beta=true": "other" });
    assert.equal(response.status, 409);
    assert.match(await response.text(), /GET \/agents\?beta=true is taken by the API default\/agents/);
  });
});
