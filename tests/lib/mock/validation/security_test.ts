import assert from "node:assert/strict";
import { validationOf, violationsOf } from "./support.ts";

const securitySchemes = {
  headerKey: { type: "apiKey", in: "header", name: "X-Key" },
  queryKey: { type: "apiKey", in: "query", name: "api_key" },
  cookieKey: { type: "apiKey", in: "cookie", name: "sid" },
  basic: { type: "http", scheme: "basic" },
  bearer: { type: "http", scheme: "Bearer" },
  digest: { type: "http", scheme: "digest" },
  hoba: { type: "http", scheme: "hoba" },
  oauth2: { type: "oauth2", flows: {} },
  openIdConnect: { type: "openIdConnect", openIdConnectUrl: "https://example.com" },
  mutualTLS: { type: "mutualTLS" },
  referred: { $ref: "#/components/securitySchemes/basic" },
  strange: { type: "telepathy" },
  misnamed: { type: "apiKey", in: "header", name: "X Key" },
};

const BASIC = "Basic dXNlcjpwYXNzd29yZA==";
const DIGEST = 'Digest username="Mufasa", realm="*", uri="/", nonce="1", response="2"';

/** Security Requirement Objects, a request, and the `WWW-Authenticate` header that it must get. */
const CASES: { security: unknown; target?: string; headers?: Record<string, string>; want?: string }[] = [
  { security: [] },
  { security: [{}] },
  { security: [{ basic: [] }, {}] },
  { security: [{ unknown: [] }] },
  { security: [{ strange: [] }] },
  { security: [{ misnamed: [] }] },
  { security: [{ mutualTLS: [] }] },
  { security: "basic" },

  { security: [{ headerKey: [] }], headers: { "x-key": "1" } },
  { security: [{ headerKey: [] }], want: 'ApiKey in="header", name="X-Key"' },
  { security: [{ headerKey: [] }], headers: { "x-key": "" }, want: 'ApiKey in="header", name="X-Key"' },
  { security: [{ queryKey: [] }], target: "/?api_key=1" },
  { security: [{ queryKey: [] }], target: "/?api_key=", want: 'ApiKey in="query", name="api_key"' },
  { security: [{ cookieKey: [] }], headers: { cookie: "a=1; sid=2" } },
  { security: [{ cookieKey: [] }], headers: { cookie: "a=sid" }, want: 'ApiKey in="cookie", name="sid"' },

  { security: [{ basic: [] }], headers: { authorization: BASIC } },
  { security: [{ basic: [] }], headers: { authorization: BASIC.toLowerCase().replace(/ .*/, BASIC.slice(5)) } },
  { security: [{ basic: [] }], want: 'Basic realm="*", charset="UTF-8"' },
  { security: [{ basic: [] }], headers: { authorization: "Basic %" }, want: 'Basic realm="*", charset="UTF-8"' },
  { security: [{ basic: [] }], headers: { authorization: "Basic dXNlcg==" }, want: 'Basic realm="*", charset="UTF-8"' },
  { security: [{ basic: [] }], headers: { authorization: "Bearer x" }, want: 'Basic realm="*", charset="UTF-8"' },
  { security: [{ referred: [] }], headers: { authorization: BASIC } },
  { security: [{ referred: [] }], want: 'Basic realm="*", charset="UTF-8"' },

  { security: [{ bearer: [] }], headers: { authorization: "bearer x" } },
  { security: [{ bearer: [] }], want: "Bearer" },
  { security: [{ bearer: [] }], headers: { authorization: "Bearer" }, want: "Bearer" },
  { security: [{ oauth2: ["read"] }], headers: { authorization: "Bearer x" } },
  { security: [{ oauth2: ["read"] }], want: "Bearer" },
  { security: [{ openIdConnect: [] }], headers: { authorization: "Bearer x" } },
  { security: [{ openIdConnect: [] }], want: "Bearer" },
  { security: [{ digest: [] }], headers: { authorization: DIGEST } },
  {
    security: [{ digest: [] }],
    headers: { authorization: "Digest username=a" },
    want: 'Digest realm="*", qop="auth", algorithm=SHA-256, nonce="6d6f636b"',
  },
  { security: [{ hoba: [] }], headers: { authorization: "HOBA result=1" } },
  { security: [{ hoba: [] }], want: "Hoba" },

  // A request must satisfy all schemes of one Security Requirement Object.
  { security: [{ headerKey: [], bearer: [] }], headers: { "x-key": "1", authorization: "Bearer x" } },
  {
    security: [{ headerKey: [], bearer: [] }],
    headers: { "x-key": "1" },
    want: 'ApiKey in="header", name="X-Key", Bearer',
  },
  { security: [{ basic: [] }, { queryKey: [] }], target: "/?api_key=1" },
  { security: [{ basic: [] }, { queryKey: [] }], headers: { authorization: BASIC } },
  {
    security: [{ basic: [] }, { queryKey: [] }],
    want: 'Basic realm="*", charset="UTF-8", ApiKey in="query", name="api_key"',
  },
];

