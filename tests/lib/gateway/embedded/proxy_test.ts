import assert from "node:assert/strict";
import { LONGEST_TIMER } from "../../../../lib/http/timer.ts";
import type { Send } from "../../../../lib/http/url/upstream.ts";
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

Deno.test("request_timeout limits the time to the head over all attempts, idle_timeout each silence", async (t) => {
  interface Case {
    qos: string;
    /** The outcomes of the attempts, and the milliseconds that each takes. */
    attempts: readonly [kind: "unreachable" | "timeout" | "503" | "200", milliseconds: number][];
    /** The head's limit that each attempt gets, in milliseconds. */
    limits: readonly number[];
    status: number;
  }
  const cases: readonly Case[] = [
    { qos: "{}", attempts: [["200", 70_000]], limits: [0], status: 200 },
    { qos: "{request_timeout: 0, idle_timeout: 0}", attempts: [["200", 1]], limits: [0], status: 200 },
    { qos: "{request_timeout: 2}", attempts: [["200", 1]], limits: [2000], status: 200 },
    { qos: "{request_timeout: 2, idle_timeout: 1}", attempts: [["200", 1]], limits: [2000], status: 200 },
    { qos: "{request_timeout: 1, idle_timeout: 0}", attempts: [["200", 1]], limits: [1000], status: 200 },
    {
      qos: "{request_timeout: 1, retries: 2}",
      attempts: [["503", 400], ["unreachable", 400], ["200", 100]],
      limits: [1000, 600, 200],
      status: 200,
    },
    { qos: "{request_timeout: 1, retries: 2}", attempts: [["timeout", 1000]], limits: [1000], status: 504 },
    { qos: "{idle_timeout: 1, retries: 2}", attempts: [["timeout", 1000]], limits: [0], status: 504 },
    {
      qos: "{request_timeout: 1, retries: 9}",
      attempts: [["503", 900], ["503", 100]],
      limits: [1000, 100],
      status: 504,
    },
    { qos: "{retries: 1}", attempts: [["503", 90_000], ["200", 1]], limits: [0, 0], status: 200 },
  ];
  for (const { qos, attempts, limits, status } of cases) {
    await t.step(`${qos}: ${attempts.map(([kind]) => kind)}`, async () => {
      let now = 5;
      const given: number[] = [];
      const send: Send = (_, { headTimeout }) => {
        const [kind, milliseconds] = attempts[given.length] ?? ["200", 0];
        given.push(headTimeout);
        now += milliseconds;
        if (kind === "timeout") return Promise.resolve({ kind });
        if (kind === "unreachable") return Promise.resolve({ kind, reason: "" });
        return Promise.resolve({ kind: "answered", response: new Response("", { status: Number(kind) }) });
      };
      const plans = [await plan(definition(`{upstream: {host: {hostname: a.example}}, qos: ${qos}}`))];
      const { response } = await ask(plans, "http://h/pets", {}, { send, now: () => now });
      assert.deepEqual([given, response.status], [limits, status]);
    });
  }
});

Deno.test("before each further attempt there is a longer pause", async () => {
  const pauses: number[] = [];
  const settings = "{upstream: {host: {hostname: a.example}}, qos: {retries: 6}}";
  const { response } = await ask([await plan(definition(settings))], "http://h/pets", {}, {
    send: () => Promise.resolve({ kind: "unreachable", reason: "" }),
    random: () => 0.5,
    wait: (milliseconds) => Promise.resolve(void pauses.push(milliseconds)),
  });
  assert.equal(response.status, 502);
  assert.deepEqual(pauses, [12.5, 25, 50, 100, 125, 125]);
});
