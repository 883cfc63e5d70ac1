import assert from "node:assert/strict";
import { convertKusk, isKusk } from "../../../lib/convert/kusk/kusk.ts";
import { convertKuskApi, isKuskApi } from "../../../lib/convert/kusk/kusk_api.ts";
import { readSource } from "../../../lib/openapi/text/source.ts";
import { isObject } from "../../../lib/schema/json/node.ts";

async function convert(text: string): Promise<{ text: string; value: unknown; left: string[] }> {
  const { source } = await readSource("kusk.yaml", text);
  const converted = await convertKusk(source);
  const { source: { value } } = await readSource("api.yaml", converted.text);
  return { text: converted.text, value, left: converted.leftovers.map(({ pointer }) => pointer) };
}

Deno.test("convertKusk() writes what x-kusk means as x-svc, and lists what is left", async (t) => {
  const cases: { kusk: unknown; svc: unknown; left?: string[] }[] = [
    { kusk: { mocking: { enabled: true } }, svc: { mocking: { enabled: true } } },
    { kusk: { disabled: true, websocket: true }, svc: { disabled: true, websocket: true } },
    { kusk: { hosts: ["*.example.org"] }, svc: { hosts: ["*.example.org"] } },
    { kusk: { hosts: ["*", "example.*"] }, svc: { hosts: ["*"] }, left: ["/hosts/1"] },
    { kusk: { hosts: ["example.*"] }, svc: { hosts: ["example.*"] }, left: ["/hosts/0"] },
    {
      kusk: { upstream: { service: { name: "a", port: 1 } } },
      svc: { upstream: { service: { name: "a", port: 1, namespace: "default" } } },
    },
    {
      kusk: { upstream: { host: { hostname: "a.org", port: 80 }, rewrite: { pattern: "" } } },
      svc: { upstream: { host: { hostname: "a.org", port: 80 } } },
    },
    {
      kusk: {
        upstreams: [{ service: { name: "a", namespace: "b", weight: 30 } }, { host: { hostname: "c" }, weight: 70 }],
      },
      svc: {
        upstreams: [{ service: { name: "a", namespace: "b" }, weight: 30 }, { host: { hostname: "c" }, weight: 70 }],
      },
    },
    { kusk: { redirect: { host_redirect: "a.org" } }, svc: { redirect: { response_code: 301, host: "a.org" } } },
    {
      kusk: { redirect: { scheme_redirect: "https", port_redirect: 8443, response_code: 308, strip_query: false } },
      svc: { redirect: { scheme: "https", port: 8443, response_code: 308 } },
    },
    {
      kusk: { redirect: { path_redirect: "/b", rewrite_regex: { pattern: "a", substitution: "b" } } },
      svc: { redirect: { response_code: 301, path: "/b" } },
      left: ["/redirect/rewrite_regex"],
    },
    {
      kusk: { rate_limit: { requests_per_unit: 2, unit: "hour", per_connection: true, response_code: 429 } },
      svc: { rate_limit: { requests_per_unit: 2, unit: "hour" } },
      left: ["/rate_limit/per_connection"],
    },
    {
      kusk: { cors: { origins: ["*"], credentials: true } },
      svc: { cors: { origins: ["*"] } },
      left: ["/cors/credentials"],
    },
    { kusk: { "openapi-path": "api.json" }, svc: { public_api_path: "/api.json" } },
    { kusk: { security: { "42crunch": {} } }, svc: {}, left: ["/security"] },
    { kusk: { qos: { retries: 1, burst: 2 } }, svc: { qos: { retries: 1 } }, left: ["/qos/burst"] },
    { kusk: "text", svc: "text" },
  ];
  for (const { kusk, svc, left = [] } of cases) {
    await t.step(JSON.stringify(kusk), async () => {
      const { value, left: found } = await convert(JSON.stringify({ openapi: "3.0.0", "x-kusk": kusk, paths: {} }));
      assert.deepEqual(value, { openapi: "3.0.0", "x-svc": svc, paths: {} });
      assert.deepEqual(found, left.map((pointer) => `/x-kusk${pointer}`));
    });
  }
});

