import assert from "node:assert/strict";
import { responseFilters } from "../../../../lib/cluster/translate/filters.ts";
import type { Profile } from "../../../../lib/cluster/translate/render.ts";
import type { PlannedRoute } from "../../../../lib/gateway/route.ts";
import { renderPlan, rulesOf } from "./rendering_support.ts";
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

Deno.test("renderGatewayApi() gives an upstream the client's Host or its own, as host_header says", async (t) => {
  const service = "service: {name: web, namespace: shop}";
  const host = "host: {hostname: web.example.com}";
  const rewrite = "rewrite: {pattern: ^/a, substitution: /b}";
  const none = { hostname: undefined, ofBackend: false };
  for (
    const [settings, want] of [
      [service, none],
      [`${service}, host_header: client`, none],
      [`${service}, host_header: upstream`, { hostname: "web.shop.svc", ofBackend: false }],
      [`${service}, ${rewrite}, host_header: upstream`, { hostname: "web.shop.svc", ofBackend: false }],
      [host, { hostname: undefined, ofBackend: true }],
      [`${host}, ${rewrite}`, { hostname: undefined, ofBackend: true }],
      [`${host}, host_header: client`, none],
    ] as const
  ) {
    await t.step(settings, async () => {
      const { objects, diagnostics } = renderPlan(await plan(definition(`{upstream: {${settings}}}`)));
      assert.deepEqual(diagnostics, []);
      const rule = rulesOf({ objects }).find(({ name }) => name !== "undeclared");
      const hostname = rule?.filters?.flatMap(({ urlRewrite }) => Object(urlRewrite).hostname ?? [])[0];
      const ofBackend = objects.some(({ kind, spec }) =>
        kind === "HTTPRouteFilter" && Object(spec).urlRewrite.hostname?.type === "Backend"
      );
      assert.deepEqual({ hostname, ofBackend }, want);
    });
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
