import assert from "node:assert/strict";
import { renderGatewayApi } from "../../../../lib/cluster/translate/render.ts";
import type { JsonObject } from "../../../../lib/schema/node.ts";
import { FLEET, linesOf, planOf, planOfStaticRoute, renderPlan, rulesOf } from "./rendering_support.ts";

const WEB = { upstream: { service: { name: "web" } } };
const OTHER = { upstream: { service: { name: "other" } } };
const MOCKED = { mocking: { enabled: true } };
const JWT = { auth: { jwt: { providers: [{ name: "id", jwks_uri: "https://id.example.com/keys" }] } } };
const CHECKED = { validation: { request: { enabled: true } } };

Deno.test("renderGatewayApi(): which requests go where", async (t) => {
  interface Case {
    name: string;
    root: JsonObject;
    operations: Record<string, JsonObject>;
    /** Settings of paths. */
    paths?: Record<string, JsonObject>;
    lines: string[];
  }
  const cases: readonly Case[] = [
    {
      name: "the mocks refuse what no operation below the prefix of a proxied API takes",
      root: { ...WEB, path: { prefix: "/v1" } },
      operations: { "GET /a": {}, "POST /a": {}, "GET /b/{id}": {} },
      lines: [
        "* /v1/** -> gw-mock",
        "GET /v1/a -> web",
        "GET ^/v1/b/[^/]+$ -> web",
        "HEAD /v1/a -> web",
        "HEAD ^/v1/b/[^/]+$ -> web",
        "POST /v1/a -> web",
      ],
    },
    {
      name: "they refuse what no operation of a path takes, at either end, where the API has no prefix of its own",
      root: WEB,
      operations: { "PUT /a": {}, "PUT /b/{id}": {}, "PUT /c/": {}, "PUT /d": {}, "PATCH /d/": {}, "PUT /": {} },
      lines: [
        "* / -> gw-mock",
        "* /a/? -> gw-mock",
        "* /b/[^/]+/? -> gw-mock",
        "* /c/? -> gw-mock",
        "* /d/? -> gw-mock",
        "PATCH /d/ -> web",
        "PUT / -> web",
        "PUT /a -> web",
        "PUT /c/ -> web",
        "PUT /d -> web",
        "PUT ^/b/[^/]+$ -> web",
      ],
    },
    {
      name: "an operation of a template goes before what refuses other methods of a path that it takes",
      root: WEB,
      operations: { "PUT /{x}": {}, "POST /a-long-name": {} },
      lines: [
        "* /[^/]+/? -> gw-mock",
        "* /a-long-name/? -> gw-mock",
        "POST /a-long-name -> web",
        "PUT ^/[^/]+$(?:)(?:) -> web",
      ],
    },
    {
      name: "a disabled path without operations is one of the API's",
      root: WEB,
      operations: { "PUT /v1/a": {}, "PUT /v1/b": {} },
      paths: { "/admin": { disabled: true } },
      lines: [
        "* /admin/? -> gw-mock",
        "* /v1/a/? -> gw-mock",
        "* /v1/b/? -> gw-mock",
        "PUT /v1/a -> web",
        "PUT /v1/b -> web",
      ],
    },
    {
      name: "a disabled path has a rule for all methods where a template takes it",
      root: WEB,
      operations: { "PUT /{x}": {}, "PUT /a": {} },
      paths: { "/a": { disabled: true }, "/b": { disabled: true } },
      lines: [
        "* /[^/]+/? -> gw-mock",
        "* /a -> gw-mock",
        "* /a/? -> gw-mock",
        "* /b -> gw-mock",
        "* /b/? -> gw-mock",
        "PUT /a -> gw-mock",
        "PUT ^/[^/]+$ -> web",
      ],
    },
    {
      name: "a fully mocked API is one prefix, that which its paths have in common",
      root: MOCKED,
      operations: { "GET /a/b": {}, "POST /a/c/{id}": {} },
      lines: ["* /a/** -> gw-mock"],
    },
    {
      name: "where its definition is served is a path of its own",
      root: { ...WEB, public_api_path: "/openapi.json" },
      operations: { "GET /a": {} },
      lines: [
        "* /a/** -> gw-mock",
        "* /openapi\\.json/? -> gw-mock",
        "GET /a -> web",
        "GET /openapi.json -> gw-mock",
        "HEAD /a -> web",
        "HEAD /openapi.json -> gw-mock",
      ],
    },
    {
      name: "HEAD goes where GET goes, unless it has an operation",
      root: WEB,
      operations: { "GET /a": MOCKED, "GET /b": {}, "HEAD /b": OTHER },
      lines: [
        "* /a/? -> gw-mock",
        "* /b/? -> gw-mock",
        "GET /a -> gw-mock",
        "GET /b -> web",
        "HEAD /a -> gw-mock",
        "HEAD /b -> other",
      ],
    },
    {
      name: "mocks stand for the rest of a half mocked API, with what is hidden",
      root: MOCKED,
      operations: {
        "GET /a/x": {},
        "GET /a/{id}": { mocking: {}, ...WEB },
        "POST /a/y": {},
        "PUT /a/z": { disabled: true },
      },
      lines: [
        "* /a/** -> gw-mock",
        "GET /a/x -> gw-mock",
        "GET ^/a/[^/]+$ -> web",
        "HEAD /a/x -> gw-mock",
        "HEAD ^/a/[^/]+$ -> web",
      ],
    },
    {
      name: "a disabled operation has a rule only where a template would take its requests",
      root: WEB,
      operations: {
        "GET /a/{id}": {},
        "GET /a/hidden": { disabled: true },
        "DELETE /a/hidden": { disabled: true },
        "GET /b": { disabled: true },
      },
      lines: [
        "* /a/[^/]+/? -> gw-mock",
        "* /a/hidden/? -> gw-mock",
        "* /b/? -> gw-mock",
        "GET /a/hidden -> gw-mock",
        "GET ^/a/[^/]+$(?:) -> web",
        "HEAD /a/hidden -> gw-mock",
        "HEAD ^/a/[^/]+$(?:) -> web",
      ],
    },
    {
      name: "guarded operations leave undeclared requests to the mocks",
      root: { ...WEB, path: { prefix: "/a" } },
      operations: { "PUT /0": {}, "PUT /1": {}, "PATCH /1": CHECKED },
      lines: ["* /a/** -> gw-mock", "PATCH /a/1 -> web", "PUT /a/0 -> web", "PUT /a/1 -> web"],
    },
    {
      name: "of two templates the longer text goes first unless it is padded",
      root: WEB,
      operations: { "PUT /a/{x}": {}, "PUT /{y}/a-long-name": MOCKED, "PUT /a/a-long-name": { redirect: { port: 1 } } },
      lines: [
        "* /[^/]+/a-long-name/? -> gw-mock",
        "* /a/[^/]+/? -> gw-mock",
        "* /a/a-long-name/? -> gw-mock",
        "PUT /a/a-long-name -> redirect",
        "PUT ^/[^/]+/a-long-name$ -> gw-mock",
        "PUT ^/a/[^/]+$(?:)(?:)(?:) -> web",
      ],
    },
    {
      name: "literals are escaped, and taken in each way in which a path may have them",
      root: WEB,
      operations: { "PUT /a.b/{x}.json": {}, "PUT /ü/x%20y": OTHER, "PUT /me@{x}/*": OTHER, "PUT /100%25/%20": MOCKED },
      lines: [
        "* /%[Cc]3%[Bb][Cc]/x%20y/? -> gw-mock",
        "* /100%25/%20/? -> gw-mock",
        "* /a\\.b/[^/]+\\.json/? -> gw-mock",
        "* /me(?:@|%40)[^/]+/(?:\\*|%2[Aa])/? -> gw-mock",
        "PUT /100%25/%20 -> gw-mock",
        "PUT ^/%[Cc]3%[Bb][Cc]/x%20y$ -> other",
        "PUT ^/a\\.b/[^/]+\\.json$ -> web",
        "PUT ^/me(?:@|%40)[^/]+/(?:\\*|%2[Aa])$ -> other",
      ],
    },
    {
      name: "weights, mocks without an upstream, redirects",
      root: { upstreams: [{ weight: 70, service: { name: "a" } }, { weight: 30, service: { name: "b" } }] },
      operations: { "PUT /a": {}, "PUT /b": { redirect: { host: "b.example.com" } } },
      lines: ["* /a/? -> gw-mock", "* /b/? -> gw-mock", "PUT /a -> a+b", "PUT /b -> redirect"],
    },
    {
      name: "questions of browsers are answered by method where the operations of a path differ",
      root: WEB,
      operations: {
        "PUT /a": { cors: { origins: ["https://a.example.com"] } },
        "PATCH /a": { cors: { origins: ["https://b.example.com"] } },
        "PUT /b": { cors: { origins: ["https://a.example.com"] } },
      },
      lines: [
        "* /a/? -> gw-mock",
        "* /b/? -> gw-mock",
        "OPTIONS(PATCH) /a -> web",
        "OPTIONS(PUT) /a -> web",
        "PATCH /a -> web",
        "PUT /a -> web",
        "PUT /b -> web",
      ],
    },
  ];
  for (const { name, root, operations, paths, lines } of cases) {
    await t.step(name, async () => {
      const rendering = renderPlan(await planOf("pets", root, operations, paths));
      assert.deepEqual(rendering.diagnostics, []);
      assert.deepEqual(linesOf(rendering), lines);
    });
  }
});