Deno.test("convertKusk() never opens a route that needs credentials", async (t) => {
  const host = { hostname: "auth", port: 80 };
  const cases: { auth: unknown; want: unknown; left: string[] }[] = [
    {
      auth: { jwt: { providers: [{ name: "a", default: true, issuer: "https://a", jwks: "https://a/keys" }] } },
      want: { jwt: { providers: [{ name: "a", issuer: "https://a", jwks_uri: "https://a/keys" }] } },
      left: [],
    },
    { auth: { custom: { host } }, want: { custom: { host } }, left: [] },
    { auth: { custom: { host: { ...host, path: "/x" } } }, want: { custom: { host } }, left: ["/custom/host/path"] },
    {
      auth: { scheme: "basic", path_prefix: "/login", "auth-upstream": { host } },
      want: { custom: { path: "/login", host } },
      left: ["/auth-upstream/path_prefix"],
    },
    { auth: { scheme: "basic" }, want: {}, left: ["/scheme"] },
    { auth: { oath2: { a: 1 } }, want: { oath2: { a: 1 } }, left: ["/oath2", ""] },
    { auth: { scheme: "basic", x: 1 }, want: { x: 1 }, left: ["/x", ""] },
    { auth: { x: 1, custom: { host } }, want: { custom: { host } }, left: ["/x"] },
    { auth: {}, want: {}, left: [""] },
    { auth: { cloudentity: { host } }, want: { custom: { host } }, left: ["/cloudentity"] },
    {
      auth: {
        oauth2: {
          authorization_endpoint: "https://a.org/authorize",
          token_endpoint: "https://a.org/token",
          credentials: { client_id: "gw", client_secret_ref: { name: "s", namespace: "default" } },
          signout_path: "/out",
          pass_through_matcher: ["x"],
        },
      },
      want: {
        oauth2: {
          issuer: "https://a.org",
          logout_path: "/out",
          client_id: "gw",
          client_secret_ref: { name: "s", key: "client-secret" },
        },
      },
      left: ["/oauth2/authorization_endpoint", "/oauth2/credentials/client_secret_ref", "/oauth2/pass_through_matcher"],
    },
  ];
  for (const { auth, want, left } of cases) {
    await t.step(JSON.stringify(auth), async () => {
      const { value, left: found } = await convert(JSON.stringify({ openapi: "3.0.0", "x-kusk": { auth } }));
      assert.deepEqual(value, { openapi: "3.0.0", "x-svc": { auth: want } });
      assert.deepEqual(found, left.map((pointer) => `/x-kusk/auth${pointer}`));
    });
  }
});

Deno.test("convertKusk() keeps the text of YAML around the changes", async (t) => {
  const cases: Record<string, { given: string; want: string }> = {
    "comments and quotes": {
      given: "a: 'b' # c\nx-kusk: # d\n  disabled: yes # e\n  websocket: true\n",
      want: "a: 'b' # c\nx-svc: # d\n  disabled: yes # e\n  websocket: true\n",
    },
    "a removed field, and an added one": {
      given:
        "x-kusk:\n  upstream:\n    service:\n      name: a # b\n  security: {}\n  # c\n  cache: { enabled: true }\npaths: {}\n",
      want:
        "x-svc:\n  upstream:\n    service:\n      name: a # b\n      namespace: default\n  # c\n  cache: { enabled: true }\npaths: {}\n",
    },
    "flow style": {
      given: "{ openapi: 3.0.0, x-kusk: { openapi-path: a }, paths: {} }\n",
      want: "{ openapi: 3.0.0, x-svc: { public_api_path: /a }, paths: {} }\n",
    },
    "carriage returns": {
      given: "x-kusk:\r\n  disabled: true\r\npaths: {}\r\n",
      want: "x-svc:\r\n  disabled: true\r\npaths: {}\r\n",
    },
  };
  for (const [name, { given, want }] of Object.entries(cases)) {
    await t.step(name, async () => {
      const { text, value } = await convert(given);
      assert.ok(isObject(value));
      if (name === "flow style") {
        assert.deepEqual(value, { openapi: "3.0.0", "x-svc": { public_api_path: "/a" }, paths: {} });
      } else assert.equal(text, want);
    });
  }
});

