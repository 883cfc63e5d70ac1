import assert from "node:assert/strict";
import { type HostKind, hostKind } from "../../../../lib/http/url/address.ts";

const WANT: Readonly<Record<HostKind, readonly string[]>> = {
  "loopback": ["127.0.0.1", "127.1", "0x7f000001", "2130706433", "localhost", "a.localhost.", "[::1]"],
  "link-local": [
    "169.254.169.254",
    "169.254.169.254.",
    "2852039166",
    "0xa9fea9fe",
    "0xa9.254.0251.0376",
    "0251.0376.0251.0376",
    "169.16689662",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[::169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::a9fe:a9fe]",
    "[64:ff9b:1:abc::169.254.0.0]",
    "[::ffff:0:169.254.1.1]",
    "[2002:a9fe:a9fe::1]",
    "[fe80::1]",
    "[febf::1]",
    "①⑥⑨.②⑤④.169.254",
  ],
  "metadata": ["metadata.google.internal", "100.100.100.200", "168.63.129.16", "[fd00:ec2::254]", "METADATA.goog."],
  "unspecified": ["0.0.0.0", "0", "[::]"],
  "multicast": ["224.0.0.1", "255.255.255.255", "[ff02::1]"],
  "address": ["10.0.0.1", "169.253.0.1", "192.168.1.1", "[fec0::1]", "[2001:db8::1]"],
  "name": ["example.com", "localhost.example.com", "intranet", "169.254.169.254.example.com"],
};

for (const [kind, hosts] of Object.entries(WANT)) {
  Deno.test(`hostKind() knows hosts of the kind ${kind}`, () => {
    for (const host of hosts) assert.equal(hostKind(new URL(`http://${host}/`).hostname), kind, host);
  });
}

Deno.test("hostKind() takes 127.0.0.0/8 inside other IPv6 addresses for loopback", () => {
  for (const host of ["[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]"]) {
    assert.equal(hostKind(new URL(`http://${host}/`).hostname), "loopback", host);
  }
});