Deno.test("renderGatewayApi(): other plans of the fleet", async (t) => {
  const api = await planOf("pets", { ...WEB, path: { prefix: "/v1" } }, { "GET /a": {}, "GET /b/{id}": {} });
  const operations = [
    "GET /v1/a -> web",
    "GET ^/v1/b/[^/]+$ -> web",
    "HEAD /v1/a -> web",
    "HEAD ^/v1/b/[^/]+$ -> web",
  ];
  const alone = ["* /v1/** -> gw-mock", ...operations];
  const explicit = ["* /v1/a/? -> gw-mock", "* /v1/b/[^/]+/? -> gw-mock", ...operations];
  const cases = [
    { name: "the plan itself", neighbour: api, lines: alone },
    {
      name: "one below its prefix",
      neighbour: await planOf("other", OTHER, { "GET /v1/c/{id}/{part}": {} }),
      lines: explicit,
    },
    {
      name: "one below its prefix on another host",
      neighbour: await planOf("other", { ...OTHER, hosts: ["a.example.com"] }, { "GET /v1/c": {} }),
      // An API for any host is one for this host, too.
      lines: explicit,
    },
    { name: "one elsewhere", neighbour: await planOf("other", OTHER, { "GET /v2/c": {} }), lines: alone },
    {
      name: "a catch-all above it",
      neighbour: await planOfStaticRoute("rest", OTHER),
      lines: explicit,
    },
    {
      name: "a catch-all of another host",
      neighbour: await planOfStaticRoute("rest", { ...OTHER, hosts: ["a.example.com"] }),
      lines: alone,
    },
    {
      name: "a catch-all at the same prefix",
      neighbour: await planOfStaticRoute("rest", { ...OTHER, path: { prefix: "/v1" } }),
      lines: explicit,
    },
    {
      name: "HEAD of the same path",
      neighbour: await planOf("other", OTHER, { "HEAD /v1/a": {} }),
      // Of two plans with a path that whose name is the first refuses what neither takes of it.
      lines: explicit.filter((line) => line !== "HEAD /v1/a -> web" && line !== "* /v1/a/? -> gw-mock"),
    },
  ];
  for (const { name, neighbour, lines } of cases) {
    await t.step(name, () => assert.deepEqual(linesOf(renderPlan(api, { neighbours: [neighbour] })), lines));
  }

  await t.step("the order of templates is settled between them", async () => {
    const short = await planOf("short", WEB, { "PUT /a/{x}": {}, "PUT /z": MOCKED });
    const long = await planOf("long", WEB, { "PUT /{y}/a-long-name": {}, "PUT /z/z": MOCKED });
    const neighbours = [short, long];
    assert.deepEqual(linesOf(renderPlan(short, { neighbours })), [
      "* /a/[^/]+/? -> gw-mock",
      "* /z/? -> gw-mock",
      "PUT /z -> gw-mock",
      "PUT ^/a/[^/]+$(?:)(?:)(?:) -> web",
    ]);
    assert.deepEqual(linesOf(renderPlan(long, { neighbours })), [
      "* /[^/]+/a-long-name/? -> gw-mock",
      "* /z/z/? -> gw-mock",
      "PUT /z/z -> gw-mock",
      "PUT ^/[^/]+/a-long-name$ -> web",
    ]);
  });

  await t.step("what is disabled is hidden from a catch-all", async () => {
    const hidden = await planOf("hidden", WEB, { "PUT /a": { disabled: true }, "PUT /b": {}, "PUT /c": OTHER });
    const lines = [
      "* /a/? -> gw-mock",
      "* /b/? -> gw-mock",
      "* /c/? -> gw-mock",
      "PUT /b -> web",
      "PUT /c -> other",
    ];
    assert.deepEqual(linesOf(renderPlan(hidden)), lines);
    const neighbours = [await planOfStaticRoute("rest", OTHER)];
    assert.deepEqual(linesOf(renderPlan(hidden, { neighbours })), lines);
  });

  await t.step("a hidden route gives way to an operation of another plan", async () => {
    const hiding = await planOf("hiding", WEB, { "GET /{x}/": {}, "GET /a": { disabled: true }, "PATCH /b": {} });
    assert.ok(linesOf(renderPlan(hiding)).includes("GET /a/ -> gw-mock"));
    const neighbours = [await planOf("other", OTHER, { "GET /a/": {} })];
    assert.ok(!linesOf(renderPlan(hiding, { neighbours })).includes("GET /a/ -> gw-mock"));
  });
});

