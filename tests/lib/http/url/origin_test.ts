import assert from "node:assert/strict";
import { createOriginTest, isFromForeignPage, type OriginTest } from "../../../../lib/http/url/origin.ts";

/** The servers that ask: those that permit no other origin, some origins, and those of this machine as well. */
const PERMITTED: Readonly<Record<"none" | "listed" | "machine", OriginTest>> = {
  none: () => false,
  listed: (origin) => origin === "https://app.example.com",
  machine: createOriginTest(["https://app.example.com"]),
};

/** Headers of a request for `localhost:8080`, and for which servers the request is foreign. */
const CASES: readonly {
  name: string;
  headers: Readonly<Record<string, string>>;
  foreign: readonly (keyof typeof PERMITTED)[];
}[] = [
  { name: "a program", headers: {}, foreign: [] },
  { name: "an address that the user types", headers: { "sec-fetch-site": "none" }, foreign: [] },
  { name: "its own page", headers: { origin: "http://localhost:8080" }, foreign: [] },
  { name: "its own page, by GET", headers: { "sec-fetch-site": "same-origin" }, foreign: [] },
  { name: "its own page behind a proxy that ends TLS", headers: { origin: "https://localhost:8080" }, foreign: [] },
  {
    name: "its own page at a default port",
    headers: { host: "a.example:80", origin: "http://a.example" },
    foreign: [],
  },
  {
    name: "its own page, a host in upper case",
    headers: { host: "LOCALHOST:8080", origin: "http://localhost:8080" },
    foreign: [],
  },
  { name: "another port of this machine", headers: { origin: "http://localhost:3000" }, foreign: ["none", "listed"] },
  { name: "another name of this machine", headers: { origin: "http://127.0.0.1:8080" }, foreign: ["none", "listed"] },
  {
    name: "another port of this machine, by GET",
    headers: { "sec-fetch-site": "same-site" },
    foreign: ["none", "listed"],
  },
  {
    name: "another host of the same site, by GET",
    headers: { host: "gw.example.com", "sec-fetch-site": "same-site" },
    foreign: ["none", "listed", "machine"],
  },
  { name: "a permitted page", headers: { origin: "https://app.example.com" }, foreign: ["none"] },
  {
    name: "a permitted page of another site",
    headers: { origin: "https://app.example.com", "sec-fetch-site": "cross-site" },
    foreign: ["none"],
  },
  { name: "another site", headers: { origin: "https://evil.example" }, foreign: ["none", "listed", "machine"] },
  { name: "another site, by GET", headers: { "sec-fetch-site": "cross-site" }, foreign: ["none", "listed", "machine"] },
  { name: "a sandbox, or a file", headers: { origin: "null" }, foreign: ["none", "listed", "machine"] },
  { name: "no origin", headers: { origin: "" }, foreign: ["none", "listed", "machine"] },
  {
    name: "its own origin beside another",
    headers: { origin: "http://localhost:8080, https://evil.example" },
    foreign: ["none", "listed", "machine"],
  },
  {
    name: "its own origin, from another site",
    headers: { origin: "http://localhost:8080", "sec-fetch-site": "cross-site" },
    foreign: ["none", "listed", "machine"],
  },
  { name: "an unknown relation", headers: { "sec-fetch-site": "near" }, foreign: ["none", "listed", "machine"] },
  {
    name: "a name that begins like this machine",
    headers: { origin: "http://localhost.evil.example" },
    foreign: ["none", "listed", "machine"],
  },
  {
    name: "a name that ends like this machine",
    headers: { origin: "http://gw.localhost:3000" },
    foreign: ["none", "listed"],
  },
  {
    name: "another scheme",
    headers: { origin: "ftp://localhost:8080" },
    foreign: ["none", "listed", "machine"],
  },
];

Deno.test("isFromForeignPage() tells pages of other origins by Origin and Sec-Fetch-Site", () => {
  for (const { name, headers, foreign } of CASES) {
    const all = { host: "localhost:8080", ...headers };
    for (const [server, permits] of Object.entries(PERMITTED)) {
      const request = { url: `http://${all.host}/pets`, headers: new Headers(all) };
      const want = foreign.some((one) => one === server);
      assert.equal(isFromForeignPage(request, permits), want, `${name}, a server that permits ${server}`);
    }
  }
});

Deno.test("isFromForeignPage() takes the host of HTTP/2 from the URL", () => {
  const request = { url: "https://localhost:8080/", headers: new Headers({ origin: "https://localhost:8080" }) };
  assert.equal(isFromForeignPage(request), false);
  assert.equal(isFromForeignPage({ ...request, url: "https://localhost:8081/" }), true);
});
