import assert from "node:assert/strict";
import { namedHosts, reachesUpstream } from "../../../../lib/gateway/embedded/reached_hosts.ts";
import { definition, plan, planStatic, PLATFORM } from "./fleet.ts";

const platform = {
  ...PLATFORM,
  resolveService: (_: string, name: string) => name === "shop" ? new URL("https://shop.example:8443/v1") : undefined,
};

const CASES: readonly { settings: string; reaches: boolean; hosts: readonly string[] }[] = [
  { settings: "{mocking: {enabled: true}}", reaches: false, hosts: [] },
  { settings: "{redirect: {host: other.example}}", reaches: false, hosts: [] },
  { settings: "{disabled: true, upstream: {host: {hostname: a.example}}}", reaches: false, hosts: ["a.example"] },
  { settings: "{upstream: {host: {hostname: A.example., port: 80}}}", reaches: true, hosts: ["a.example."] },
  { settings: "{upstream: {host: {hostname: '::1'}}}", reaches: true, hosts: ["[::1]"] },
  { settings: "{upstream: {service: {name: shop}}}", reaches: true, hosts: ["shop.example"] },
  { settings: "{upstream: {service: {name: unknown}}}", reaches: true, hosts: [] },
  {
    settings: "{upstreams: [{service: {name: shop}, weight: 1}, {host: {hostname: b.example}, weight: 0}]}",
    reaches: true,
    hosts: ["shop.example", "b.example"],
  },
  {
    settings: "{mocking: {enabled: true}, auth: {custom: {host: {hostname: auth.example}}}}",
    reaches: true,
    hosts: [],
  },
  {
    settings: "{hosts: [API.example, '*.wild.example', '*.com', '*'], mocking: {enabled: true}}",
    reaches: false,
    hosts: ["api.example", "*.wild.example"],
  },
];

Deno.test("the hosts of plans are those that their definitions name, and those of their upstreams", async () => {
  for (const { settings, reaches, hosts } of CASES) {
    const plans = [await plan(definition(settings))];
    assert.equal(reachesUpstream(plans), reaches, settings);
    assert.deepEqual(namedHosts(plans, platform), hosts, settings);
  }
  const fixed = await planStatic(
    "{path: {prefix: /files}, hosts: [files.example], upstream: {host: {hostname: c.example}}}",
  );
  assert.equal(reachesUpstream([fixed]), true);
  assert.deepEqual(namedHosts([fixed], platform), ["files.example", "c.example"]);
});
