import assert from "node:assert/strict";
import type { JsonObject } from "../../../../lib/schema/json/node.ts";
import { planOf, renderPlan } from "./rendering_support.ts";

const WEB = { upstream: { service: { name: "web" } } };
const OAUTH2 = {
  issuer: "https://id.example.com/",
  client_id: "x",
  client_secret_ref: { name: "s", key: "client-secret" },
};

/** The SecurityPolicies that an API is rendered to, from settings of its root and its operations. */
async function policiesOf(
  root: JsonObject,
  operations: Record<string, JsonObject> = { "GET /a": {} },
): Promise<unknown[]> {
  const { objects, diagnostics } = renderPlan(await planOf("pets", { ...WEB, ...root }, operations));
  assert.deepEqual(diagnostics, []);
  return objects.filter(({ kind }) => kind === "SecurityPolicy").map(({ spec }) => spec);
}

Deno.test("a login has the issuer without a slash at its end", async () => {
  const [policy] = await policiesOf({ auth: { oauth2: OAUTH2 } });
  assert.deepEqual(Object(policy).oidc.provider, { issuer: "https://id.example.com" });
});

Deno.test("the paths of a login are below the prefix of its API", async () => {
  const [policy] = await policiesOf({ path: { prefix: "/v1/" }, auth: { oauth2: OAUTH2 } });
  const { redirectURL, logoutPath } = Object(policy).oidc;
  assert.equal(redirectURL, "%REQ(x-forwarded-proto)%://%REQ(:authority)%/v1/oauth2/callback");
  assert.equal(logoutPath, "/v1/oauth2/logout");
});

Deno.test("programs get 401, navigations of browsers are redirected to the login", async (t) => {
  const [policy] = await policiesOf({ auth: { oauth2: OAUTH2 } });
  const denied: { name: string; type: string; value: string }[] = Object(policy).oidc.denyRedirect.headers;
  const cases: { given: Record<string, string>; isDenied: boolean }[] = [
    { given: { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }, isDenied: false },
    { given: { accept: "*/*" }, isDenied: false },
    { given: { accept: "text/html, application/json" }, isDenied: false },
    { given: { accept: "application/json" }, isDenied: true },
    { given: { accept: "Application/JSON;q=0.9, */*" }, isDenied: true },
    { given: { accept: "application/problem+json, text/plain" }, isDenied: true },
    { given: { accept: "application/jsonish" }, isDenied: false },
    { given: { authorization: "Bearer x" }, isDenied: true },
    { given: { authorization: "bearer x" }, isDenied: true },
    { given: { authorization: "Basic x" }, isDenied: false },
    { given: { "sec-fetch-mode": "navigate" }, isDenied: false },
    { given: { "sec-fetch-mode": "no-cors" }, isDenied: false },
    { given: { "sec-fetch-mode": "cors" }, isDenied: true },
    { given: { "x-requested-with": "XMLHttpRequest" }, isDenied: true },
  ];
  for (const { given, isDenied } of cases) {
    await t.step(JSON.stringify(given), () => {
      const isMatched = denied.some(({ name, type, value }) => {
        const text = given[name];
        if (text === undefined) return false;
        // The value is a pattern of RE2, which may begin with flags. Envoy matches the whole value.
        const pattern = new RegExp(`^(?:${value.replace("(?i)", "")})$`, value.startsWith("(?i)") ? "i" : "");
        return type === "Exact" ? text === value : pattern.test(text);
      });
      assert.equal(isMatched, isDenied);
    });
  }
});

Deno.test("beside auth.jwt, a request with a token needs no login", async () => {
  const jwt = { providers: [{ name: "id", jwks_uri: "https://id.example.com/keys" }] };
  const [policy] = await policiesOf({ auth: { jwt, oauth2: { ...OAUTH2, forward_access_token: true } } });
  const { oidc } = Object(policy);
  assert.equal(oidc.passThroughAuthHeader, true);
  assert.equal(oidc.forwardAccessToken, true);
  const [alone] = await policiesOf({ auth: { oauth2: OAUTH2 } });
  assert.equal(Object(alone).oidc.passThroughAuthHeader, undefined);
});

Deno.test("operations behind one login are in one HTTPRoute, even if only some are checked", async () => {
  const checked = { validation: { request: { enabled: true } } };
  const policies = await policiesOf({ auth: { oauth2: OAUTH2 } }, { "GET /a": {}, "POST /a": checked, "GET /b": {} });
  assert.equal(policies.length, 1);
  assert.notEqual(Object(policies[0]).extAuth, undefined);
});
