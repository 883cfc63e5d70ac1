import assert from "node:assert/strict";
import { createHostParser, hostOf, isLoopback } from "../../../../lib/http/url/host.ts";

const cases: { header: string; want: string | undefined }[] = [
  { header: "api.example.com", want: "api.example.com" },
  { header: "API.Example.com:8080", want: "api.example.com" },
  { header: "api.example.com:", want: "api.example.com" },
  { header: "api.example.com.", want: "api.example.com" },
  { header: "api.example.com.:80", want: "api.example.com" },
  { header: "under_score.example", want: "under_score.example" },
  { header: "127.0.0.1:65535", want: "127.0.0.1" },
  { header: "[::1]:80", want: "[::1]" },
  { header: "[::FFFF:127.0.0.1]", want: "[::ffff:127.0.0.1]" },
  { header: "%41.example", want: "%41.example" },
  { header: "", want: undefined },
  { header: ".", want: undefined },
  { header: "..", want: undefined },
  { header: "api..example.com", want: undefined },
  { header: ".example.com", want: undefined },
  { header: "api.example.com..", want: undefined },
  { header: "h/x", want: undefined },
  { header: "h?x", want: undefined },
  { header: "evil.example#.wild.example", want: undefined },
  { header: "h\\x", want: undefined },
  { header: "user@h", want: undefined },
  { header: "user:password@h", want: undefined },
  { header: "a b", want: undefined },
  { header: "a\tb", want: undefined },
  { header: "*.example.com", want: undefined },
  { header: "*", want: undefined },
  { header: "h:80:90", want: undefined },
  { header: "h:x", want: undefined },
  { header: "h:65536", want: undefined },
  { header: "h:-1", want: undefined },
  { header: "%4.example", want: undefined },
  { header: "<h>", want: undefined },
  { header: "[::1", want: undefined },
  { header: "::1", want: undefined },
  { header: "[zz]", want: undefined },
  { header: "[1:2]", want: undefined },
  { header: "[v1.x]", want: undefined },
  { header: `${"a".repeat(256)}`, want: undefined },
];

Deno.test("a parser with memory parses each host alike, also after another one, and twice", () => {
  const parse = createHostParser();
  const requests = cases.flatMap(({ header }) => {
    const headers = headersOf(header);
    return [
      { url: `http://${header === "" ? "localhost" : header}/pets`, headers },
      { url: "http://api.example.com/pets", headers },
      { url: `http://${header}/pets`, headers: headersOf("api.example.com") },
    ];
  });
  for (const request of requests) {
    for (const time of ["first", "second"]) {
      assert.equal(hostOf(request, parse), hostOf(request), `${request.url}, ${time} time`);
    }
  }
});

Deno.test("hostOf() takes well-formed hosts (RFC 3986, section 3.2) only", async (t) => {
  for (const { header, want } of cases) {
    await t.step(JSON.stringify(header.slice(0, 40)), () => {
      // The runtime builds the URL from the `Host` header. Only if the header is malformed do they differ.
      const url = `http://${header === "" ? "localhost" : header}/pets`;
      assert.equal(hostOf({ url, headers: headersOf(header) }), want);
    });
  }
});

Deno.test("hostOf() goes by the target before the header, and refuses either when it isn't well-formed", () => {
  assert.equal(hostOf({ url: "http://target.example/pets", headers: headersOf("h") }), "target.example");
  assert.equal(hostOf({ url: "HTTPS://target.example", headers: headersOf("h") }), "target.example");
  assert.equal(hostOf({ url: "http://target.example/pets", headers: headersOf("h/x") }), undefined);
  assert.equal(hostOf({ url: "http://user@target.example/pets", headers: headersOf("h") }), undefined);
  assert.equal(hostOf({ url: "ftp://target.example/pets", headers: headersOf("h") }), undefined);
  assert.equal(hostOf({ url: "http:/target.example/pets", headers: headersOf("h") }), undefined);
});

Deno.test("hostOf() goes by the target where there is no header, as in HTTP/2", () => {
  assert.equal(hostOf({ url: "https://h.example:443/pets", headers: new Headers() }), "h.example");
});

/** Headers with any `Host`. A server passes on some malformed values that the constructor of `Headers` refuses. */
function headersOf(host: string): Pick<Headers, "get"> {
  return { get: (name) => name === "host" ? host : null };
}

const HERE = [
  "http://localhost",
  "http://LOCALHOST.:9000/x",
  "https://app.localhost",
  "http://127.0.0.1",
  "http://127.1.2.3",
  "http://0x7f.1",
  "http://2130706433",
  "http://[::1]:80",
  "http://[0:0:0:0:0:0:0:1]",
  "http://[::ffff:127.0.0.1]",
];
const ELSEWHERE = [
  "http://example.com",
  "http://localhost.example.com",
  "http://notlocalhost",
  "http://127.0.0.1.example.com",
  "http://127.example.com",
  "http://128.0.0.1",
  "http://10.0.0.1",
  "http://169.254.169.254",
  "http://0.0.0.0",
  "http://[::2]",
  "http://[::ffff:7f:1]",
  "http://[::ffff:10.0.0.1]",
  "http://user@example.com@evil.example",
];

for (const [urls, want] of [[HERE, true], [ELSEWHERE, false]] as const) {
  for (const url of urls) {
    Deno.test(`isLoopback() ${want ? "knows" : "refuses"} ${url}`, () => {
      assert.equal(isLoopback(new URL(url)), want);
    });
  }
}
