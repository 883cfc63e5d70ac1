import assert from "node:assert/strict";
import type { JsonObject } from "../../../../lib/schema/json/node.ts";
import {
  assertAccepted,
  assertRefused,
  jwt,
  login,
  OAUTH2,
  planOf,
  type RefusedCase,
  renderPlan,
  WEB,
} from "./rendering_support.ts";

const REFUSED: readonly RefusedCase[] = [
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
];

Deno.test("renderGatewayApi() refuses authentication that a cluster can't express", (t) => assertRefused(t, REFUSED));

Deno.test("renderGatewayApi() accepts authentication at the limits", (t) =>
  assertAccepted(t, [
    jwt("https://id.example.com/keys"),
    { ...WEB, auth: { oauth2: OAUTH2 } },
    login({ redirect_url: "%REQ(x-forwarded-proto)%://%REQ(:authority)%/back", logout_path: "/out" }),
    login({ issuer: "https://id.example.com:8443/realms/a/" }),
  ]));

Deno.test("renderGatewayApi() refuses logins that Envoy Gateway would confuse", async (t) => {
  interface Case {
    name: string;
    /** The `auth` settings of `PUT /a` and `PUT /b`. */
    auth: readonly [JsonObject, JsonObject];
    /** A pattern of the refusal's reason; absent if both settings are accepted. */
    message?: RegExp;
  }
  const elsewhere = { ...OAUTH2, redirect_url: "https://a.example.com/back", logout_path: "/out" };
  const besideDefault = (oauth2: JsonObject): Case["auth"] => [{ oauth2: OAUTH2 }, { oauth2 }];
  const withAudience = (client: string): JsonObject => ({
    oauth2: {
      ...OAUTH2,
      client_id: client,
      redirect_url: `https://a.example.com/${client}`,
      logout_path: `/out-${client}`,
      forward_access_token: true,
    },
    jwt: { providers: [{ name: "id", jwks_uri: "https://id.example.com/keys", audiences: [client] }] },
  });
  const cases: readonly Case[] = [
    {
      name: "the same callback",
      auth: besideDefault({ ...OAUTH2, client_id: "y" }),
      message: /has \/oauth2\/callback for its callback or logout, too/,
    },
    {
      name: "sessions of two clients",
      auth: besideDefault({ ...elsewhere, client_id: "y" }),
      message: /doesn't tell their sessions .* apart/,
    },
    {
      name: "sessions of two issuers",
      auth: besideDefault({ ...elsewhere, issuer: "https://elsewhere.example.com" }),
      message: /doesn't tell their sessions .* apart/,
    },
    { name: "sessions of one client with other scopes", auth: besideDefault({ ...elsewhere, scopes: ["email"] }) },
    {
      name: "sessions of one issuer, also with a slash",
      auth: besideDefault({ ...elsewhere, issuer: `${OAUTH2.issuer}/` }),
    },
    { name: "sessions whose tokens are verified", auth: [withAudience("x"), withAudience("y")] },
  ];
  for (const { name, auth: [a, b], message } of cases) {
    await t.step(name, async () => {
      const { diagnostics } = renderPlan(await planOf("pets", WEB, { "PUT /a": { auth: a }, "PUT /b": { auth: b } }));
      const pointers = message === undefined ? [] : ["/paths/~1b/put/x-svc/auth/oauth2"];
      assert.deepEqual(diagnostics.map(({ pointer }) => pointer), pointers);
      if (message !== undefined) assert.match(diagnostics[0]?.message ?? "", message);
    });
  }
});

Deno.test("renderGatewayApi() refuses logins that can't complete", async (t) => {
  const behind = { auth: { oauth2: OAUTH2 } };
  const cases: readonly { name: string; root: JsonObject; operations: Record<string, JsonObject>; message: RegExp }[] =
    [
      {
        name: "an operation that isn't behind the login has its callback path",
        root: WEB,
        operations: { "PUT /a": behind, "GET /oauth2/callback": {} },
        message: /needs the path \/oauth2\/callback/,
      },
      {
        name: "17 hosts need two HTTPRoutes",
        root: { ...WEB, hosts: Array.from({ length: 17 }, (_, index) => `h${index}.example.com`) },
        operations: { "PUT /a": behind },
        message: /don't fit into one HTTPRoute/,
      },
    ];
  for (const { name, root, operations, message } of cases) {
    await t.step(name, async () => {
      const { diagnostics } = renderPlan(await planOf("pets", root, operations));
      assert.match(diagnostics[0]?.message ?? "", message);
    });
  }
});
