import assert from "node:assert/strict";
import { ask, definition, plan } from "./fleet.ts";
import { testProxying } from "./proxy_cases.ts";

testProxying("fetch");

Deno.test("upstreams share the requests by weight", async () => {
  const counts: Record<string, number> = {};
  let seed = 7;
  const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const weighted =
    "{upstreams: [{weight: 70, host: {hostname: a.example}}, {weight: 0, host: {hostname: b.example}}, " +
    "{weight: 30, host: {hostname: c.example}}]}";
  const plans = [await plan(definition(weighted))];
  const fetch = (input: string | URL | Request): Promise<Response> => {
    const { hostname } = new URL(String(input));
    counts[hostname] = (counts[hostname] ?? 0) + 1;
    return Promise.resolve(new Response());
  };
  for (let time = 0; time < 2000; time++) await ask(plans, "http://h/pets", {}, { fetch, random });
  assert.equal(counts["b.example"], undefined);
  assert.ok(Math.abs((counts["a.example"] ?? 0) / 2000 - 0.7) < 0.05, JSON.stringify(counts));
});
