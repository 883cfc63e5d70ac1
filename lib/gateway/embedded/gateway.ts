/**
 * The embedded gateway, which runs in the process of `gw serve`. It serves plans: the routes of each API and static
 * route, with their settings.
 *
 * ```text
 * RoutePlans -> FleetRouting
 * request -> host -> exact path, template, prefix -> RouteHandler -> answer
 * ```
 *
 * A gateway is immutable, and a change of the plans replaces it. So each request sees either the old plans or the new
 * ones, never a mixture.
 *
 * @module
 */
import { UnreadBodyError } from "../../http/limits/body_limits.ts";
import { splitTarget } from "../../http/url/url.ts";
import { BAD_HOST, hostOf } from "../../http/url/host.ts";
import { noMethod, withImplied } from "../../http/method.ts";
import { normalPath, withoutEmptySegments } from "../../http/url/normal_path.ts";
import type { Problem } from "../../http/problem.ts";
import { publicUrl } from "../../http/url/public_url.ts";
import { isPreflight } from "../../mock/answer/cors.ts";
import { unservedBasePaths } from "../../mock/route/server_urls.ts";
import { unmetConditions } from "../../mock/route/unmet_conditions.ts";
import type { StateBudget } from "../../mock/state/store/limits.ts";
import { ApiSessions } from "./api_sessions.ts";
import { AMBIGUOUS_REQUEST, isAmbiguous } from "./ambiguous_request.ts";
import {
  type ClientInfo,
  noRoute,
  problemReply,
  type Reply,
  type RequestContext,
  type RequestHandler,
  UNSAFE_PATH,
} from "./request_context.ts";
import {
  type FleetMatch,
  type FleetRoute,
  fleetRouteOf,
  type FleetRoutes,
  FleetRouting,
  type GroupedRoutes,
  groupRoutes,
} from "./router.ts";
import type { PlannedRoute, RoutePlan } from "../route.ts";
import { createRouteHandlers, type RouteHandler } from "./route_handler.ts";
import type { GatewayPlatform } from "./platform.ts";

export type { ClientInfo } from "./request_context.ts";
export type { GatewayPlatform } from "./platform.ts";

/** A reply, with the plan that it comes from. */
export interface GatewayReply extends Reply {
  /** The plan of the API or static route that matched the request; absent if no route matches. */
  readonly plan?: RoutePlan;
}

/** Answers the requests to a fleet. The proxies of a fleet share listeners. */
export type EmbeddedGateway = (request: Request, client: ClientInfo) => GatewayReply | Promise<GatewayReply>;

interface ServedRoute extends FleetRoute {
  readonly plan: RoutePlan;
  readonly route: PlannedRoute;
  /** Returns the handler of the route. The first call creates it, so that loading a plan costs little. */
  readonly handler: () => RouteHandler;
}

/** Tells why a request isn't answered, although it has a route; `undefined` if it is. */
export type RequestRefusal = (request: Request) => Problem | undefined;

/** Creates a gateway for plans that don't change. For changing plans, use {@linkcode createGateways}. */
export function createGateway(plans: readonly RoutePlan[], platform: GatewayPlatform): EmbeddedGateway {
  return createGateways(platform)(plans);
}

/**
 * Creates a function that makes the next gateway when the plans change. A plan that hasn't changed keeps its caches,
 * the keys of its token issuers and the counts of its rate limits. An API keeps the sessions of its stateful operations
 * even if its plan has changed. It takes the plans, and a test of the requests that have a route. Default: none is
 * refused.
 *
 * @param platform Functions of the process: connections, time, random numbers.
 * @param budget The memory that sessions may use. Default: a budget of their own.
 */
export function createGateways(
  platform: GatewayPlatform,
  budget?: StateBudget,
): (plans: readonly RoutePlan[], refusalOf?: RequestRefusal) => EmbeddedGateway {
  const sessions = new ApiSessions(platform, budget);
  const routesByPlan = new WeakMap<RoutePlan, GroupedRoutes<ServedRoute>>();
  const routing = new FleetRouting<ServedRoute>();
  const basePathsOf = createBasePathsOf();
  return (plans, refusalOf = refuseNone) => {
    sessions.retain(plans);
    let basePaths: readonly string[] | undefined;
    const routes = routing.routesOf(plans.map((plan) => {
      const known = routesByPlan.get(plan) ?? servedRoutesOf(plan, platform, sessions);
      routesByPlan.set(plan, known);
      return known;
    }));
    const options = { platform, refusalOf, basePaths: () => basePaths ??= basePathsOf(plans) };
    return (request, client) => answer(request, client, routes, options);
  };
}

