import assert from "node:assert/strict";
import { cacheControlOf, cacheRuleOf as cacheRuleOfRoute } from "../../../lib/gateway/cache_control.ts";
import type { ExtensionSettings } from "../../../lib/openapi/extension/settings.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { planRoutes } from "../../../lib/gateway/plan_routes.ts";

const AUTH = { jwt: { providers: [{ name: "main", jwks_uri: "https://id.example.com/keys" }] } };

Deno.test("cacheRuleOf() marks answers behind auth as those of one user", () => {
  const cacheRuleOf = (settings: ExtensionSettings) => cacheRuleOfRoute({ settings, operation: undefined });
  assert.equal(cacheRuleOf({}), undefined);
  assert.equal(cacheRuleOf({ auth: AUTH }), undefined);
  assert.equal(cacheRuleOf({ cache: { enabled: true } }), undefined);
  assert.equal(cacheRuleOf({ cache: { enabled: false, max_age: 9 } }), undefined);
  assert.equal(cacheRuleOf({ cache: { max_age: 9 } }), undefined);
  assert.deepEqual(cacheRuleOf({ cache: { enabled: true, max_age: 0 } }), { maxAge: 0, isPrivate: false });
  assert.deepEqual(cacheRuleOf({ cache: { enabled: true, max_age: 9 }, auth: AUTH }), { maxAge: 9, isPrivate: true });
});

/** `security` of the API and of its operation, and whether answers are private. */
const SECURED: readonly { api?: unknown; own?: unknown; version?: string; isPrivate: boolean }[] = [
  { isPrivate: false },
  { own: [{ session: [] }], isPrivate: true },
  { api: [{ session: [] }], isPrivate: true },
  { api: [{ session: [] }], own: [], isPrivate: false },
  { api: [{ session: [] }], own: [{}], isPrivate: false },
  { own: [{}, { session: [] }], isPrivate: true },
  { own: [{ unknown: [] }], isPrivate: true },
  { own: "session", isPrivate: false },
  { api: [{ session: [] }], version: "2.0", isPrivate: true },
];

for (const { api, own, version = "3.1.0", isPrivate } of SECURED) {
  const name = JSON.stringify({ api, own, version });
  Deno.test(`cacheRuleOf() tells from security whether answers may be for one user: ${name}`, async () => {
    const document = await parseDocument({
      ...version === "2.0" ? { swagger: version } : { openapi: version },
      info: { title: "", version: "" },
      "x-svc": { cache: { enabled: true, max_age: 9 } },
      ...api === undefined ? {} : { security: api },
      paths: {
        "/me": { get: { ...own === undefined ? {} : { security: own }, responses: { 200: { description: "" } } } },
      },
    });
    const fleet = { namespace: "default", name: "default" };
    const { routes: [route] } = planRoutes({ namespace: "default", name: "me", fleet, document });
    assert.ok(route);
    assert.deepEqual(cacheRuleOfRoute(route), { maxAge: 9, isPrivate });
  });
}

/** What an upstream sends, and what the client gets with `max_age: 9`, without and with `auth`. */
const CASES: readonly { sent: string | null; cookie?: boolean; want: string | null; withAuth: string | null }[] = [
  { sent: null, want: "max-age=9", withAuth: "private, max-age=9" },
  { sent: "", want: "max-age=9", withAuth: "private, max-age=9" },
  { sent: null, cookie: true, want: null, withAuth: "private" },
  { sent: "no-store", want: "no-store", withAuth: "no-store" },
  { sent: "No-Store, max-age=99", want: "No-Store, max-age=99", withAuth: "No-Store, max-age=99" },
  { sent: "private", want: "private", withAuth: "private" },
  { sent: "max-age=5, private", want: "max-age=5, private", withAuth: "max-age=5, private" },
  { sent: "no-cache", want: "no-cache", withAuth: "private, no-cache" },
  { sent: "no-cache,max-age=0", want: "no-cache, max-age=0", withAuth: "private, no-cache, max-age=0" },
  { sent: "max-age=5", want: "max-age=5", withAuth: "private, max-age=5" },
  { sent: "max-age=99", want: "max-age=9", withAuth: "private, max-age=9" },
  { sent: 'MAX-AGE="5"', want: 'MAX-AGE="5"', withAuth: 'private, MAX-AGE="5"' },
  { sent: "max-age=none", want: "max-age=none", withAuth: "private, max-age=none" },
  { sent: "max-age=99", cookie: true, want: "max-age=99", withAuth: "private, max-age=99" },
  { sent: "public", want: "public, max-age=9", withAuth: "private, max-age=9" },
  {
    sent: "public, s-maxage=99, max-age=5",
    want: "public, s-maxage=9, max-age=5",
    withAuth: "private, max-age=5",
  },
  { sent: "must-revalidate", want: "must-revalidate, max-age=9", withAuth: "private, must-revalidate, max-age=9" },
  { sent: "x-private=1", want: "x-private=1, max-age=9", withAuth: "private, x-private=1, max-age=9" },
  {
    sent: 'private="a, no-store", max-age=99',
    want: 'private="a, no-store", max-age=9',
    withAuth: 'private, private="a, no-store", max-age=9',
  },
  {
    sent: 'no-cache="set-cookie"',
    want: 'no-cache="set-cookie", max-age=9',
    withAuth: 'private, no-cache="set-cookie", max-age=9',
  },
  { sent: 'x="a, no-store', want: 'x="a, no-store, max-age=9', withAuth: 'private, x="a, no-store, max-age=9' },
];

Deno.test("cacheControlOf() keeps what an upstream restricts, and shortens its times", () => {
  for (const { sent, cookie = false, want, withAuth } of CASES) {
    const name = `${sent}${cookie ? " and a cookie" : ""}`;
    assert.equal(cacheControlOf({ maxAge: 9, isPrivate: false }, sent, cookie), want, name);
    assert.equal(cacheControlOf({ maxAge: 9, isPrivate: true }, sent, cookie), withAuth, `${name}, behind auth`);
  }
});
