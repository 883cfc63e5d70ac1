/**
 * The backends of rules: Services, and hosts outside the cluster. Hosts are refused that only the proxies can reach,
 * such as addresses of the node, and hosts that would bypass ReferenceGrants between namespaces. Otherwise the author
 * of a definition, who doesn't administer the cluster, would gain access to them.
 *
 * @module
 */
import type { KubernetesObject } from "../object.ts";
import { type BackendRef, ENVOY_API, ENVOY_GROUP } from "./gateway_api.ts";
import { type IsNamespace, makeObject, type RenderContext } from "./rendering.ts";
import { shortHash } from "../../gateway/hash.ts";
import type { CustomAuth, Upstream } from "../../openapi/extension/settings.ts";

/**
 * A `backendRef` with the Backend object that it refers to, if it isn't a Service. `name` becomes a part of the rule's
 * name.
 */
export interface NamedBackend {
  name: string;
  ref: BackendRef;
  needs: KubernetesObject[];
}

/** Makes the backend for an upstream or an authorization server. */
export function backendOf(
  { service, host }: Pick<Upstream, "service" | "host"> | Pick<CustomAuth, "service" | "host">,
  context: Pick<RenderContext, "plan" | "owner">,
): NamedBackend {
  const { name, namespace } = context.plan;
  if (service !== undefined) {
    const { port = 80 } = service;
    const isOwn = service.namespace === undefined || service.namespace === namespace;
    const ref = { name: service.name, ...(isOwn ? {} : { namespace: service.namespace ?? namespace }), port };
    const suffix = isOwn ? "" : `-${shortHash(service.namespace)}`;
    return { name: `${service.name}-${port}${suffix}`, ref, needs: [] };
  }
  const { hostname = "", tls = false } = host ?? {};
  const port = host?.port ?? (tls ? 443 : 80);
  const outside = readOutsideHost(hostname);
  const endpoint = outside.kind === "address"
    ? { ip: { address: outside.address, port } }
    : { fqdn: { hostname: outside.kind === "name" ? outside.name : hostname, port } };
  const sni = outside.kind === "name" ? { sni: outside.name } : {};
  const spec = {
    endpoints: [endpoint],
    ...(tls ? { tls: { wellKnownCACertificates: "System", ...sni } } : {}),
  };
  const draft = { apiVersion: ENVOY_API, kind: "Backend", name: `${name}.host-${shortHash(spec)}`, spec };
  const backend = makeObject(context, draft);
  const ref = { group: ENVOY_GROUP, kind: "Backend", name: backend.metadata.name };
  return { name: `${slugOf(hostname)}-${port}`, ref, needs: [backend] };
}

/** Returns a hostname with `-` for all other characters than letters and digits, for the name of a rule. */
function slugOf(hostname: string): string {
  return hostname.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 100);
}

/** The host of an upstream outside the cluster, or the reason why it is refused. */
export type OutsideHost =
  | { kind: "name"; name: string }
  | { kind: "address"; address: string }
  | { kind: "refused"; reason: string };

/** The reason in messages for refusing the metadata server of a cloud. */
const METADATA_SERVER = "it means the cloud that the node runs in, which tells it secrets";

/**
 * The names and addresses of the metadata servers of clouds. No upstream may be one of them, because they give secrets
 * to every client on a node. 169.254.169.254 is missing, because all link-local addresses are refused.
 */
const CLOUD_NAMES: ReadonlySet<string> = new Set(["metadata.google.internal", "metadata.goog"]);
const CLOUD_ADDRESSES: ReadonlySet<string> = new Set([
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd20:ce::254",
]);

/**
 * Reads the host of an upstream, in any notation. Refuses a host inside the cluster or on the node.
 *
 * @param isNamespace Tells whether the cluster has a namespace. Resolvers of pods complete short names: with a
 * namespace
 * `shop`, `todo.shop` is its Service `todo`.
 */
export function readOutsideHost(hostname: string, isNamespace: IsNamespace = () => false): OutsideHost {
  const written = hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname;
  // The URL parser reads an IPv4 address in all notations that resolvers read, such as `127.1` and `0x7f000001`.
  const host = URL.parse(`http://${written}/`)?.hostname.replace(/\.$/, "");
  if (host === undefined || host === "") return refused("it is no host name");
  if (host.startsWith("[")) return readIpv6(host.slice(1, -1));
  if (/^\d+(?:\.\d+){3}$/.test(host)) return readIpv4(host);
  if (/(?:^|\.)localhost(?:\.localdomain)?$/.test(host)) return refused("it means the proxy itself");
  if (CLOUD_NAMES.has(host)) return refused(METADATA_SERVER);
  if (!host.includes(".")) return refused("a name without a dot can't be found; write it in full");
  if (/\.(?:svc|pod)$|\.svc\.|\.cluster\.local$/.test(host)) {
    return refused("it is a Service of the cluster: name it by `service`, so that grants between namespaces hold");
  }
  const labels = host.split(".");
  const last = labels.at(-1) ?? "";
  // A short name can be SERVICE.NAMESPACE or POD.SERVICE.NAMESPACE.
  if (labels.length <= 3 && isNamespace(last)) {
    return refused(
      `it may be a Service of the namespace \`${last}\`: name that by \`service\`, so that grants between namespaces hold`,
    );
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
    : CLOUD_ADDRESSES.has(address)
    ? METADATA_SERVER
    : first === 0 || first >= 224
    ? "nothing can be reached there"
    : undefined;
  return reason === undefined ? { kind: "address", address } : refused(reason);
}

function readIpv6(address: string): OutsideHost {
  // Matches an IPv4 address inside IPv6: mapped, compatible, or translated (RFC 6052).
  const mapped = /^(?:64:ff9b)?::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (mapped !== null) {
    const [high, low] = mapped.slice(1).map((part) => parseInt(part, 16));
    const inner = readIpv4([high, low].flatMap((part = 0) => [part >> 8, part & 255]).join("."));
    return inner.kind === "refused" ? inner : { kind: "address", address };
  }
  if (address === "::1") return refused("it is a loopback address: it means the proxy itself");
  if (/^fe[89ab]/.test(address)) return refused("it is a link-local address: it means the node that the proxy runs on");
  if (CLOUD_ADDRESSES.has(address)) return refused(METADATA_SERVER);
  if (address === "::" || address.startsWith("ff")) return refused("nothing can be reached there");
  return { kind: "address", address };
}

function refused(reason: string): OutsideHost {
  return { kind: "refused", reason };
}
