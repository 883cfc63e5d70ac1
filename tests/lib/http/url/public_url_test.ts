import assert from "node:assert/strict";
import { publicUrl } from "../../../../lib/http/url/public_url.ts";

const CASES: readonly { proto?: string; host?: string; want: string }[] = [
  { want: "http://10.0.0.7:8080/a?b=1" },
  { proto: "https", want: "https://10.0.0.7:8080/a?b=1" },
  { proto: "HTTPS", host: "api.example", want: "https://api.example/a?b=1" },
  { proto: "http, https", host: "forged.example, api.example:8443", want: "https://api.example:8443/a?b=1" },
  { host: "[2001:db8::1]:81", want: "http://[2001:db8::1]:81/a?b=1" },
  { proto: "javascript", want: "http://10.0.0.7:8080/a?b=1" },
  { proto: "https,", host: "api.example,", want: "http://10.0.0.7:8080/a?b=1" },
  ...["a/b", "u@a", "a b", "a#", "a:99999", ""].map((host) => ({ host, want: "http://10.0.0.7:8080/a?b=1" })),
];

Deno.test("publicUrl() has scheme and host as the last proxy tells them, if they are well-formed", () => {
  for (const { proto, host, want } of CASES) {
    const headers = new Headers();
    if (proto !== undefined) headers.set("x-forwarded-proto", proto);
    if (host !== undefined) headers.set("x-forwarded-host", host);
    assert.equal(publicUrl({ url: "http://10.0.0.7:8080/a?b=1", headers }), want, `${proto} ${host}`);
  }
});