function refuseNone(): undefined {}

/** The most base paths of `servers` that an answer with 404 looks for. */
const MOST_BASE_PATHS = 50;

/** Creates a function that returns the base paths of `servers` that the plans don't serve. */
function createBasePathsOf(): (plans: readonly RoutePlan[]) => readonly string[] {
  const known = new WeakMap<RoutePlan, readonly string[]>();
  return (plans) => {
    const all = new Set<string>();
    for (const plan of plans) {
      if (all.size >= MOST_BASE_PATHS) break;
      const ofPlan = known.get(plan) ?? unservedBasePaths(plan.document);
      known.set(plan, ofPlan);
      for (const path of ofPlan) all.add(path);
    }
    return [...all];
  };
}

interface AnswerOptions {
  readonly platform: GatewayPlatform;
  readonly refusalOf: RequestRefusal;
  /** Returns the base paths of `servers` that aren't served. */
  readonly basePaths: () => readonly string[];
}

function servedRoutesOf(
  plan: RoutePlan,
  platform: GatewayPlatform,
  sessions: ApiSessions,
): GroupedRoutes<ServedRoute> {
  let handlers: ((route: PlannedRoute) => RouteHandler) | undefined;
  const served = (route: PlannedRoute, isHidden: boolean): ServedRoute => {
    let handler: RouteHandler | undefined;
    return {
      ...fleetRouteOf(route, isHidden),
      plan,
      route,
      handler: () => handler ??= (handlers ??= createRouteHandlers(plan, platform, sessions))(route),
    };
  };
  return groupRoutes(plan.hosts, [
    ...plan.routes.map((route) => served(route, false)),
    ...plan.hidden.map((route) => served(route, true)),
  ]);
}

function answer(
  request: Request,
  client: ClientInfo,
  routes: FleetRoutes<ServedRoute>,
  { platform, refusalOf, basePaths }: AnswerOptions,
): GatewayReply | Promise<GatewayReply> {
  const host = hostOf(request);
  if (host === undefined) return problemReply(BAD_HOST);
  const { path: written, query } = splitTarget(request.url);
  const path = normalPathIn(routes, host, written);
  if (path === undefined) return problemReply(UNSAFE_PATH);
  const handled = (match: FoundRoute, handle: RequestHandler): GatewayReply | Promise<GatewayReply> => {
    const refusal = isHidden(match) ? undefined : refusalOf(request);
    if (refusal !== undefined) return problemReply(refusal);
    const target = { path, query, pathParameters: match.parameters };
    const url = isTrusted(client, platform) ? publicUrl(request) : request.url;
    const context: RequestContext = { request, url, client, target, headers: [] };
    const reply = handle(context);
    return reply instanceof Promise ? finish(reply, context, match.route) : toGatewayReply(reply, match.route);
  };
  const match = routes.find(host, request.method, path, request);
  const announced = isPreflight(request) ? findPreflight(request, host, path, routes, match) : undefined;
  if (announced !== undefined) return handled(announced.match, announced.handle);
  switch (match.kind) {
    case "found":
      if (routes.hasConditions && isAmbiguousIn(routes, host, path, request, match.route)) {
        return problemReply(AMBIGUOUS_REQUEST);
      }
      return handled(match, match.route.handler().handle);
    case "method-not-allowed":
      return refuseMethod(request, host, path, match.allowed, routes);
    case "not-found":
      return match.unmet === undefined
        ? refuseUnknown(request, host, path, routes, basePaths())
        : refusePath(request, path, match.unmet);
  }
}

type FoundRoute = Extract<FleetMatch<ServedRoute>, { kind: "found" }>;

function isTrusted({ remoteAddr: { hostname } }: ClientInfo, { isTrustedProxy }: GatewayPlatform): boolean {
  return isTrustedProxy !== undefined && hostname !== undefined && isTrustedProxy(hostname);
}

async function finish(pending: Promise<Reply>, context: RequestContext, route: ServedRoute): Promise<GatewayReply> {
  try {
    return toGatewayReply(await pending, route);
  } catch (error) {
    if (!(error instanceof UnreadBodyError)) throw error;
    return toGatewayReply(problemReply(error.problem, error.headers), route);
  } finally {
    context.reservation?.release();
  }
}

