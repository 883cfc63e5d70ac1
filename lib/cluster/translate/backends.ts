/**
 * The backends of rules: Services, and hosts outside the cluster. Hosts are refused that only the proxies can reach,
 * such as addresses of the node, and hosts that would bypass ReferenceGrants between namespaces. Otherwise the author
 * of a definition, who doesn't administer the cluster, would gain access to them.
 *
 * @module
 */
import { type HostKind, hostKind } from "../../http/url/address.ts";
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
    : namedEndpoint(outside.kind === "name" ? outside.name : hostname, port);
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

/** The most characters of a DNS name (RFC 1035, section 3.1), without a dot at its end. */
const LONGEST_NAME = 253;

/**
 * Makes the endpoint for a DNS name. The final dot makes the name absolute: the resolvers of pods complete names without
 * it by the search domains of the cluster, so that `secrets.vault` would be the Service `secrets` as soon as there is a
 * namespace `vault`. `hostname`, without the dot, is for the header `Host`. A name of the greatest length needs no dot:
 * no search domain fits behind it.
 */
function namedEndpoint(name: string, port: number): unknown {
  const absolute = name.length < LONGEST_NAME ? `${name}.` : name;
  return { hostname: name, fqdn: { hostname: absolute, port } };
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

/** The reasons for which no upstream may be a host of these kinds. */
const REFUSED_KINDS: Readonly<Partial<Record<HostKind, string>>> = {
  "loopback": "it is a loopback address: it means the proxy itself",
  "link-local": "it is a link-local address: it means the node that the proxy runs on",
  "metadata": "it means the cloud that the node runs in, which tells it secrets",
  "unspecified": "nothing can be reached there",
  "multicast": "nothing can be reached there",
};

/**
 * Reads the host of an upstream, in any notation. Refuses a host inside the cluster or on the node.
 *
 * @param isNamespace Tells whether the cluster has a namespace: with a namespace `shop`, `todo.shop` may mean its Service
 * `todo`.
 */
export function readOutsideHost(hostname: string, isNamespace: IsNamespace = () => false): OutsideHost {
  const written = hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname;
  // The URL parser reads an IPv4 address in all notations that resolvers read, such as `127.1` and `0x7f000001`.
  const host = URL.parse(`http://${written}/`)?.hostname.replace(/\.$/, "");
  if (host === undefined || host === "") return refused("it is no host name");
  if (/(?:^|\.)localhost(?:\.localdomain)?$/.test(host)) return refused("it means the proxy itself");
  const kind = hostKind(host);
  const reason = REFUSED_KINDS[kind];
  if (reason !== undefined) return refused(reason);
  if (kind === "address") return { kind: "address", address: host.replace(/^\[|\]$/g, "") };
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

function refused(reason: string): OutsideHost {
  return { kind: "refused", reason };
}