for (const { security, target = "/", headers = {}, want } of CASES) {
  const request = `${target} ${JSON.stringify(headers)}`;
  Deno.test(`security ${JSON.stringify(security)} ${want === undefined ? "accepts" : "refuses"} ${request}`, async () => {
    const definition = { operation: { security }, root: { components: { securitySchemes } } };
    const { violations, error } = await validationOf(definition, { target, headers });
    assert.equal(error?.challenge, want);
    assert.equal(error?.status, want === undefined ? undefined : 401);
    assert.equal(violations.length > 0, want !== undefined);
  });
}

Deno.test("the root's `security` applies to operations without their own", async () => {
  const root = { components: { securitySchemes }, security: [{ basic: [] }] };
  assert.equal((await validationOf({ operation: {}, root })).error?.status, 401);
  assert.deepEqual(await validationOf({ operation: { security: [] }, root }), { violations: [] });
});

Deno.test("a violation names the place of a missing credential", async () => {
  const definition = {
    operation: { security: [{ headerKey: [], queryKey: [], basic: [] }] },
    root: { components: { securitySchemes } },
  };
  const { violations } = await validationOf(definition, { headers: { "x-key": "1" } });
  assert.deepEqual(violations, [
    {
      location: ["query", "api_key"],
      severity: "Error",
      code: "security",
      message: "Request query parameter api_key must have an API key.",
    },
    {
      location: ["header", "Authorization"],
      severity: "Error",
      code: "security",
      message: "Request header Authorization must have Basic credentials.",
    },
  ]);
});

Deno.test("violations list all alternatives of missing credentials", async () => {
  const cases = [
    {
      security: [{ basic: [] }, { queryKey: [] }],
      want: [
        ["header Authorization", "Request header Authorization must have Basic credentials."],
        ["query api_key", "Or: request query parameter api_key must have an API key."],
      ],
    },
    {
      security: [{ headerKey: [], bearer: [] }, { queryKey: [], basic: [] }],
      want: [
        ["header X-Key", "Request header X-Key must have an API key."],
        ["header Authorization", "And: request header Authorization must have Bearer credentials."],
        ["query api_key", "Or: request query parameter api_key must have an API key."],
        ["header Authorization", "And: request header Authorization must have Basic credentials."],
      ],
    },
    // The message names only the credentials that are missing.
    {
      security: [{ cookieKey: [] }, { headerKey: [], bearer: [] }],
      headers: { "x-key": "1" },
      want: [
        ["cookie sid", "Request cookie parameter sid must have an API key."],
        ["header Authorization", "Or: request header Authorization must have Bearer credentials."],
      ],
    },
    // All alternatives need Bearer credentials, so they are reported once.
    {
      security: [{ oauth2: ["read"] }, { oauth2: ["write"] }, { openIdConnect: [] }],
      want: [["header Authorization", "Request header Authorization must have Bearer credentials."]],
    },
  ];
  for (const { security, headers = {}, want } of cases) {
    const definition = { operation: { security }, root: { components: { securitySchemes } } };
    const { violations } = await validationOf(definition, { headers });
    assert.deepEqual(violations.map(({ location, message }) => [location.join(" "), message]), want);
  }
});

Deno.test("a security scheme is found by its URI (OpenAPI 3.2)", async () => {
  const definition = {
    openapi: "3.2.0",
    operation: { security: [{ "#/components/securitySchemes/basic": [] }] },
    root: { components: { securitySchemes } },
  };
  assert.equal((await validationOf(definition)).error?.status, 401);
});

Deno.test("without `security`, a request isn't asked for credentials, but checked otherwise", async () => {
  const limit = { name: "limit", in: "query", schema: { type: "integer" } };
  const root = { components: { securitySchemes }, security: [{ basic: [] }] };
  const definition = { operation: { parameters: [limit] }, root };
  assert.deepEqual(await violationsOf(definition, {}, { security: false }), []);
  assert.deepEqual(await violationsOf(definition, { target: "/?limit=x" }, { security: false }), ["query/limit: type"]);
});
