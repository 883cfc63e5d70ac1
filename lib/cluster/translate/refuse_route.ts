/**
 * Refuses routes with settings that a gateway of a cluster can't express.
 *
 * @module
 */
import { CORS_ORIGIN } from "./filters.ts";
import { MATCHED_METHODS, ROUTE_LIMITS } from "./gateway_api.ts";
import { unreachableReason } from "./path_match.ts";
import { patternOf } from "./path_pattern.ts";
import { nodeOf, type RefuseSetting, upstreamNode } from "./refuse.ts";
import { refuseAuth } from "./refuse_auth.ts";
import { refuseConditions } from "./refuse_conditions.ts";
import { HOSTNAME, refuseOutside, refuseService } from "./refuse_hosts.ts";
import { refuseUnportable } from "./refuse_portable.ts";
import type { RenderContext } from "./rendering.ts";
import { type PlannedRoute, showPath } from "../../gateway/route.ts";
import { readRewrite } from "../../openapi/extension/rewrite_pattern.ts";
import { child } from "../../schema/json/node.ts";

/** The most items in a list of a CORS filter (Gateway API). */
const MAX_CORS_ENTRIES = 64;

/** The maximum length of a redirect's path in characters (`HTTPPathModifier`). */
const MOST_REDIRECT_PATH = 1024;

/**
 * Refuses the settings of a route that a gateway of a cluster can't express.
 *
 * @returns Whether there are any: then the route gets no rule.
 */
export function refuseRoute(route: PlannedRoute, context: RenderContext, refuseAt: RefuseSetting): boolean {
  let isRefused = false;
  const refuse: RefuseSetting = (node, message) => {
    isRefused = true;
    refuseAt(node ?? nodeOf(route), message);
  };
  // The settings of a disabled operation have no effect, so they are not refused.
  if (route.action.kind === "disabled") return false;
  refusePath(route, refuse);
  refuseConditions(route, context, refuse);
  refuseUpstreams(route, context, refuse);
  refuseRedirect(route, refuse);
  refuseCors(route, refuse);
  refuseAuth(route, context, refuse);
  if (context.profile === "portable") refuseUnportable(route, refuse);
  return isRefused;
}

function refusePath(route: PlannedRoute, refuse: RefuseSetting): void {
  const reason = unreachableReason(patternOf(route.path));
  if (reason !== undefined) {
    refuse(nodeOf(route), `No rule of a gateway can match the path \`${showPath(route.path)}\`: ${reason}.`);
  }
  if (route.method !== "*" && !MATCHED_METHODS.has(route.method)) {
    refuse(
      nodeOf(route),
      `No rule of a gateway can match the method ${route.method}: the Gateway API has no such method.`,
    );
  }
}

function refuseUpstreams(route: PlannedRoute, context: RenderContext, refuse: RefuseSetting): void {
  const { action } = route;
  if (action.kind !== "upstream") return;
  const { upstreams } = action;
  for (const [index, { service, host, rewrite }] of upstreams.entries()) {
    const node = upstreamNode(route, index);
    refuseService(service, node && child(node, "service"), context, refuse);
    refuseOutside(host, node && child(node, "host"), context, refuse);
    if (rewrite === undefined) continue;
    const result = readRewrite(rewrite);
    if (result.kind === "unsupported") {
      const message = `Envoy can't do this rewrite: ${result.reason}.`;
      refuse(node && child(node, "rewrite"), message);
    }
  }
  const [first, ...others] = upstreams.map(({ rewrite }) => JSON.stringify(rewrite));
  if (others.some((other) => other !== first)) {
    const message = "Upstreams with weights must have the same `rewrite`: a rule has only one.";
    refuse(route.origins.upstreams, message);
  }
  const hosts = upstreams.map(({ service, host_header: header }) =>
    header === "upstream" && service !== undefined ? `${service.name}.${service.namespace}` : header
  );
  if (new Set(hosts).size > 1) {
    const message = "Upstreams with weights must get the same Host: set one `host_header` for all of them.";
    refuse(route.origins.upstreams, message);
  }
  if (upstreams.length > ROUTE_LIMITS.backends) {
    refuse(
      route.origins.upstreams,
      `A rule has at most ${ROUTE_LIMITS.backends} backends; here are ${upstreams.length} upstreams.`,
    );
  }
}

function refuseRedirect({ action, origins }: PlannedRoute, refuse: RefuseSetting): void {
  if (action.kind !== "redirect") return;
  const { host, path } = action.redirect;
  const node = origins.redirect;
  const name = host?.toLowerCase().replace(/\.$/, "");
  if (name !== undefined && (!HOSTNAME.test(name) || name.startsWith("*"))) {
    refuse(
      node && child(node, "host"),
      `\`${host}\` can't be the host of a redirect in a cluster: it has to be a DNS name.`,
    );
  }
  if (path !== undefined && path.length > MOST_REDIRECT_PATH) {
    refuse(node && child(node, "path"), `The path of a redirect has at most ${MOST_REDIRECT_PATH} characters.`);
  }
}

function refuseCors({ settings: { cors }, origins: { cors: node } }: PlannedRoute, refuse: RefuseSetting): void {
  if (cors === undefined) return;
  for (const [index, origin] of (cors.origins ?? []).entries()) {
    if (CORS_ORIGIN.test(origin)) continue;
    const message = `The origin \`${origin}\` can't be allowed in a cluster: only \`*\`, \`https://name\` and ` +
      "`http://name`, which may begin with `*.`, can.";
    refuse(node && child(child(node, "origins"), index), message);
  }
  for (const method of cors.methods ?? []) {
    if (method === "*" || MATCHED_METHODS.has(method)) continue;
    refuse(node && child(node, "methods"), `The method ${method} can't be allowed in a cluster.`);
  }
  for (const list of ["origins", "headers", "expose_headers"] as const) {
    if ((cors[list]?.length ?? 0) > MAX_CORS_ENTRIES) {
      refuse(node && child(node, list), `\`${list}\` has at most ${MAX_CORS_ENTRIES} entries in a cluster.`);
    }
  }
}
