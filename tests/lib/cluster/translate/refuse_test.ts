import assert from "node:assert/strict";
import type { JsonObject } from "../../../../lib/schema/node.ts";
import { planOf, renderPlan, rulesOf } from "./rendering_support.ts";

const WEB = { upstream: { service: { name: "web" } } };

function host(hostname: string): JsonObject {
  return { upstream: { host: { hostname } } };
}

function rewrite(pattern: string, substitution = "/"): JsonObject {
  return { upstream: { service: { name: "web" }, rewrite: { pattern, substitution } } };
}

function jwt(uri: string): JsonObject {
  return { auth: { jwt: { providers: [{ name: "id", jwks_uri: uri }] } }, ...WEB };
}

const OAUTH2 = {
  issuer: "https://id.example.com",
  client_id: "x",
  client_secret_ref: { name: "s", key: "client-secret" },
};

function login(settings: JsonObject): JsonObject {
  return { ...WEB, auth: { oauth2: { ...OAUTH2, ...settings } } };
}

const REFUSED: readonly [settings: JsonObject, pointer: string, message: RegExp][] = [
  [host("127.0.0.1"), "/upstream/host/hostname", /loopback/],
  [host("127.1"), "/upstream/host/hostname", /loopback/],
  [host("0x7f000001"), "/upstream/host/hostname", /loopback/],
  [host("::1"), "/upstream/host/hostname", /loopback/],
  [host("[::ffff:127.0.0.1]"), "/upstream/host/hostname", /loopback/],
  [host("169.254.169.254"), "/upstream/host/hostname", /link-local/],
  [host("fe80::1"), "/upstream/host/hostname", /link-local/],
  [host("0.0.0.0"), "/upstream/host/hostname", /nothing can be reached/],
  [host("localhost"), "/upstream/host/hostname", /the proxy itself/],
  [host("a.localhost"), "/upstream/host/hostname", /the proxy itself/],
  [host("database"), "/upstream/host/hostname", /without a dot/],
  [host("secrets.vault.svc"), "/upstream/host/hostname", /name it by `service`/],
  [host("secrets.vault.svc.cluster.local."), "/upstream/host/hostname", /name it by `service`/],
  [host("a_b.example.com"), "/upstream/host/hostname", /letters, digits/],
  [{ upstream: { service: { name: "Web" } } }, "/upstream/service/name", /can't be the name of a Service/],
  [
    { upstream: { service: { name: "web", namespace: "a.b" } } },
    "/upstream/service/namespace",
    /can't be the namespace/,
  ],
  [rewrite("^/(?=a)"), "/upstream/rewrite", /look-around/],
  [rewrite("^/(?<!a)b"), "/upstream/rewrite", /look-around/],
  [rewrite("^/(a)\\1"), "/upstream/rewrite", /back-references/],
  [rewrite("^/a{2000}"), "/upstream/rewrite", /1000 times/],
  [rewrite("^/(a)", "/$2"), "/upstream/rewrite", /more than its 1 groups/],
  [rewrite("^/(a)", "/$`"), "/upstream/rewrite", /text around the match/],
  [
    {
      upstreams: [{ weight: 50, ...WEB.upstream, rewrite: { pattern: "a", substitution: "b" } }, {
        weight: 50,
        ...WEB.upstream,
      }],
    },
    "/upstreams",
    /same `rewrite`/,
  ],
  [
    { upstreams: Array.from({ length: 20 }, (_, index) => ({ weight: 5, service: { name: `web-${index}` } })) },
    "/upstreams",
    /at most 16/,
  ],
  [
    { ...WEB, auth: { custom: { service: { name: "authz" } } }, validation: { request: { enabled: true } } },
    "/auth/custom",
    /exclude each other/,
  ],
  [{ ...WEB, auth: { custom: { host: { hostname: "127.0.0.1" } } } }, "/auth/custom/host/hostname", /loopback/],
  [
    { ...WEB, auth: { custom: { service: { name: "authz" }, response_headers: ["x-user", "Authorization"] } } },
    "/auth/custom/response_headers/1",
    /clients send it themselves/,
  ],
  [
    {
      ...WEB,
      auth: { custom: { service: { name: "authz" }, response_headers: Array.from({ length: 9 }, (_, i) => `x-${i}`) } },
    },
    "/auth/custom/response_headers",
    /at most 8/,
  ],
  [jwt("http://169.254.169.254/keys"), "/auth/jwt/providers/0/jwks_uri", /link-local/],
  [
    { ...WEB, auth: { oauth2: { ...OAUTH2, client_secret_ref: { name: "s", key: "password" } } } },
    "/auth/oauth2/client_secret_ref/key",
    /reads the key `client-secret`/,
  ],
  [login({ issuer: "http://id.example.com" }), "/auth/oauth2/issuer", /starts with `https/],
  [login({ issuer: "https://id.example.com/?tenant=a" }), "/auth/oauth2/issuer", /no query/],
  [login({ issuer: "https://id.example.com/#" }), "/auth/oauth2/issuer", /no fragment/],
  [login({ issuer: "https://10.0.0.1/" }), "/auth/oauth2/issuer", /name of a host/],
  [login({ issuer: "https://[2001:db8::1]/" }), "/auth/oauth2/issuer", /name of a host/],
  [
    login({ client_secret_ref: { name: "a/b", key: "client-secret" } }),
    "/auth/oauth2/client_secret_ref/name",
    /Secret/,
  ],
  [login({ redirect_url: "https://api.example.com" }), "/auth/oauth2/redirect_url", /a path other than/],
  [login({ redirect_url: "https://api.example.com/" }), "/auth/oauth2/redirect_url", /a path other than/],
  [login({ redirect_url: "/callback" }), "/auth/oauth2/redirect_url", /is a URL such as/],
  [login({ redirect_url: "https://api.example.com/callback?a=b" }), "/auth/oauth2/redirect_url", /no query/],
  [login({ redirect_url: "https://api.example.com/{any}" }), "/auth/oauth2/redirect_url", /is a URL such as/],
  [login({ logout_path: "/" }), "/auth/oauth2/logout_path", /other than/],
  [login({ logout_path: "/logout?now" }), "/auth/oauth2/logout_path", /without a query/],
  [login({ redirect_url: "https://api.example.com/x", logout_path: "/x" }), "/auth/oauth2", /need two paths/],
  [
    { ...WEB, auth: { oauth2: OAUTH2, jwt: { providers: [{ name: "id", jwks_uri: "https://id.example.com/keys" }] } } },
    "/auth/oauth2",
    /needs `forward_access_token: true`/,
  ],
  [{ redirect: { host: "a_b" } }, "/redirect/host", /DNS name/],
  [{ ...WEB, cors: { origins: ["capacitor://localhost"] } }, "/cors/origins/0", /can't be allowed/],
];

Deno.test("renderGatewayApi() refuses what a gateway of a cluster can't do, and renders the rest", async (t) => {
  for (const [settings, pointer, message] of REFUSED) {
    await t.step(`${pointer}: ${JSON.stringify(settings)}`, async () => {
      const plan = await planOf("pets", {}, { "PUT /a": settings, "PUT /b": WEB });
      const rendering = renderPlan(plan);
      assert.deepEqual(rendering.diagnostics.map((diagnostic) => diagnostic.pointer), [
        `/paths/~1a/put/x-svc${pointer}`,
      ]);
      assert.match(rendering.diagnostics[0]?.message ?? "", message);
      assert.equal(rendering.diagnostics[0]?.severity, "error");
      assert.doesNotMatch(JSON.stringify(rulesOf(rendering)), /\/a"/);
    });
  }
});

Deno.test("renderGatewayApi() takes what looks like it", async (t) => {
  const cases: JsonObject[] = [
    host("10.0.0.1"),
    host("2001:db8::1"),
    host("svc.example.com"),
    rewrite("^/v1/(?:a|b)(/.*)?$", "/\\1$&$$"),
    rewrite("^/\\u00fc", "/"),
    rewrite("^/(?<name>a)(?i:b)[[:alpha:]]\\pL\\z", "/\\1"),
    jwt("https://id.example.com/keys"),
    { ...WEB, auth: { oauth2: OAUTH2 } },
    login({ redirect_url: "%REQ(x-forwarded-proto)%://%REQ(:authority)%/back", logout_path: "/out" }),
    login({ issuer: "https://id.example.com:8443/realms/a/" }),
    { redirect: { host: "Example.COM." } },
    { ...WEB, cors: { origins: ["http://localhost:3000", "https://*.example.com"] } },
    // Who isn't there wants nothing.
    { ...host("127.0.0.1"), disabled: true },
  ];
  for (const settings of cases) {
    await t.step(JSON.stringify(settings), async () => {
      const { diagnostics } = renderPlan(await planOf("pets", {}, { "PUT /a": settings, "PUT /b": WEB }));
      assert.deepEqual(diagnostics.map(({ message }) => message), []);
    });
  }
});

Deno.test("renderGatewayApi() refuses paths and hosts that no gateway has", async (t) => {
  const long = `/${"a".repeat(1100)}`;
  const cases: [root: JsonObject, operation: string, pointer: string, message: RegExp][] = [
    [WEB, "PUT /a//b", "/paths/~1a~1~1b/put", /merge repeated slashes/],
    [WEB, "PUT /a/../b", "/paths/~1a~1..~1b/put", /resolve/],
    [WEB, "QUERY /a", "/paths/~1a/query", /match the method QUERY/],
    [WEB, `PUT ${long}`, `/paths/~1${long.slice(1)}/put`, /longer than the 1024 characters/],
    [{ ...WEB, hosts: ["10.0.0.1"] }, "PUT /a", "/x-svc/hosts", /DNS name/],
  ];
  for (const [root, operation, pointer, message] of cases) {
    await t.step(operation.slice(0, 20), async () => {
      const plan = await planOf("pets", root, { [operation]: {}, "PATCH /z": { mocking: { enabled: true } } });
      const { diagnostics } = renderPlan(plan);
      assert.deepEqual(diagnostics.map((diagnostic) => diagnostic.pointer), [pointer]);
      assert.match(diagnostics[0]?.message ?? "", message);
    });
  }
});

Deno.test("renderGatewayApi() refuses logins that can't be told apart", async (t) => {
  await t.step("two that come back to the same path", async () => {
    const operations = {
      "PUT /a": { auth: { oauth2: OAUTH2 } },
      "PUT /b": { auth: { oauth2: { ...OAUTH2, client_id: "y" } } },
    };
    const { diagnostics } = renderPlan(await planOf("pets", WEB, operations));
    assert.deepEqual(diagnostics.map(({ pointer }) => pointer), ["/paths/~1b/put/x-svc/auth/oauth2"]);
    assert.match(diagnostics[0]?.message ?? "", /has \/oauth2\/callback for its callback or logout, too/);
  });
  await t.step("two whose sessions are alike", async () => {
    const other = { ...OAUTH2, redirect_url: "https://a.example.com/back", logout_path: "/out" };
    const cases: [other: JsonObject, isRefused: boolean][] = [
      [{ ...other, client_id: "y" }, true],
      [{ ...other, issuer: "https://elsewhere.example.com" }, true],
      [{ ...other, scopes: ["email"] }, false],
      [{ ...other, issuer: `${OAUTH2.issuer}/` }, false],
    ];
    for (const [oauth2, isRefused] of cases) {
      const operations = { "PUT /a": { auth: { oauth2: OAUTH2 } }, "PUT /b": { auth: { oauth2 } } };
      const { diagnostics } = renderPlan(await planOf("pets", WEB, operations));
      assert.deepEqual(
        diagnostics.map(({ pointer }) => pointer),
        isRefused ? ["/paths/~1b/put/x-svc/auth/oauth2"] : [],
      );
      if (isRefused) assert.match(diagnostics[0]?.message ?? "", /doesn't tell their sessions .* apart/);
    }
  });
  await t.step("two whose tokens are looked at", async () => {
    const auth = (client: string): JsonObject => ({
      oauth2: {
        ...OAUTH2,
        client_id: client,
        redirect_url: `https://a.example.com/${client}`,
        logout_path: `/out-${client}`,
        forward_access_token: true,
      },
      jwt: { providers: [{ name: "id", jwks_uri: "https://id.example.com/keys", audiences: [client] }] },
    });
    const operations = { "PUT /a": { auth: auth("x") }, "PUT /b": { auth: auth("y") } };
    const { diagnostics } = renderPlan(await planOf("pets", WEB, operations));
    assert.deepEqual(diagnostics, []);
  });
  await t.step("one through a path of an operation that isn't behind it", async () => {
    const operations = { "PUT /a": { auth: { oauth2: OAUTH2 } }, "GET /oauth2/callback": {} };
    const { diagnostics } = renderPlan(await planOf("pets", WEB, operations));
    assert.match(diagnostics[0]?.message ?? "", /needs the path \/oauth2\/callback/);
  });
  await t.step("one that needs two HTTPRoutes", async () => {
    const hosts = Array.from({ length: 17 }, (_, index) => `h${index}.example.com`);
    const { diagnostics } = renderPlan(
      await planOf("pets", { ...WEB, hosts }, { "PUT /a": { auth: { oauth2: OAUTH2 } } }),
    );
    assert.match(diagnostics[0]?.message ?? "", /don't fit into one HTTPRoute/);
  });
});