Deno.test("renderGatewayApi(): a disabled static route is behind one for all paths", async () => {
  const off = await planOfStaticRoute("off", { disabled: true, path: { prefix: "/files" } });
  assert.deepEqual(linesOf(renderPlan(off, { neighbours: [await planOfStaticRoute("rest", OTHER)] })), [
    "* /files/** -> gw-mock",
  ]);
});

Deno.test("renderGatewayApi(): undeclared methods have no order to settle in the portable profile", async () => {
  const plan = await planOf("pets", WEB, { "PUT /a": {}, "PUT /b/{id}": {}, "PUT /c/{id}": {}, "PATCH /c/x": {} });
  const { diagnostics, ...rendering } = renderPlan(plan, { profile: "portable" });
  assert.deepEqual(diagnostics, []);
  assert.deepEqual(linesOf({ ...rendering, diagnostics }), [
    "* /a -> gw-mock",
    "* /a/ -> gw-mock",
    "* ^/b/[^/]+$ -> gw-mock",
    "* ^/b/[^/]+/$ -> gw-mock",
    "* ^/c/[^/]+$ -> gw-mock",
    "* ^/c/[^/]+/$ -> gw-mock",
    "PATCH /c/x -> web",
    "PUT /a -> web",
    "PUT ^/b/[^/]+$ -> web",
    "PUT ^/c/[^/]+$ -> web",
  ]);
});

