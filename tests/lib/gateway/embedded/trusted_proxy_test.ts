import assert from "node:assert/strict";
import { ask, CLIENT, definition, plan, serve } from "./fleet.ts";

const FORWARDED = { "x-forwarded-proto": "https", "x-forwarded-host": "shop.example" };
const TRUSTING = { isTrustedProxy: (address: string) => address === CLIENT.remoteAddr.hostname };
const DISTRUSTING = { isTrustedProxy: () => false };

Deno.test("scheme and host are those that a trusted proxy tells, and no one else", async (t) => {
  const seen: Headers[] = [];
  await using upstream = serve(({ headers }) => {
    seen.push(headers);
    return new Response();
  });
  const host = `host: {hostname: 127.0.0.1, port: ${upstream.port}}`;
  const requests = [["trusted", TRUSTING], ["another client", DISTRUSTING], ["without any", {}]] as const;
  for (const [name, platform] of requests) {
    const [proto, asked] = name === "trusted" ? ["https", "shop.example"] : ["http", "h:8080"];
    const get = async (settings: string): Promise<Response> => {
      const init = { headers: { host: "h:8080", ...FORWARDED } };
      return (await ask([await plan(definition(settings))], "http://h:8080/pets?x=1", init, platform)).response;
    };
    await t.step(`${name}: what an upstream and the server of auth.custom get`, async () => {
      seen.length = 0;
      await get(`{upstream: {${host}}, auth: {custom: {${host}}}}`);
      assert.deepEqual(seen.map((headers) => headers.get("x-forwarded-proto")), [proto, proto]);
      assert.deepEqual(seen.map((headers) => headers.get("x-forwarded-host")), [asked, asked]);
      assert.match(seen[0]?.get("forwarded") ?? "", new RegExp(`;host="?${asked}"?;proto=${proto}$`));
    });
    await t.step(`${name}: where a redirect leads`, async () => {
      assert.equal((await get("{redirect: {path: /new}}")).headers.get("location"), "/new?x=1");
      const elsewhere = await get("{redirect: {port: 9000}}");
      const origin = name === "trusted" ? "https://shop.example:9000" : "http://h:9000";
      assert.equal(elsewhere.headers.get("location"), `${origin}/pets?x=1`);
    });
  }
  await t.step("routes are found by the request's own host", async () => {
    const plans = [await plan(definition("{hosts: [shop.example], redirect: {path: /new}}"))];
    const { response } = await ask(plans, "http://h:8080/pets", { headers: FORWARDED }, TRUSTING);
    assert.equal(response.status, 404);
  });
});
