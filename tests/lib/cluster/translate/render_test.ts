import assert from "node:assert/strict";
import { renderGatewayApi } from "../../../../lib/cluster/translate/render.ts";
import type { JsonObject } from "../../../../lib/schema/json/node.ts";
import {
  CHECKED,
  FLEET,
  JWT,
  linesOf,
  MOCKED,
  OTHER,
  planOf,
  planOfStaticRoute,
  renderPlan,
  WEB,
} from "./rendering_support.ts";

Deno.test("renderGatewayApi() makes the matches of rules and their backends", async (t) => {
  interface Case {
    name: string;
    root: JsonObject;
    operations: Record<string, JsonObject>;
    /** The `x-svc` settings of Path Items, by path. */
    paths?: Record<string, JsonObject>;
    lines: string[];
  }
  const cases: readonly Case[] = [
    {
      name: "undeclared requests below the prefix of a proxied API go to the mocks",
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
      name:
        "undeclared requests of each path go to the mocks, with and without a final slash, if the API has no own prefix",
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
      name: "a template precedes the rule for undeclared requests of a path that it matches",
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
      name: "a disabled path without operations is declared",
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
      name: "a disabled path has a rule for all methods if a template matches it",
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
      name: "a fully mocked API is one rule: the common prefix of its paths",
      root: MOCKED,
      operations: { "GET /a/b": {}, "POST /a/c/{id}": {} },
      lines: ["* /a/** -> gw-mock"],
    },
    {
      name: "the definition has a path of its own",
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
      name: "HEAD has the rule of GET, unless it has an operation",
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
      name: "the default rule of a half mocked API replaces the rules of mocked and disabled operations",
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
      name: "a disabled operation has a rule only if a template would take its requests",
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
      name: "undeclared requests beside protected operations go to the mocks",
      root: { ...WEB, path: { prefix: "/a" } },
      operations: { "PUT /0": {}, "PUT /1": {}, "PATCH /1": CHECKED },
      lines: ["* /a/** -> gw-mock", "PATCH /a/1 -> web", "PUT /a/0 -> web", "PUT /a/1 -> web"],
    },
    {
      name: "the more specific of two templates is padded if its expression is shorter",
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
      name: "literals are escaped, and match in each percent-encoding",
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
      name: "weights and redirects",
      root: { upstreams: [{ weight: 70, service: { name: "a" } }, { weight: 30, service: { name: "b" } }] },
      operations: { "PUT /a": {}, "PUT /b": { redirect: { host: "b.example.com" } } },
      lines: ["* /a/? -> gw-mock", "* /b/? -> gw-mock", "PUT /a -> a+b", "PUT /b -> redirect"],
    },
    {
      name: "CORS preflights match by method if the operations of a path have different settings",
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

Deno.test("renderGatewayApi() leaves requests to the other plans of the fleet", async (t) => {
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
      // The API for all hosts serves `a.example.com` too, so both APIs have the path there.
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
      // Of two plans with a path, the plan whose name sorts first gets the rule for undeclared methods of the path.
      lines: explicit.filter((line) => line !== "HEAD /v1/a -> web" && line !== "* /v1/a/? -> gw-mock"),
    },
  ];
  for (const { name, neighbour, lines } of cases) {
    await t.step(name, () => assert.deepEqual(linesOf(renderPlan(api, { neighbours: [neighbour] })), lines));
  }

  await t.step("templates of two plans have one order", async () => {
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

  await t.step("disabled operations are hidden from a catch-all", async () => {
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

Deno.test("renderGatewayApi() hides a disabled static route from a catch-all", async () => {
  const off = await planOfStaticRoute("off", { disabled: true, path: { prefix: "/files" } });
  assert.deepEqual(linesOf(renderPlan(off, { neighbours: [await planOfStaticRoute("rest", OTHER)] })), [
    "* /files/** -> gw-mock",
  ]);
});

Deno.test("renderGatewayApi() leaves out rules for undeclared requests whose precedence is unspecified, in the portable profile", async () => {
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

Deno.test("renderGatewayApi() makes a prefix of a static route", async () => {
  const { objects, counts } = renderPlan(await planOfStaticRoute("files", { ...WEB, path: { prefix: "/files/" } }));
  assert.deepEqual(objects.map(({ metadata }) => metadata.name), ["files.static.0"]);
  assert.deepEqual(linesOf({ objects, counts, protections: [], diagnostics: [] }), ["* /files/** -> web"]);
});

Deno.test("renderGatewayApi() is independent of the order of operations in the definition", async () => {
  const operations = { "PUT /a/{x}": {}, "POST /b": MOCKED, "GET /c": JWT, "PUT /{y}/b": MOCKED };
  const reversed = Object.fromEntries(Object.entries(operations).reverse());
  const [one, other] = await Promise.all([planOf("pets", WEB, operations), planOf("pets", WEB, reversed)]);
  assert.deepEqual(renderPlan(one).objects, renderPlan(other).objects);
});

Deno.test("renderGatewayApi() gives all objects labels and the owner reference", async () => {
  const owner = { apiVersion: "gateway.x-svc.io/v1alpha1", kind: "API", name: "pets", uid: "1" };
  const plan = await planOf("pets", WEB, { "PUT /a": { ...JWT, rate_limit: { requests_per_unit: 1, unit: "hour" } } });
  const { objects } = renderGatewayApi(plan, { gateway: FLEET, profile: "envoy-gateway", owner });
  assert.deepEqual(objects.map(({ kind }) => kind), [
    "BackendTrafficPolicy",
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

Deno.test("renderGatewayApi() gives different policies, hosts and rewrites different names", async () => {
  // For these numbers, hashes of the settings agree in their first 24 bits. Names must still differ.
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
    // One more HTTPRoute has the rules for undeclared requests.
    const count = numbers.length + (kind === "HTTPRoute" ? 1 : 0);
    assert.equal(objects.filter((object) => object.kind === kind).length, count, kind);
  }
});
