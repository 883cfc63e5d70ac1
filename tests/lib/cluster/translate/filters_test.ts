import assert from "node:assert/strict";
import { responseFilters } from "../../../../lib/cluster/translate/filters.ts";
import type { Profile } from "../../../../lib/cluster/translate/render.ts";
import type { PlannedRoute } from "../../../../lib/gateway/route.ts";
import { definition, plan } from "../../gateway/embedded/fleet.ts";

const AUTH = "auth: {custom: {service: {name: auth}}}";

Deno.test("responseFilters() adds what the embedded gateway answers where the upstream says nothing", async () => {
  const cases: readonly [settings: string, method: string, value: string | undefined][] = [
    ["{cache: {enabled: true, max_age: 300}}", "get", "max-age=300"],
    [`{cache: {enabled: true, max_age: 300}, ${AUTH}}`, "get", "private, max-age=300"],
    [`{cache: {enabled: true, max_age: 300}, ${AUTH}}`, "post", undefined],
    [`{cache: {enabled: false, max_age: 300}, ${AUTH}}`, "get", undefined],
    [`{${AUTH}}`, "get", undefined],
  ];
  for (const [settings, method, value] of cases) {
    const { routes } = await plan(definition(settings, `/pets: {${method}: {responses: {"200": {description: ""}}}}`));
    const [route] = routes;
    assert.ok(route);
    const add = value === undefined ? [] : [{ name: "cache-control", value }];
    const filters = add.length === 0 ? [] : [{ type: "ResponseHeaderModifier", responseHeaderModifier: { add } }];
    assert.deepEqual(responseFilters(route, "envoy-gateway"), filters, `${method} ${settings}`);
  }
});

Deno.test("responseFilters() removes the CORS headers of upstreams of operations with cors", async () => {
  const removedIn = (route: PlannedRoute, profile: Profile): string[] =>
    responseFilters(route, profile).flatMap((filter) =>
      filter.type === "ResponseHeaderModifier" ? filter.responseHeaderModifier.remove ?? [] : []
    );
  const upstream = "upstream: {service: {name: web}}";
  const cors = "cors: {origins: ['https://a.example']}";
  for (
    const [settings, isRemoved] of [
      [`{${upstream}, ${cors}}`, true],
      [`{${upstream}}`, false],
      [`{mocking: {enabled: true}, ${cors}}`, false],
    ] as const
  ) {
    const { routes: [route] } = await plan(definition(settings));
    assert.ok(route);
    assert.equal(removedIn(route, "envoy-gateway").includes("access-control-allow-origin"), isRemoved, settings);
    assert.deepEqual(removedIn(route, "portable"), [], settings);
  }
});
