/**
 * Refuses hosts, Services and URLs that no route in a cluster can have, or that the author of a definition has no right
 * to name.
 *
 * @module
 */
import { readOutsideHost } from "./backends.ts";
import type { RefuseSetting } from "./refuse.ts";
import type { RenderContext } from "./rendering.ts";
import { EXTENSION } from "../../openapi/extension/extension.ts";
import type { UpstreamHost, UpstreamService } from "../../openapi/extension/settings.ts";
import type { RoutePlan } from "../../gateway/route.ts";
import { child, type Node } from "../../schema/json/node.ts";

/** Matches the name of a Service or a namespace (RFC 1123, label). */
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Matches a hostname of the Gateway API (`Hostname`): a DNS name, whose first label may be `*`. */
export const HOSTNAME = /^(?:\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Matches an IP address, or a text that a parser of addresses may take for one. */
export const ADDRESS = /^[0-9.]+$|:/;

/** Refuses the hosts of a plan that aren't hostnames of the Gateway API. */
export function refuseHosts({ hosts, document }: RoutePlan, refuse: RefuseSetting): void {
  const node = child(child(document.root, EXTENSION), "hosts");
  for (const host of hosts) {
    if (host === "*" || (HOSTNAME.test(host) && !ADDRESS.test(host))) continue;
    refuse(node, `The host \`${host}\` can't be that of a route in a cluster: it has to be a DNS name.`);
  }
}

/** Refuses a Service with an impossible name, and the Services of gw. */
export function refuseService(
  service: UpstreamService | undefined,
  node: Node | undefined,
  { plan, mocks }: RenderContext,
  refuse: RefuseSetting,
): void {
  if (service === undefined) return;
  const { name, namespace = plan.namespace } = service;
  if (name === mocks.name && namespace === mocks.namespace) {
    // The ReferenceGrants for the Service of the mocks would admit such a route, and the mocks trust the header that
    // names the API. A definition could thus ask them for any API.
    refuse(node, `The Service \`${name}\` in \`${namespace}\` is gw's own; use \`mocking\` to have it answer.`);
  }
  for (const field of ["name", "namespace"] as const) {
    const name = service[field];
    if (name === undefined || LABEL.test(name)) continue;
    refuse(node && child(node, field), `\`${name}\` can't be the ${field} of a Service: use a-z, 0-9 and hyphens.`);
  }
}

/** Refuses an upstream host inside the cluster or on the node. */
export function refuseOutside(
  host: UpstreamHost | undefined,
  node: Node | undefined,
  { isNamespace }: RenderContext,
  refuse: RefuseSetting,
): void {
  if (host === undefined) return;
  const outside = readOutsideHost(host.hostname, isNamespace);
  if (outside.kind !== "refused") return;
  refuse(node && child(node, "hostname"), `The host \`${host.hostname}\` is refused in a cluster: ${outside.reason}.`);
}

/**
 * Refuses a URL whose host is inside the cluster or on the node.
 *
 * @param subject The setting with the URL, for the message.
 */
export function refuseUrl(
  url: string,
  subject: string,
  node: Node | undefined,
  { isNamespace }: RenderContext,
  refuse: RefuseSetting,
): void {
  const outside = readOutsideHost(URL.parse(url)?.hostname ?? "", isNamespace);
  if (outside.kind === "refused") refuse(node, `The host of ${subject} is refused in a cluster: ${outside.reason}.`);
}
