/**
 * What a host means: this machine, its network link, the cloud around it, or another machine.
 *
 * @module
 * @see {@link https://www.iana.org/assignments/iana-ipv4-special-registry IANA IPv4 Special-Purpose Address Registry}
 */
import { isLoopback } from "./host.ts";

/**
 * - `name`: a host name. Only the DNS knows its addresses.
 * - `address`: an address of another machine.
 * - `loopback`: this machine. Beside the hosts of {@linkcode isLoopback}, 127.0.0.0/8 inside any IPv6 address: no router
 *   should pass these on, so they are refused with the others, but not trusted.
 * - `unspecified`: 0.0.0.0/8 and ::. A connection to 0.0.0.0 or :: reaches this machine.
 * - `link-local`: 169.254.0.0/16 and fe80::/10 (RFC 3927, RFC 4291): this machine's network link. The metadata servers
 *   of most clouds are there.
 * - `metadata`: a metadata server of a cloud, which gives secrets to every client in it.
 * - `multicast`: 224.0.0.0/4 and above, and ff00::/8.
 */
export type HostKind = "name" | "address" | "loopback" | "unspecified" | "link-local" | "metadata" | "multicast";

/** The metadata servers of clouds. 169.254.169.254 is missing, because it is a link-local address. */
const METADATA: ReadonlySet<string> = new Set([
  "metadata.google.internal",
  "metadata.goog",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd20:ce::254",
]);

/**
 * IPv4 addresses inside IPv6 ones: compatible, mapped (RFC 4291), and translated by `64:ff9b::/96` (RFC 6052), by
 * `64:ff9b:1::/48` (RFC 8215), whose networks mostly keep the address in the last 32 bits too, or by `::ffff:0:0:0/96`
 * (RFC 2765).
 */
const EMBEDDED = /^(?:(?:64:ff9b)?::(?:ffff:)?(?:0:)?|64:ff9b:1:[0-9a-f:]*:)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
/** IPv4 addresses of routers inside IPv6 ones: 6to4 (RFC 3056). */
const SIX_TO_FOUR = /^2002:([0-9a-f]{1,4}):([0-9a-f]{1,4}):/;

/**
 * Tells what a host means. A name isn't looked up in the DNS.
 *
 * @param hostname The `hostname` of a `URL`, which has already normalised the notations of an IPv4 address: `0x7f.1` is
 * `127.0.0.1`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(hostKind(new URL("http://2852039166/").hostname), "link-local");
 * assert.equal(hostKind("[::ffff:7f00:1]"), "loopback");
 * assert.equal(hostKind("localhost.example.com"), "name");
 * ```
 */
export function hostKind(hostname: string): HostKind {
  if (isLoopback({ hostname })) return "loopback";
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (host.startsWith("[")) return kindOfIpv6(host.slice(1, -1));
  if (/^\d+(?:\.\d+){3}$/.test(host)) return kindOfIpv4(host);
  return METADATA.has(host) ? "metadata" : "name";
}

function kindOfIpv4(address: string): HostKind {
  const [first = 0, second = 0] = address.split(".").map(Number);
  if (first === 127) return "loopback";
  if (first === 169 && second === 254) return "link-local";
  if (METADATA.has(address)) return "metadata";
  if (first === 0) return "unspecified";
  return first >= 224 ? "multicast" : "address";
}

function kindOfIpv6(address: string): HostKind {
  if (address === "::") return "unspecified";
  const [, high, low] = EMBEDDED.exec(address) ?? SIX_TO_FOUR.exec(address) ?? [];
  if (high !== undefined && low !== undefined) {
    const inner = [high, low].map((part) => parseInt(part, 16)).flatMap((part) => [part >> 8, part & 255]);
    return kindOfIpv4(inner.join("."));
  }
  if (/^fe[89ab]/.test(address)) return "link-local";
  if (METADATA.has(address)) return "metadata";
  return address.startsWith("ff") ? "multicast" : "address";
}
