/**
 * What a definition wants and a gateway of a cluster can't do, or mustn't.
 *
 * @module
 */
import { CORS_ORIGIN } from "./filters.ts";
import { METHODS, ROUTE_LIMITS } from "./gateway_api.ts";
import { unreachableReason } from "./path_match.ts";
import { patternOf } from "./path_pattern.ts";
import { refuseUnportable } from "./refuse_portable.ts";
import {
  HOSTNAME,
  nodeOf,
  type Refuse,
  refuseOutside,
  refuseService,
  type RoutePlace,
  upstreamNode,
} from "./refuse_hosts.ts";
import { refuseAuth } from "./refuse_auth.ts";
import { type PlannedRoute, showPath } from "../../gateway/route.ts";
import { readRewrite } from "../../openapi/extension/rewrite_pattern.ts";
import { child } from "../../schema/node.ts";

/** The most entries that the lists of a CORS filter may have. */
const MAX_CORS_ENTRIES = 64;

/** Refuses what a route wants; whether anything was refused is told. */
export function refuseRoute(route: PlannedRoute, place: RoutePlace, refuseAt: Refuse): boolean {
  let isRefused = false;
  const refuse: Refuse = (node, message) => {
    isRefused = true;
    refuseAt(node ?? nodeOf(route), message);
  };
  // What isn't there needs no rule.
  if (route.action.kind === "disabled") return false;
  refusePath(route, refuse);
  refuseUpstreams(route, place, refuse);
  refuseRedirect(route, refuse);
  refuseCors(route, refuse);
  refuseAuth(route, place, refuse);
  if (place.profile === "portable") refuseUnportable(route, refuse);
  return isRefused;
}

function refusePath(route: PlannedRoute, refuse: Refuse): void {
  const reason = unreachableReason(patternOf(route.path));
  if (reason !== undefined) {
    refuse(nodeOf(route), `No request has the path \`${showPath(route.path)}\` behind a gateway: ${reason}.`);
  }
  if (route.method !== "*" && !METHODS.has(route.method)) {
    refuse(nodeOf(route), `The Gateway API has no method ${route.method}, so that no rule can tell it from others.`);
  }
}

function refuseUpstreams(route: PlannedRoute, place: RoutePlace, refuse: Refuse): void {
  const { action } = route;
  if (action.kind !== "upstream") return;
  const { upstreams } = action;
  for (const [index, { service, host, rewrite }] of upstreams.entries()) {
    const node = upstreamNode(route, index);
    refuseService(service, node && child(node, "service"), place, refuse);
    refuseOutside(host, node && child(node, "host"), place, refuse);
    if (rewrite === undefined) continue;
    const result = readRewrite(rewrite);
    if (result.kind === "unsupported") {
      const message = `This rewrite can't be done by Envoy: ${result.reason}.`;
      refuse(node && child(node, "rewrite"), message);
    }
  }
  const [first, ...others] = upstreams.map(({ rewrite }) => JSON.stringify(rewrite));
  if (others.some((other) => other !== first)) {
    const message = "Upstreams that share requests by weight must have the same `rewrite`: a rule has only one.";
    refuse(route.origins.upstreams, message);
  }
  if (upstreams.length > ROUTE_LIMITS.backends) {
    refuse(
      route.origins.upstreams,
      `A rule has at most ${ROUTE_LIMITS.backends} upstreams; these are ${upstreams.length}.`,
    );
  }
}

function refuseRedirect({ action, origins }: PlannedRoute, refuse: Refuse): void {
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
  if (path !== undefined && path.length > 1024) {
    refuse(node && child(node, "path"), "The path of a redirect has at most 1024 characters.");
  }
}

function refuseCors({ settings: { cors }, origins: { cors: node } }: PlannedRoute, refuse: Refuse): void {
  if (cors === undefined) return;
  for (const [index, origin] of (cors.origins ?? []).entries()) {
    if (CORS_ORIGIN.test(origin)) continue;
    const message = `The origin \`${origin}\` can't be allowed in a cluster: only \`*\`, \`https://name\` and ` +
      "`http://name`, which may begin with `*.`, can.";
    refuse(node && child(child(node, "origins"), index), message);
  }
  for (const method of cors.methods ?? []) {
    if (method === "*" || METHODS.has(method)) continue;
    refuse(node && child(node, "methods"), `The method ${method} can't be allowed in a cluster.`);
  }
  for (const list of ["origins", "headers", "expose_headers"] as const) {
    if ((cors[list]?.length ?? 0) > MAX_CORS_ENTRIES) {
      refuse(node && child(node, list), `\`${list}\` has at most ${MAX_CORS_ENTRIES} entries in a cluster.`);
    }
  }
}