Deno.test("renderGatewayApi(): a static route is a prefix", async () => {
  const { objects, counts } = renderPlan(await planOfStaticRoute("files", { ...WEB, path: { prefix: "/files/" } }));
  assert.deepEqual(objects.map(({ metadata }) => metadata.name), ["files.static.0"]);
  assert.deepEqual(linesOf({ objects, counts, protections: [], diagnostics: [] }), ["* /files/** -> web"]);
});

Deno.test("renderGatewayApi(): hosts are parted by sixteen, those of any host stand alone", async () => {
  const named = Array.from({ length: 20 }, (_, index) => `h${index}.example.com`);
  const { objects } = renderPlan(await planOf("pets", { ...WEB, hosts: [...named, "*"] }, { "PUT /a": {} }));
  assert.deepEqual(
    objects.map(({ metadata: { name }, spec }) => [name, Object(spec).hostnames?.length]),
    [["pets.0", undefined], ["pets.h1.0", 16], ["pets.h2.0", 4]],
  );
});

Deno.test("renderGatewayApi(): each rule says whose it is, whatever the client says", async () => {
  const plan = await planOf("pets", WEB, { "PUT /a": MOCKED, "PUT /b": {}, "PATCH /c": {} });
  for (const { name, filters = [] } of rulesOf(renderPlan(plan))) {
    const set = filters.flatMap(({ requestHeaderModifier }) => Object(requestHeaderModifier).set ?? []);
    const isRest = name === "undeclared";
    assert.deepEqual(set, [
      { name: "x-svc-api", value: "shop/pets" },
      ...(isRest ? [{ name: "x-svc-undeclared", value: "true" }] : []),
    ]);
  }
});

