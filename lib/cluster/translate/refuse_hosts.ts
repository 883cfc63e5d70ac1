/**
 * Diagnostics of a rendering, and those of the hosts, Services and URLs that a definition may name.
 *
 * @module
 */
import { readOutsideHost } from "./backends.ts";
import type { Mocks, RenderOptions } from "./rendering.ts";
import type { PlannedRoute } from "../../gateway/route.ts";
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";
import type { UpstreamHost, UpstreamService } from "../../openapi/extension/settings.ts";
import { atKey, error } from "../../openapi/lint/report.ts";
import { child, type Node } from "../../schema/node.ts";

/** Collects what is refused, each place once. */
export type Refuse = (node: Node | undefined, message: string) => void;

/** Collects the diagnostics of a rendering. */
export function createRefuse(): { refuse: Refuse; diagnostics: () => UnlocatedDiagnostic[] } {
  const diagnostics = new Map<string, UnlocatedDiagnostic>();
  return {
    refuse(node, message) {
      if (node === undefined) return;
      const place = `${node.source.uri}#${node.pointer} ${message}`;
      if (diagnostics.has(place)) return;
      // People look for the key; the items of a list have none.
      const diagnostic = error("not-in-cluster", message, node);
      diagnostics.set(place, /\/\d+$/.test(node.pointer) ? diagnostic : atKey(diagnostic));
    },
    diagnostics: () => [...diagnostics.values()],
  };
}

/** Where a route is to be. */
export interface RoutePlace extends Pick<RenderOptions, "profile" | "isNamespace"> {
  readonly mocks: Mocks;
  /** Of its API or static route. */
  readonly namespace: string;
}

/** Where a route is written. */
export function nodeOf({ operation, origins }: PlannedRoute): Node | undefined {
  return operation?.node ?? origins.public_api_path ?? origins.upstream ?? origins.upstreams;
}

/** Where one of the upstreams of a route is written. */
export function upstreamNode({ origins, settings }: PlannedRoute, index: number): Node | undefined {
  if (settings.upstreams !== undefined) return origins.upstreams && child(origins.upstreams, index);
  return origins.upstream;
}

/** The name of a Service or a namespace (RFC 1123, label). */
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** A host name as HTTPRoutes have it. */
export const HOSTNAME = /^(?:\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export const ADDRESS = /^[0-9.]+$|:/;

/** Refuses hosts that no route can have. */
export function refuseHosts(hosts: readonly string[], node: Node | undefined, refuse: Refuse): void {
  for (const host of hosts) {
    if (host === "*" || (HOSTNAME.test(host) && !ADDRESS.test(host))) continue;
    refuse(node, `The host \`${host}\` can't be that of a route in a cluster: it has to be a DNS name.`);
  }
}

export function refuseService(
  service: UpstreamService | undefined,
  node: Node | undefined,
  { mocks, namespace: own }: RoutePlace,
  refuse: Refuse,
): void {
  if (service === undefined) return;
  const { name, namespace = own } = service;
  if (name === mocks.name && namespace === mocks.namespace) {
    // Routes of all namespaces may lead there, and it answers for whichever API a header names.
    refuse(node, `The Service \`${name}\` in \`${namespace}\` is gw's own; use \`mocking\` to have it answer.`);
  }
  for (const field of ["name", "namespace"] as const) {
    const name = service[field];
    if (name === undefined || LABEL.test(name)) continue;
    refuse(node && child(node, field), `\`${name}\` can't be the ${field} of a Service: use a-z, 0-9 and hyphens.`);
  }
}

export function refuseOutside(
  host: UpstreamHost | undefined,
  node: Node | undefined,
  { isNamespace }: RoutePlace,
  refuse: Refuse,
): void {
  if (host === undefined) return;
  const outside = readOutsideHost(host.hostname, isNamespace);
  if (outside.kind !== "refused") return;
  refuse(node && child(node, "hostname"), `The host \`${host.hostname}\` is refused in a cluster: ${outside.reason}.`);
}

export function refuseUrl(
  written: string,
  what: string,
  node: Node | undefined,
  { isNamespace }: RoutePlace,
  refuse: Refuse,
): void {
  const url = URL.parse(written);
  const outside = readOutsideHost(url?.hostname ?? "", isNamespace);
  if (outside.kind === "refused") refuse(node, `The host of ${what} is refused in a cluster: ${outside.reason}.`);
}
