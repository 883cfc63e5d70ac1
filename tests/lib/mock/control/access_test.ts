import assert from "node:assert/strict";
import { createControlAccess } from "../../../../lib/mock/control/access.ts";

const TOKEN = "s3cret";

const CASES: readonly [
  name: string,
  client: string | undefined,
  headers: Readonly<Record<string, string>>,
  status: number | undefined,
  withToken: number | undefined,
][] = [
  ["a client of this machine", "127.0.0.1", {}, undefined, undefined],
  ["another address of this machine", "127.8.9.1", {}, undefined, undefined],
  ["IPv6", "::1", { host: "[::1]:8080" }, undefined, undefined],
  ["IPv4 as IPv6", "::ffff:127.0.0.1", {}, undefined, undefined],
  ["a name of this machine", "127.0.0.1", { host: "gw.localhost:8080" }, undefined, undefined],
  ["its own origin", "127.0.0.1", { origin: "http://localhost:8080", host: "localhost:8080" }, undefined, undefined],
  ["another machine", "192.168.1.7", {}, 403, 401],
  ["another machine over IPv6", "fe80::1", {}, 403, 401],
  ["an unknown address", undefined, {}, 403, 401],
  ["no address", "", {}, 403, 401],
  ["a name as the address", "localhost.evil.example", {}, 403, 401],
  ["a forwarded address", "192.168.1.7", { "x-forwarded-for": "127.0.0.1" }, 403, 401],
  ["a proxy on this machine", "127.0.0.1", { "x-forwarded-for": "192.168.1.7" }, 403, 401],
  ["a proxy that says that the client is local", "127.0.0.1", { forwarded: "for=127.0.0.1" }, 403, 401],
  ["a proxy with a header of its own", "127.0.0.1", { "x-real-ip": "127.0.0.1" }, 403, 401],
  ["a proxy that only says that there is one", "127.0.0.1", { via: "1.1 proxy" }, 403, 401],
  ["a proxy that only tells the scheme", "127.0.0.1", { "x-forwarded-proto": "https" }, 403, 401],
  ["a foreign host", "127.0.0.1", { host: "evil.example" }, 403, 401],
  ["a host that only begins like this machine", "127.0.0.1", { host: "127.0.0.1.evil.example" }, 403, 401],
  ["a host with a path", "127.0.0.1", { host: "localhost/evil" }, 403, 401],
  ["a host with a user", "127.0.0.1", { host: "localhost@evil.example" }, 403, 401],
  ["a foreign origin", "127.0.0.1", { origin: "https://evil.example" }, 403, 401],
  ["an opaque origin", "127.0.0.1", { origin: "null" }, 403, 401],
  ["another port of this machine", "127.0.0.1", { origin: "http://localhost:3000" }, 403, 401],
  ["a link of another site", "127.0.0.1", { "sec-fetch-site": "cross-site" }, 403, 401],
  [
    "a link of another site, as a window of its own",
    "127.0.0.1",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
    undefined,
    undefined,
  ],
  [
    "a link of another site in a frame",
    "127.0.0.1",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
    403,
    401,
  ],
  ["a page of another port", "127.0.0.1", { "sec-fetch-site": "same-site" }, 403, 401],
  ["a callback", "127.0.0.1", { "x-gw-callback": "true" }, 403, 403],
  ["a callback with the token", "127.0.0.1", { "x-gw-callback": "", authorization: `Bearer ${TOKEN}` }, 403, 403],
  ["the token from another machine", "192.168.1.7", { authorization: `Bearer ${TOKEN}` }, 403, undefined],
  ["the token, the scheme in lower case", "192.168.1.7", { authorization: `bearer ${TOKEN}` }, 403, undefined],
  ["a wrong token", "192.168.1.7", { authorization: "Bearer s3cres" }, 403, 401],
  ["a longer token", "192.168.1.7", { authorization: `Bearer ${TOKEN}x` }, 403, 401],
  ["the start of the token", "192.168.1.7", { authorization: "Bearer s3cre" }, 403, 401],
  ["no token after the scheme", "192.168.1.7", { authorization: "Bearer " }, 403, 401],
  ["the token as a password", "192.168.1.7", { authorization: `Basic ${btoa(`:${TOKEN}`)}` }, 403, 401],
  [
    "credentials for the mocked API, on this machine",
    "127.0.0.1",
    { authorization: "Bearer other" },
    undefined,
    undefined,
  ],
];

Deno.test("the control API is for clients of this machine, and for those with the token", () => {
  for (const [name, client, headers, status, withToken] of CASES) {
    const request = new Request("http://localhost:8080/_gw/state", { headers });
    const clientOf = (): string | undefined => client;
    assert.equal(createControlAccess({ clientOf })(request)?.status, status, name);
    assert.equal(
      createControlAccess({ clientOf, token: TOKEN })(request)?.status,
      withToken,
      `${name}, with a token set`,
    );
  }
});

Deno.test("without the addresses of clients, only the token opens the control API", () => {
  const request = new Request("http://localhost:8080/_gw/state", { headers: { authorization: `Bearer ${TOKEN}` } });
  assert.equal(createControlAccess({})(request)?.status, 403);
  assert.equal(createControlAccess({ token: TOKEN })(request), undefined);
});

Deno.test("the problem of a refused request says what to do", () => {
  const request = new Request("http://localhost:8080/_gw/state");
  assert.equal(
    createControlAccess({ clientOf: () => "192.168.1.7" })(request)?.detail,
    "gw's own endpoints are for clients of its machine: call them there, by 127.0.0.1 or localhost. " +
      "Or let clients with a token in: --control-token.",
  );
});