Deno.test("renderGatewayApi(): open, checked and protected rules stand apart", async (t) => {
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

  await t.step("by route", () => {
    const routes = Map.groupBy(rulesOf({ objects }).filter(({ name }) => name !== "undeclared"), ({ route }) => route);
    const paths = [...routes.values()].map((rules) =>
      rules.flatMap(({ matches }) => matches.map(({ path }) => path.value)).sort()
    );
    assert.deepEqual(paths.sort(), [["/both"], ["/checked"], ["/jwt", "/same"], ["/open"], ["/other"]]);
  });
  await t.step("each protected route has a policy of its own, which goes before it", () => {
    assert.deepEqual(
      protections.map(({ group }) => group),
      names("HTTPRoute").filter((name) => name.includes(".auth-")),
    );
    assert.deepEqual(names("SecurityPolicy"), protections.map(({ group }) => group));
    const last = objects.findLastIndex(({ kind }) => kind === "SecurityPolicy");
    assert.ok(objects.findIndex(({ kind }) => kind === "HTTPRoute") > last);
  });
  await t.step("requests with headers that the server which decides sets have rules without these", async () => {
    const custom = { service: { name: "authz" }, response_headers: ["X-User", "x-group", "x-user"] };
    const given = await planOf("pets", WEB, {
      "PUT /given": { auth: { custom } },
      "PUT /mocked": { ...MOCKED, auth: { custom } },
    });
    const { objects } = renderPlan(given);
    const policy = objects.find(({ kind }) => kind === "SecurityPolicy");
    assert.deepEqual(Object(policy?.spec).extAuth.http.headersToBackend, ["x-user", "x-group"]);
    const rules = rulesOf({ objects }).filter(({ matches }) => matches.every(({ path }) => !path.value.endsWith("/?")));
    const told = rules.map(({ matches, filters = [] }) => [
      matches.map(({ path, headers = [] }) => [path.value, ...headers.map(({ name }) => name)].join(" ")),
      filters.flatMap(({ requestHeaderModifier }) => Object(requestHeaderModifier).remove ?? []),
    ]);
    assert.deepEqual(told.sort(), [
      [["/given x-user", "/given x-group"], ["x-user", "x-group"]],
      [["/given"], []],
      [["/mocked"], []],
    ]);
  });
  await t.step("a closed route has the same requests, and the mocks as its only backend", () => {
    const group = protections[0]?.group ?? "";
    const closed = renderPlan(plan, { isOpen: (name) => name !== group });
    const of = (objects: typeof closed.objects): unknown =>
      rulesOf({ objects }).filter(({ route }) => route === group).map(({ name, matches }) => ({ name, matches }));
    assert.deepEqual(of(closed.objects), of(objects));
    for (const { route, backendRefs, filters } of rulesOf(closed)) {
      if (route !== group) continue;
      assert.deepEqual(backendRefs, [{ name: "gw-mock", namespace: "gw-system", port: 8080 }]);
      assert.deepEqual(filters?.at(-1)?.["requestHeaderModifier"], {
        set: [{ name: "x-svc-api", value: "shop/pets" }, { name: "x-svc-closed", value: group }],
      });
    }
    assert.deepEqual(closed.protections, protections);
  });
  await t.step("another issuer is another fingerprint of the same group", async () => {
    const providers = [{ name: "id", jwks_uri: "https://id.example.com/others" }];
    const before = renderPlan(await planOf("pets", JWT, { "PUT /a": WEB })).protections;
    const after = renderPlan(await planOf("pets", { auth: { jwt: { providers } } }, { "PUT /a": WEB })).protections;
    assert.deepEqual(before.map(({ group }) => group), after.map(({ group }) => group));
    assert.notDeepEqual(before, after);
  });
});

