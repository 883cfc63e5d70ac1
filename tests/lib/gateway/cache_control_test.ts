import assert from "node:assert/strict";
import { cacheControlOf, cacheRuleOf } from "../../../lib/gateway/cache_control.ts";

const AUTH = { jwt: { providers: [{ name: "main", jwks_uri: "https://id.example.com/keys" }] } };

Deno.test("cacheRuleOf() marks answers behind auth as those of one user", () => {
  assert.equal(cacheRuleOf({}), undefined);
  assert.equal(cacheRuleOf({ auth: AUTH }), undefined);
  assert.equal(cacheRuleOf({ cache: { enabled: true } }), undefined);
  assert.equal(cacheRuleOf({ cache: { enabled: false, max_age: 9 } }), undefined);
  assert.equal(cacheRuleOf({ cache: { max_age: 9 } }), undefined);
  assert.deepEqual(cacheRuleOf({ cache: { enabled: true, max_age: 0 } }), { maxAge: 0, isPrivate: false });
  assert.deepEqual(cacheRuleOf({ cache: { enabled: true, max_age: 9 }, auth: AUTH }), { maxAge: 9, isPrivate: true });
});

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