Deno.test("the portable profile refuses what only Envoy Gateway has", async (t) => {
  const cases: [settings: JsonObject, pointer: string, message: RegExp][] = [
    [host("api.example.com"), "/upstream", /An upstream that is a host/],
    [rewrite("^/a"), "/upstream", /`rewrite`/],
    [{ ...WEB, qos: { retries: 1 } }, "/qos", /retries/],
    [{ ...WEB, qos: { idle_timeout: 1 } }, "/qos", /idle_timeout/],
    [{ ...WEB, rate_limit: { requests_per_unit: 1, unit: "second" } }, "/rate_limit", /rate_limit/],
    [jwt("https://id.example.com/keys"), "/auth", /auth/],
    [{ ...WEB, validation: { request: { enabled: true } } }, "/validation", /validation/],
  ];
  for (const [settings, pointer, message] of cases) {
    await t.step(pointer, async () => {
      const { diagnostics, objects } = renderPlan(await planOf("pets", {}, { "PUT /a": settings, "PUT /b": WEB }), {
        profile: "portable",
      });
      assert.deepEqual(diagnostics.map((diagnostic) => diagnostic.pointer), [`/paths/~1a/put/x-svc${pointer}`]);
      assert.match(diagnostics[0]?.message ?? "", message);
      assert.deepEqual([...new Set(objects.map(({ kind }) => kind))], ["HTTPRoute"]);
    });
  }
  await t.step("templates that overlap with other rules", async () => {
    const other = { upstream: { service: { name: "other" } } };
    const render = async (operations: Record<string, JsonObject>): Promise<string[]> => {
      const { diagnostics } = renderPlan(await planOf("pets", WEB, operations), { profile: "portable" });
      return diagnostics.map(({ pointer }) => pointer);
    };
    assert.deepEqual(await render({ "PUT /a/{x}": {}, "PUT /a/b": other }), ["/paths/~1a~1{x}/put"]);
    assert.deepEqual(await render({ "PUT /a/{x}": {}, "PUT /{y}/b": other }), ["/paths/~1a~1{x}/put"]);
    assert.deepEqual(await render({ "PUT /a/{x}": {}, "PATCH /a/b": other }), []);
    assert.deepEqual(await render({ "PUT /a/{x}": {}, "PUT /a/b": {}, "PATCH /c": other }), []);
  });
});