Deno.test("renderGatewayApi() gives the same objects for the same plan, whatever the order of its text", async () => {
  const operations = { "PUT /a/{x}": {}, "POST /b": MOCKED, "GET /c": JWT, "PUT /{y}/b": MOCKED };
  const reversed = Object.fromEntries(Object.entries(operations).reverse());
  const [one, other] = await Promise.all([planOf("pets", WEB, operations), planOf("pets", WEB, reversed)]);
  assert.deepEqual(renderPlan(one).objects, renderPlan(other).objects);
});

Deno.test("renderGatewayApi() labels all, and gives it the owner that it is told", async () => {
  const owner = { apiVersion: "gateway.x-svc.io/v1alpha1", kind: "API", name: "pets", uid: "1" };
  const plan = await planOf("pets", WEB, { "PUT /a": { ...JWT, rate_limit: { requests_per_unit: 1, unit: "hour" } } });
  const { objects } = renderGatewayApi(plan, { gateway: FLEET, profile: "envoy-gateway", owner });
  assert.deepEqual(objects.map(({ kind }) => kind), [
    "SecurityPolicy",
    "BackendTrafficPolicy",
    "HTTPRoute",
    "HTTPRoute",
  ]);
  for (const { metadata } of objects) {
    assert.deepEqual(metadata.ownerReferences, [owner]);
    assert.deepEqual(metadata.labels, {
      "app.kubernetes.io/managed-by": "gw",
      "gateway.x-svc.io/api": "pets",
      "gateway.x-svc.io/fleet": "edge",
      "gateway.x-svc.io/fleet-namespace": "infra",
    });
  }
});

Deno.test("renderGatewayApi() never takes one policy, host or rewrite for another, however many there are", async () => {
  // Some of these had the same 24 bits of hash.
  const settings = (index: number): JsonObject => ({
    auth: { custom: { service: { name: "authz" }, path: `/${index}` } },
    upstream: {
      host: { hostname: `h${index}.example.com` },
      rewrite: { pattern: `^/p${index}$`, substitution: `/q${index}` },
    },
  });
  const numbers = [175, 456, 2753, 2858, 3588, 3954, 4267, 5706, 6642, 7601];
  const operations = Object.fromEntries(numbers.map((index) => [`PUT /p${index}`, settings(index)]));
  const { objects } = renderPlan(await planOf("pets", {}, operations));
  for (const kind of ["SecurityPolicy", "Backend", "HTTPRouteFilter", "HTTPRoute"]) {
    // One HTTPRoute more is for what none of them takes.
    const count = numbers.length + (kind === "HTTPRoute" ? 1 : 0);
    assert.equal(objects.filter((object) => object.kind === kind).length, count, kind);
  }
});
