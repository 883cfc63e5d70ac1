/**
 * Hosts that a definition may send the requests of a cluster to. Whoever writes an API doesn't administer the cluster: what
 * only the proxies themselves can reach, and what grants between namespaces protect, is not theirs to name.
 *
 * @module
 */

/** A host outside the cluster. */
export type OutsideHost =
  | { kind: "name"; name: string }
  | { kind: "address"; address: string }
  | { kind: "refused"; reason: string };

/** Reads the host of an upstream. */
export function readOutsideHost(hostname: string): OutsideHost {
  const written = hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname;
  // A parser of URLs understands addresses in all their forms, as resolvers do: `127.1`, `0x7f000001`.
  const host = URL.parse(`http://${written}/`)?.hostname.replace(/\.$/, "");
  if (host === undefined || host === "") return refused("it is no host name");
  if (host.startsWith("[")) return readIpv6(host.slice(1, -1));
  if (/^\d+(?:\.\d+){3}$/.test(host)) return readIpv4(host);
  if (host === "localhost" || host.endsWith(".localhost")) return refused("it means the proxy itself");
  if (!host.includes(".")) return refused("a name without a dot can't be found; write it in full");
  if (/(?:^|\.)svc$|\.svc\.|\.cluster\.local$/.test(host)) {
    return refused("it is a Service of the cluster: name it by `service`, so that grants between namespaces hold");
  }
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(host)) {
    return refused("a host name has letters, digits, hyphens and dots only");
  }
  return { kind: "name", name: host };
}

function readIpv4(address: string): OutsideHost {
  const [first = 0, second = 0] = address.split(".").map(Number);
  const reason = first === 127
    ? "it is a loopback address: it means the proxy itself"
    : first === 169 && second === 254
    ? "it is a link-local address: it means the node that the proxy runs on"
    : first === 0 || first >= 224
    ? "nothing can be reached there"
    : undefined;
  return reason === undefined ? { kind: "address", address } : refused(reason);
}

function readIpv6(address: string): OutsideHost {
  const mapped = /^::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (mapped !== null) {
    const [high, low] = mapped.slice(1).map((part) => parseInt(part, 16));
    const inner = readIpv4([high, low].flatMap((part = 0) => [part >> 8, part & 255]).join("."));
    return inner.kind === "refused" ? inner : { kind: "address", address };
  }
  if (address === "::1") return refused("it is a loopback address: it means the proxy itself");
  if (/^fe[89ab]/.test(address)) return refused("it is a link-local address: it means the node that the proxy runs on");
  if (address === "::" || address.startsWith("ff")) return refused("nothing can be reached there");
  return { kind: "address", address };
}

function refused(reason: string): OutsideHost {
  return { kind: "refused", reason };
}
