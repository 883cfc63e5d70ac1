import assert from "node:assert/strict";
import type { JsonObject } from "../../../../lib/schema/json/node.ts";
import { CHECKED, JWT, MOCKED, OTHER, planOf, preflightsOf, renderPlan, rulesOf, WEB } from "./rendering_support.ts";

Deno.test("renderGatewayApi() splits hosts by sixteen, with an HTTPRoute of its own for any host", async () => {
  const named = Array.from({ length: 20 }, (_, index) => `h${index}.example.com`);
  const { objects } = renderPlan(await planOf("pets", { ...WEB, hosts: [...named, "*"] }, { "PUT /a": {} }));
  assert.deepEqual(
    objects.map(({ metadata: { name }, spec }) => [name, Object(spec).hostnames?.length]),
    [["pets.0", undefined], ["pets.h1.0", 16], ["pets.h2.0", 4]],
  );
});

Deno.test("renderGatewayApi() sets the header with the API in each rule, over that of the client", async () => {
  const plan = await planOf("pets", WEB, { "PUT /a": MOCKED, "PUT /b": {}, "PATCH /c": {} });
  for (const { name, filters = [] } of rulesOf(renderPlan(plan))) {
    const set = filters.flatMap(({ requestHeaderModifier }) => Object(requestHeaderModifier).set ?? []);
    const isUndeclared = name === "undeclared";
    assert.deepEqual(set, [
      { name: "x-svc-api", value: "shop/pets" },
      ...(isUndeclared ? [{ name: "x-svc-undeclared", value: "true" }] : []),
    ]);
  }
});

Deno.test("renderGatewayApi() puts open, checked and protected rules into separate HTTPRoutes", async (t) => {
  const plan = await planOf("pets", WEB, {
    "PUT /open": {},
    "PUT /checked": CHECKED,
    "PUT /jwt": JWT,
    "PUT /same": JWT,
    "PUT /both": { ...JWT, ...CHECKED },
    "PUT /other": { auth: { custom: { service: { name: "authz" } } } },
  });
  const { protections, objects } = renderPlan(plan);
  const names = (kind: string): string[] =>
    objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);

  await t.step("one HTTPRoute for each access", () => {
    const routes = Map.groupBy(rulesOf({ objects }).filter(({ name }) => name !== "undeclared"), ({ route }) => route);
    const paths = [...routes.values()].map((rules) =>
      rules.flatMap(({ matches }) => matches.map(({ path }) => path.value)).sort()
    );
    assert.deepEqual(paths.sort(), [["/both"], ["/checked"], ["/jwt", "/same"], ["/open"], ["/other"]]);
  });
  await t.step("each protected HTTPRoute has a SecurityPolicy of its own, applied before it", () => {
    assert.deepEqual(
      protections.map(({ group }) => group),
      names("HTTPRoute").filter((name) => name.includes(".auth-")),
    );
    assert.deepEqual(names("SecurityPolicy"), protections.map(({ group }) => group));
    const last = objects.findLastIndex(({ kind }) => kind === "SecurityPolicy");
    assert.ok(objects.findIndex(({ kind }) => kind === "HTTPRoute") > last);
  });
  await t.step("requests with a header of `response_headers` have a rule that removes it", async () => {
    const custom = { service: { name: "authz" }, response_headers: ["X-User", "x-group", "x-user"] };
    const plan = await planOf("pets", WEB, {
      "PUT /given": { auth: { custom } },
      "PUT /mocked": { ...MOCKED, auth: { custom } },
    });
    const { objects } = renderPlan(plan);
    const policy = objects.find(({ kind }) => kind === "SecurityPolicy");
    assert.deepEqual(Object(policy?.spec).extAuth.http.headersToBackend, ["x-user", "x-group"]);
    const rules = rulesOf({ objects }).filter(({ matches }) => matches.every(({ path }) => !path.value.endsWith("/?")));
    const removed = rules.map(({ matches, filters = [] }) => [
      matches.map(({ path, headers = [] }) => [path.value, ...headers.map(({ name }) => name)].join(" ")),
      filters.flatMap(({ requestHeaderModifier }) => Object(requestHeaderModifier).remove ?? []),
    ]);
    assert.deepEqual(removed.sort(), [
      [["/given x-user", "/given x-group"], ["x-user", "x-group"]],
      [["/given"], []],
      [["/mocked"], []],
    ]);
  });
  await t.step("a closed HTTPRoute has the same matches, and the mocks as its only backend", () => {
    const group = protections[0]?.group ?? "";
    const closed = renderPlan(plan, { isOpen: (name) => name !== group });
    const matchesOf = (objects: typeof closed.objects): unknown =>
      rulesOf({ objects }).filter(({ route }) => route === group).map(({ name, matches }) => ({ name, matches }));
    assert.deepEqual(matchesOf(closed.objects), matchesOf(objects));
    for (const { route, backendRefs, filters } of rulesOf(closed)) {
      if (route !== group) continue;
      assert.deepEqual(backendRefs, [{ name: "gw-mock", namespace: "gw-system", port: 8080 }]);
      assert.deepEqual(filters?.at(-1)?.["requestHeaderModifier"], {
        set: [{ name: "x-svc-api", value: "shop/pets" }, { name: "x-svc-closed", value: group }],
      });
    }
    assert.deepEqual(closed.protections, protections);
  });
  await t.step("another issuer changes the fingerprint, not the group", async () => {
    const providers = [{ name: "id", jwks_uri: "https://id.example.com/others" }];
    const before = renderPlan(await planOf("pets", JWT, { "PUT /a": WEB })).protections;
    const after = renderPlan(await planOf("pets", { auth: { jwt: { providers } } }, { "PUT /a": WEB })).protections;
    assert.deepEqual(before.map(({ group }) => group), after.map(({ group }) => group));
    assert.notDeepEqual(before, after);
  });
});