Deno.test("convertKusk() keeps flow style in its line, and wide margins once", async (t) => {
  const route = "get: { x-kusk: { mocking: { enabled: true }, openapi-path: a, security: {} }, responses: {} }";
  const paths = Array.from({ length: 500 }, (_, index) => `/a${index}: { ${route} }`);
  const margin = " ".repeat(1000);
  const fields = Array.from({ length: 1000 }, (_, index) => `k${index}: v`).join(", ");
  const texts = {
    "one line of flow style": `{ openapi: 3.0.0, paths: { ${paths.join(", ")} } }\n`,
    "a wide margin": `paths:\n${margin}x-kusk: { cors: { origins: [ "*" ], credentials: true, ${fields} } }\n`
      .replace("paths", "x"),
  };
  for (const [name, text] of Object.entries(texts)) {
    await t.step(name, async () => {
      const { text: converted } = await convert(text);
      assert.ok(converted.length <= text.length, `${converted.length} characters of ${text.length}`);
    });
  }
});

Deno.test("convertKusk() converts aliased settings", async () => {
  const { value, left } = await convert(
    "x-a: &a { openapi-path: a, security: {} }\nx-kusk: *a\npaths:\n  /b:\n    x-kusk: { <<: *a, disabled: true }\n    get: {}\n",
  );
  assert.deepEqual(value, {
    "x-a": { "openapi-path": "a", security: {} },
    "x-svc": { public_api_path: "/a" },
    paths: { "/b": { "x-svc": { disabled: true }, get: {} } },
  });
  assert.deepEqual(left, ["/x-kusk/security", "/paths/~1b/x-kusk/openapi-path", "/paths/~1b/x-kusk/security"]);
});

Deno.test("convertKusk() tells where an inner cors takes over fields that Kusk drops, and where x-svc is there", async () => {
  const { left } = await convert(
    "x-kusk: { cors: { origins: [a], max_age: 1 } }\npaths:\n  /a: { x-kusk: { cors: { origins: [b] } }, x-svc: {} }\n",
  );
  assert.deepEqual(left, ["/paths/~1a/x-kusk", "/paths/~1a/x-kusk/cors"]);
});

Deno.test("isKusk() finds x-kusk at each level, and nowhere else", async () => {
  const cases: [string, boolean][] = [
    ["x-kusk: {}", true],
    ["paths: { /a: { x-kusk: {} } }", true],
    ["paths: { /a: { get: { x-kusk: {} } } }", true],
    ["paths: { /a: { parameters: { x-kusk: {} } } }", false],
    ["components: { x-kusk: {} }", false],
    ["[]", false],
  ];
  for (const [text, want] of cases) assert.equal(isKusk((await readSource("a", text)).source), want, text);
});

Deno.test("convertKuskApi() makes gw's API resource of Kusk's", async () => {
  const { source } = await readSource(
    "api.yaml",
    `apiVersion: gateway.kusk.io/v1alpha1
kind: API
metadata: { name: pets }
spec:
  fleet: { name: edge, namespace: infra }
  paused: true
  spec: |
    openapi: 3.0.3
    x-kusk: # here
      disabled: true
      security: {}
`,
  );
  assert.equal(isKuskApi(source), true);
  const { text, leftovers } = await convertKuskApi(source);
  assert.equal(
    text,
    `apiVersion: gateway.x-svc.io/v1alpha1
kind: API
metadata:
  name: pets
spec:
  fleet:
    name: edge
    namespace: infra
  openapi: |
    openapi: 3.0.3
    x-svc: # here
      disabled: true
`,
  );
  assert.deepEqual(leftovers.map(({ pointer }) => pointer), ["/spec/spec/x-kusk/security", "/spec/paused"]);
  assert.equal(isKuskApi((await readSource("a", "kind: API\nspec: { spec: a }")).source), false);
});

Deno.test("convertKusk() keeps the digits of integers in JSON", async () => {
  const { source } = await readSource(
    "api.json",
    '{"openapi":"3.0.0","x-kusk":{"disabled":true},"paths":{},"x-id":9223372036854775807}',
  );
  assert.match((await convertKusk(source)).text, /"x-id": 9223372036854775807/);
});
