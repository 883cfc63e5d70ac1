import assert from "node:assert/strict";
import { type AccessOptions, createAccess } from "../../../cmd/io/access.ts";
import type { Tokens } from "../../../cmd/io/tokens.ts";

const ALICE = { name: "alice", groups: ["developers"] };
const TOKENS: Tokens = { find: (token) => token === "s3cret" ? ALICE : undefined, close: () => {} };

const LOCAL: AccessOptions = { corsOrigins: [], isLocal: true };
const PERMITTED: AccessOptions = { corsOrigins: ["https://console.example.com"], isLocal: true };
const GUARDED: AccessOptions = { tokens: TOKENS, corsOrigins: [], isLocal: false };
const INSECURE: AccessOptions = { corsOrigins: [], isLocal: false };

interface Case {
  name: string;
  options: AccessOptions;
  method?: string;
  path?: string;
  headers: Record<string, string>;
  /** The name of the user if the request is allowed, else the status of the refusal. */
  want: string | number;
}

const CASES: readonly Case[] = [
  { name: "localhost", options: LOCAL, headers: { host: "localhost:8090" }, want: "anonymous" },
  { name: "127.0.0.1", options: LOCAL, headers: { host: "127.0.0.1:8090" }, want: "anonymous" },
  { name: "::1", options: LOCAL, headers: { host: "[::1]:8090" }, want: "anonymous" },
  { name: "localhost and a path", options: LOCAL, headers: { host: "localhost/x" }, want: 400 },
  { name: "credentials in the host", options: INSECURE, headers: { host: "evil.example@localhost" }, want: 400 },
  {
    name: "another name of this machine (DNS rebinding)",
    options: LOCAL,
    headers: { host: "evil.example" },
    want: 403,
  },
  { name: "a name that begins like ours", options: LOCAL, headers: { host: "localhost.evil.example:8090" }, want: 403 },
  { name: "an address that begins like ours", options: LOCAL, headers: { host: "127.0.0.1.evil.example" }, want: 403 },
  { name: "HTTP/2, which has no Host", options: LOCAL, headers: {}, want: "anonymous" },
  ...[["x-forwarded-for", "192.0.2.7"], ["forwarded", "for=192.0.2.7"], ["via", "1.1 proxy"], ["x-real-ip", "::1"]]
    .flatMap(([name = "", value = ""]): Case[] => {
      const headers = { host: "127.0.0.1:8090", [name]: value };
      return [
        { name: `a proxy of this machine, with ${name}`, options: LOCAL, headers, want: 403 },
        { name: `a proxy to a server for others, with ${name}`, options: INSECURE, headers, want: "anonymous" },
        {
          name: `a proxy and a token, with ${name}`,
          options: { ...GUARDED, isLocal: true },
          headers: { ...headers, authorization: "Bearer s3cret" },
          want: "alice",
        },
      ];
    }),
  {
    name: "another site's page, with a simple content type",
    options: LOCAL,
    method: "POST",
    headers: { host: "localhost:8090", origin: "https://evil.example", "content-type": "text/plain" },
    want: 403,
  },
  {
    name: "a page in a sandbox",
    options: LOCAL,
    method: "POST",
    headers: { host: "localhost:8090", origin: "null" },
    want: 403,
  },
  {
    name: "a page of another port of this machine",
    options: LOCAL,
    method: "DELETE",
    headers: { host: "localhost:8090", origin: "http://localhost:3000" },
    want: 403,
  },
  {
    name: "another site's form, of a browser that hides its origin",
    options: LOCAL,
    method: "POST",
    headers: { host: "localhost:8090", "sec-fetch-site": "cross-site" },
    want: 403,
  },
  {
    name: "another port's form, of a browser that hides its origin",
    options: LOCAL,
    method: "POST",
    headers: { host: "localhost:8090", "sec-fetch-site": "same-site" },
    want: 403,
  },
  {
    name: "another site's link",
    options: LOCAL,
    headers: { host: "localhost:8090", "sec-fetch-site": "cross-site" },
    want: "anonymous",
  },
  {
    name: "a form of a permitted origin's site, of a browser that hides its origin",
    options: PERMITTED,
    method: "PUT",
    headers: { host: "gw.localhost:8090", "sec-fetch-site": "same-site" },
    want: 403,
  },
  { name: "a callback", options: LOCAL, headers: { host: "localhost:8090", "x-gw-callback": "true" }, want: 403 },
  {
    name: "a callback that changes something, with a token",
    options: GUARDED,
    method: "DELETE",
    headers: { host: "gw.example", "x-gw-callback": "true", authorization: "Bearer s3cret" },
    want: 403,
  },
  {
    name: "a callback to /healthz",
    options: GUARDED,
    path: "/healthz",
    headers: { host: "gw.example", "x-gw-callback": "true" },
    want: 403,
  },
  {
    name: "a page of its own",
    options: LOCAL,
    method: "POST",
    headers: { host: "localhost:8090", origin: "http://localhost:8090" },
    want: "anonymous",
  },
  {
    name: "a page of a permitted origin",
    options: PERMITTED,
    method: "POST",
    headers: { host: "localhost:8090", origin: "https://console.example.com", "sec-fetch-site": "cross-site" },
    want: "anonymous",
  },
  {
    name: "a preflight of a permitted origin",
    options: PERMITTED,
    method: "OPTIONS",
    headers: {
      host: "localhost:8090",
      origin: "https://console.example.com",
      "access-control-request-method": "PUT",
    },
    want: 204,
  },
  {
    name: "a preflight of another origin",
    options: PERMITTED,
    method: "OPTIONS",
    headers: { host: "localhost:8090", origin: "https://evil.example", "access-control-request-method": "PUT" },
    want: 403,
  },
  { name: "no token", options: GUARDED, headers: { host: "gw.example" }, want: 401 },
  {
    name: "a token",
    options: GUARDED,
    headers: { host: "gw.example", authorization: "Bearer s3cret" },
    want: "alice",
  },
  {
    name: "a wrong token",
    options: GUARDED,
    headers: { host: "gw.example", authorization: "Bearer s3cre" },
    want: 401,
  },
  {
    name: "another scheme",
    options: GUARDED,
    headers: { host: "gw.example", authorization: "Basic s3cret" },
    want: 401,
  },
  {
    name: "another site's page with a token",
    options: GUARDED,
    headers: { host: "gw.example", origin: "https://evil.example", authorization: "Bearer s3cret" },
    want: 403,
  },
  {
    name: "/healthz without token",
    options: GUARDED,
    path: "/healthz",
    headers: { host: "gw.example" },
    want: "anonymous",
  },
  {
    name: "/readyz without token",
    options: GUARDED,
    path: "/readyz",
    headers: { host: "gw.example" },
    want: "anonymous",
  },
  { name: "/metrics without token", options: GUARDED, path: "/metrics", headers: { host: "gw.example" }, want: 401 },
  { name: "any name with --insecure", options: INSECURE, headers: { host: "gw.example" }, want: "anonymous" },
  {
    name: "another site's page with --insecure",
    options: INSECURE,
    method: "POST",
    headers: { host: "gw.example", origin: "https://evil.example" },
    want: 403,
  },
];