Deno.test("renderGatewayApi() lets upstreams answer preflights of operations without cors", async (t) => {
  const CORS = { cors: { origins: ["https://a.example"] } };
  interface Case {
    name: string;
    root?: JsonObject;
    operations: Record<string, JsonObject>;
    profile?: "portable";
    neighbour?: Record<string, JsonObject>;
    lines: string[];
  }
  const cases: readonly Case[] = [
    {
      name: "the operations of a path share a match",
      operations: { "GET /a": {}, "PUT /a": {} },
      lines: ["pets.0: OPTIONS(GET|HEAD|PUT) /a -> web"],
    },
    {
      name: "a method counts once, though several path keys of the path have it",
      operations: { "POST /a#one": {}, "POST /a#two": {}, "POST /a#three": {} },
      lines: ["pets.0: OPTIONS(POST) /a -> web"],
    },
    {
      name: "each upstream has its own",
      operations: { "GET /a": OTHER, "PUT /a": {} },
      lines: ["pets.0: OPTIONS(GET|HEAD) /a -> other", "pets.0: OPTIONS(PUT) /a -> web"],
    },
    {
      name: "they are open beside protected and checked operations",
      operations: { "PUT /a": JWT, "POST /a": CHECKED },
      lines: ["pets.0: OPTIONS(POST|PUT) /a -> web"],
    },
    {
      name: "beside an operation with cors, each method has a match that precedes the one of Envoy Gateway",
      operations: { "PUT /a": {}, "PATCH /a": {}, "POST /a": CORS },
      lines: [
        "pets.0: OPTIONS(PATCH) /a -> web",
        "pets.0: OPTIONS(POST) /a -> web",
        "pets.0: OPTIONS(PUT) /a -> web",
      ],
    },
    {
      name: "mocked, redirected and disabled operations have none",
      operations: { "PUT /a": MOCKED, "POST /a": { redirect: { path: "/b" } }, "PATCH /a": { disabled: true } },
      lines: [],
    },
    { name: "nor has a path with OPTIONS", operations: { "PUT /a": {}, "OPTIONS /a": JWT }, lines: [] },
    {
      name: "nor one where another API has OPTIONS",
      operations: { "PUT /a": {} },
      neighbour: { "OPTIONS /a": {} },
      lines: [],
    },
    {
      name: "in the portable profile each method has a match",
      operations: { "GET /a": {}, "PUT /a": {} },
      profile: "portable",
      lines: ["pets.0: OPTIONS(GET) /a -> web", "pets.0: OPTIONS(HEAD) /a -> web", "pets.0: OPTIONS(PUT) /a -> web"],
    },
  ];
  for (const { name, operations, profile = "envoy-gateway", neighbour, lines } of cases) {
    await t.step(name, async () => {
      const neighbours = neighbour === undefined ? [] : [await planOf("other", OTHER, neighbour)];
      const rendering = renderPlan(await planOf("pets", WEB, operations), { profile, neighbours });
      assert.deepEqual(preflightsOf(rendering).filter((line) => line.includes("OPTIONS")), lines);
    });
  }
});
