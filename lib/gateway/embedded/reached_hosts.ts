/**
 * Tells what plans reach, and which hosts their definitions name.
 *
 * @module
 */
import { type PlannedRoute, type RoutePlan, upstreamsOf } from "../route.ts";
import type { GatewayPlatform } from "./platform.ts";
import { originOf } from "./upstream.ts";

/** Whether another server makes answers of the plans: an upstream, or the server of `auth.custom`. */
export function reachesUpstream(plans: readonly RoutePlan[]): boolean {
  return plans.some(({ routes }) => routes.some(asksUpstream));
}

function asksUpstream({ action, settings }: PlannedRoute): boolean {
  return action.kind === "upstream" || action.kind !== "disabled" && settings.auth?.custom !== undefined;
}

/**
 * Lists the hosts of plans (`x-svc.hosts`) and of their upstreams, in lower case. Wildcards that name no domain are left
 * out: anyone can have a host name that `*` or `*.com` matches.
 */
export function namedHosts(
  plans: readonly RoutePlan[],
  platform: Pick<GatewayPlatform, "resolveService">,
): string[] {
  const bases = new Set<string>();
  for (const { namespace, routes } of plans) {
    for (const { settings } of routes) {
      for (const upstream of upstreamsOf(settings)) {
        const origin = originOf(upstream, namespace, platform);
        if (origin.kind === "known") bases.add(origin.base);
      }
    }
  }
  const upstreams = [...bases].flatMap((base) => URL.parse(base)?.hostname ?? []);
  return [...plans.flatMap(({ hosts }) => hosts.filter(namesDomain)), ...upstreams];
}

/** Whether a pattern is a host, or a wildcard with a domain of at least two labels. */
function namesDomain(pattern: string): boolean {
  return !pattern.startsWith("*") || /^\*\.[^.]+\.[^.]/.test(pattern);
}