for (const { name, options, method = "GET", path = "/apis", headers, want } of CASES) {
  Deno.test(`createAccess() ${typeof want === "string" ? "lets in" : `answers ${want} to`}: ${name}`, async () => {
    const request = new Request(`http://localhost:8090${path}`, { method, headers });
    const access = await createAccess(options)(request);
    if (access.kind === "allowed") return assert.equal(access.user.name, want);
    assert.equal(access.response.status, want);
    assert.doesNotMatch(await access.response.text(), /s3cre/);
  });
}

Deno.test("createAccess() asks for a token as RFC 6750 has it", async () => {
  const access = await createAccess(GUARDED)(new Request("http://gw.example/apis"));
  assert.ok(access.kind === "answered");
  assert.equal(access.response.headers.get("www-authenticate"), 'Bearer realm="gw"');
});

Deno.test("createAccess() lets pages of permitted origins read the answers", async () => {
  const headers = { host: "localhost:8090", origin: "https://console.example.com" };
  const access = await createAccess(PERMITTED)(new Request("http://localhost:8090/apis", { headers }));
  assert.ok(access.kind === "allowed");
  assert.equal(
    new Headers([...access.headers.map(([n, v]): [string, string] => [n, v])]).get("access-control-allow-origin"),
    "https://console.example.com",
  );
});
