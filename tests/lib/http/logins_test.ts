import assert from "node:assert/strict";
import { createLogins, LIFETIME, MOST_LOGINS } from "../../../lib/http/logins.ts";

function logins() {
  let time = 0;
  let id = 0;
  const made = createLogins({ path: "/_gw/", now: () => time, newId: () => `id${id++}` });
  return { made, pass: (milliseconds: number) => time += milliseconds };
}

function request(headers: Record<string, string> = {}, method = "GET", url = "http://gw.example:8080/_gw/"): Request {
  return new Request(url, { method, headers: { host: new URL(url).host, ...headers } });
}

Deno.test("the cookie of a login is HttpOnly, SameSite=Strict, of this host and port, and Secure over TLS", () => {
  const { made } = logins();
  const name = "gw-console-8080";
  assert.equal(
    made.open(request(), "token"),
    `${name}=id0; Path=/_gw/; Max-Age=${LIFETIME / 1000}; HttpOnly; SameSite=Strict`,
  );
  assert.match(made.open(request({}, "GET", "https://gw.example/_gw/"), "token"), /; Secure$/);
  assert.equal(made.tokenOf(request({ cookie: `${name}=id0` })), "token");
  assert.equal(made.tokenOf(request({ cookie: `${name}=id9` })), undefined);
  assert.equal(made.tokenOf(request({ cookie: "gw-console-9090=id0" })), undefined);
});

Deno.test("a login ends by time, by logging out, and when there are too many", () => {
  const { made, pass } = logins();
  const cookie = (id: number) => ({ cookie: `gw-console-8080=id${id}` });
  made.open(request(), "a");
  assert.match(made.close(request(cookie(0))), /^gw-console-8080=; Path=\/_gw\/; Max-Age=0;/);
  assert.equal(made.tokenOf(request(cookie(0))), undefined);
  made.open(request(), "b");
  for (let count = 0; count < MOST_LOGINS; count++) made.open(request(), "c");
  assert.equal(made.tokenOf(request(cookie(1))), undefined);
  assert.equal(made.tokenOf(request(cookie(2))), "c");
  pass(LIFETIME);
  assert.equal(made.tokenOf(request(cookie(2))), undefined);
});

Deno.test("a cookie counts only for what an own page sends, and for links", () => {
  const { made } = logins();
  made.open(request(), "token");
  const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  const rows: [name: string, headers: Record<string, string>, method: string, counts: boolean][] = [
    ["a program", {}, "GET", true],
    ["an own page", { "sec-fetch-site": "same-origin" }, "GET", true],
    ["a link of another site", link, "GET", true],
    ["a frame of another site", { ...link, "sec-fetch-dest": "iframe" }, "GET", false],
    ["a script of another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, "GET", false],
    ["another origin", { origin: "https://evil.example" }, "GET", false],
    ["a form of an own page", { origin: "http://gw.example:8080" }, "POST", true],
    ["a form of another site", { ...link, origin: "https://evil.example" }, "POST", false],
    ["a form of another port", { origin: "http://gw.example:9090", "sec-fetch-site": "same-site" }, "POST", false],
    ["a form of an opaque origin", { origin: "null" }, "POST", false],
    ["a change without an origin", {}, "DELETE", false],
  ];
  for (const [name, headers, method, counts] of rows) {
    const token = made.tokenOf(request({ cookie: "gw-console-8080=id0", ...headers }, method));
    assert.equal(token, counts ? "token" : undefined, name);
  }
});
