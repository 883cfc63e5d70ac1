import assert from "node:assert/strict";
import { LONGEST_TIMER } from "../../../../lib/http/timer.ts";
import type { Send } from "../../../../lib/http/upstream.ts";
import { ask, definition, plan } from "./fleet.ts";

Deno.test("upstreams share the requests by weight", async () => {
  const counts: Record<string, number> = {};
  let seed = 7;
  const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const weighted =
    "{upstreams: [{weight: 70, host: {hostname: a.example}}, {weight: 0, host: {hostname: b.example}}, " +
    "{weight: 30, host: {hostname: c.example}}]}";
  const plans = [await plan(definition(weighted))];
  const send: Send = (url) => {
    const { hostname } = new URL(url);
    counts[hostname] = (counts[hostname] ?? 0) + 1;
    return Promise.resolve({ kind: "answered", response: new Response() });
  };
  for (let time = 0; time < 2000; time++) await ask(plans, "http://h/pets", {}, { send, random });
  assert.equal(counts["b.example"], undefined);
  assert.ok(Math.abs((counts["a.example"] ?? 0) / 2000 - 0.7) < 0.05, JSON.stringify(counts));
});

Deno.test("timeouts longer than any timer are cut to the longest one, not taken for none", async () => {
  const settings = "{upstream: {host: {hostname: a.example}}, qos: {request_timeout: 1e10, idle_timeout: 3000000}}";
  let timeouts: unknown;
  const send: Send = (_, { headTimeout, idleTimeout }) => {
    timeouts = { headTimeout, idleTimeout };
    return Promise.resolve({ kind: "answered", response: new Response() });
  };
  await ask([await plan(definition(settings))], "http://h/pets", {}, { send });
  assert.deepEqual(timeouts, { headTimeout: LONGEST_TIMER, idleTimeout: LONGEST_TIMER });
});