/** Tells whether an upstream may read a request as a request for another operation than the gateway does. */
function isAmbiguousIn(
  routes: FleetRoutes<ServedRoute>,
  host: string,
  path: string,
  request: Request,
  { route }: ServedRoute,
): boolean {
  return route.action.kind === "upstream" && isAmbiguous(request, route, (other) => {
    const match = routes.find(host, request.method, path, other);
    return match.kind === "found" ? match.route.route : undefined;
  });
}

/**
 * Normalises a path, and removes empty segments unless the path matches a template with them. Returns `undefined` for a
 * path that must be refused.
 */
function normalPathIn(routes: FleetRoutes<ServedRoute>, host: string, written: string): string | undefined {
  const path = normalPath(written);
  return path?.includes("//") === true && !routes.declares(host, path) ? withoutEmptySegments(path) : path;
}

/**
 * Finds the route of the request that a CORS preflight announces, with the handler of its preflights. Returns
 * `undefined` if the preflight is answered as any other OPTIONS.
 *
 * @param declared The result of finding the route of the preflight itself.
 */
function findPreflight(
  request: Request,
  host: string,
  path: string,
  routes: FleetRoutes<ServedRoute>,
  declared: FleetMatch<ServedRoute>,
): { match: FoundRoute; handle: RequestHandler } | undefined {
  // Conditions on headers count as met, since a preflight request doesn't have the headers of the request that it
  // announces.
  const announced = { url: request.url, headers: undefined };
  const match = routes.find(host, request.headers.get("access-control-request-method") ?? "", path, announced);
  if (match.kind !== "found" || isHidden(match)) return undefined;
  const preflight = match.route.handler().preflight;
  if (preflight === undefined || (preflight.yieldsToOptions && declared.kind === "found")) return undefined;
  return { match, handle: preflight.handle };
}

/**
 * Answers a request whose path has no route for its method: OPTIONS with the path's methods, any other method with 405.
 */
function refuseMethod(
  request: Request,
  host: string,
  path: string,
  methods: readonly string[],
  routes: FleetRoutes<ServedRoute>,
): GatewayReply {
  const asked = request.method === "OPTIONS" ? { url: request.url, headers: undefined } : request;
  const visible = methods.filter((method) => !isHidden(routes.find(host, method, path, asked)));
  if (visible.length === 0) return problemReply(noRoute(request, path));
  const allowed = withImplied(visible);
  const allow: [string, string][] = [["allow", allowed.join(", ")]];
  if (request.method !== "OPTIONS") return problemReply(noMethod(request.method, path, allowed), allow);
  return { response: new Response(null, { status: 204, headers: allow }), mediaType: "", source: "status" };
}

/**
 * Answers a request that no route matches. If routes match its path, but the request doesn't meet their conditions, the
 * problem lists the unmet conditions.
 */
function refusePath(request: Request, path: string, unmet: readonly ServedRoute[]): GatewayReply {
  const visible = unmet.filter(({ route }) => route.action.kind !== "disabled");
  return problemReply(visible.length === 0 ? noRoute(request, path) : unmetConditions(request, path, visible));
}

/** Answers a request for a path without a route. If the path has one without a base path of `servers`, says so. */
function refuseUnknown(
  request: Request,
  host: string,
  path: string,
  routes: FleetRoutes<ServedRoute>,
  basePaths: readonly string[],
): GatewayReply {
  const problem = noRoute(request, path);
  for (const basePath of basePaths) {
    if (!path.startsWith(`${basePath}/`)) continue;
    const served = path.slice(basePath.length);
    const match = routes.find(host, request.method, served, request);
    if (match.kind !== "found" || isHidden(match) || match.route.plan.kind !== "api") continue;
    if (!unservedBasePaths(match.route.plan.document).includes(basePath)) continue;
    const detail =
      `${problem.detail} Its definition's servers say ${basePath}: set \`x-svc.path.prefix: ${basePath}\`, ` +
      `or ask for ${served}.`;
    return problemReply({ ...problem, detail });
  }
  return problemReply(problem);
}

function isHidden(match: FleetMatch<ServedRoute>): boolean {
  return match.kind === "found" && match.route.route.action.kind === "disabled";
}

function toGatewayReply(reply: Reply, { plan, route: { operation } }: ServedRoute): GatewayReply {
  const { response, mediaType, source, detail, delay, fault } = reply;
  return operation === undefined
    ? { response, mediaType, source, detail, delay, fault, plan }
    : { response, mediaType, source, detail, delay, fault, plan, operation };
}
