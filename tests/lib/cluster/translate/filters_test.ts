import assert from "node:assert/strict";
import { cacheFilters } from "../../../../lib/cluster/translate/filters.ts";
import { definition, plan } from "../../gateway/embedded/fleet.ts";

const AUTH = "auth: {custom: {service: {name: auth}}}";

Deno.test("cacheFilters() adds what the embedded gateway answers where the upstream says nothing", async () => {
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
    assert.deepEqual(cacheFilters(route), filters, `${method} ${settings}`);
  }
});
