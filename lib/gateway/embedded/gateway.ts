/**
 * A gateway in the process itself:
 *
 * ```text
 * RoutePlans -> createFleetRouting
 * request -> host -> exact path, template, prefix -> RouteHandler -> answer
 * ```
 *
 * A gateway never changes; whoever serves it swaps it for another, so that a request sees the old plans or the new ones.
 *
 * @module
 */
import { splitTarget } from "../../http/url.ts";
import { BAD_HOST, hostOf } from "../../http/host.ts";
import { isPreflight } from "../../mock/cors.ts";
import type { Answer } from "../../mock/mock.ts";
import { noMethod } from "../../mock/problems.ts";
import { type ClientInfo, type Exchange, problemReply, type Reply } from "./request_context.ts";
import {
  createFleetRouting,
  type FleetMatch,
  type FleetRoute,
  type FleetRoutes,
  type GroupedRoutes,
  groupRoutes,
} from "./router.ts";
import { withoutDotSegments, withoutEmptySegments } from "./normal_path.ts";
import { noRoute } from "./request_context.ts";
import type { PlannedRoute, RoutePlan } from "../route.ts";
import { createRouteHandlers, type RouteHandler } from "./route_handler.ts";
import type { GatewayPlatform } from "./platform.ts";

export type { ClientInfo } from "./request_context.ts";
export type { GatewayPlatform } from "./platform.ts";

/** An answer, what it was made from, and whose it is. */
export interface GatewayAnswer extends Answer {
  /** The API or static route that the request means; absent when it means none. */
  readonly plan?: RoutePlan;
}

/** Answers the requests to a fleet. */
export type Gateway = (request: Request, client: ClientInfo) => GatewayAnswer | Promise<GatewayAnswer>;

/** A route of a plan that is being served. */
interface ServedRoute extends FleetRoute {
  readonly plan: RoutePlan;
  readonly route: PlannedRoute;
  /** Made at the first request. */
  readonly handler: () => RouteHandler;
}

/** Makes a gateway; for one that is swapped now and then, use {@linkcode createGateways}. */
export function createGateway(plans: readonly RoutePlan[], platform: GatewayPlatform): Gateway {
  return createGateways(platform)(plans);
}

/**
 * Makes what makes gateways, one after the other. What one has got ready for a plan the next goes on with, if it has the
 * same plan: answers, keys of issuers, counts of rate limits.
 *
 * @param platform The process that the gateways run in.
 */
export function createGateways(platform: GatewayPlatform): (plans: readonly RoutePlan[]) => Gateway {
  const served = new WeakMap<RoutePlan, GroupedRoutes<ServedRoute>>();
  const createRoutes = createFleetRouting<ServedRoute>();
  return (plans) => createOne(createRoutes(plans.map(take)));

  function take(plan: RoutePlan): GroupedRoutes<ServedRoute> {
    const known = served.get(plan) ?? serve(plan, platform);
    served.set(plan, known);
    return known;
  }
}

function serve(plan: RoutePlan, platform: GatewayPlatform): GroupedRoutes<ServedRoute> {
  let handlers: ((route: PlannedRoute) => RouteHandler) | undefined;
  const served = (route: PlannedRoute, isHidden: boolean): ServedRoute => {
    const { method, path } = route;
    let handler: RouteHandler | undefined;
    return {
      method,
      path: path.kind === "template" ? path.template : path.prefix,
      isPrefix: path.kind === "prefix",
      isHidden,
      plan,
      route,
      handler: () => handler ??= (handlers ??= createRouteHandlers(plan, platform))(route),
    };
  };
  return groupRoutes(plan.hosts, [
    ...plan.routes.map((route) => served(route, false)),
    ...plan.hidden.map((route) => served(route, true)),
  ]);
}

function createOne(find: FleetRoutes<ServedRoute>): Gateway {
  return answer;

  function answer(request: Request, client: ClientInfo): GatewayAnswer | Promise<GatewayAnswer> {
    const host = hostOf(request);
    if (host === undefined) return problemReply(BAD_HOST);
    const { path: written, query } = splitTarget(request.url);
    const path = pathOf(written, host);
    const preflight = request.method === "OPTIONS" ? answerPreflight(request, host, path) : undefined;
    if (preflight !== undefined) return preflight;
    const match = find(host, request.method, path);
    switch (match.kind) {
      case "found": {
        const target = { path, query, pathParameters: match.parameters };
        const exchange: Exchange = { request, client, target, headers: [] };
        const reply = match.route.handler().act(exchange);
        return reply instanceof Promise
          ? reply.then((reply) => toAnswer(reply, match.route))
          : toAnswer(reply, match.route);
      }
      case "method-not-allowed":
        return refuseMethod(request, host, path, match.allowed);
      case "not-found":
        return problemReply(noRoute(request, path));
    }
  }

  /** The path of a request; with its empty segments only where a definition has them. */
  function pathOf(written: string, host: string): string {
    const path = withoutDotSegments(written);
    return path.includes("//") && !find.declares(host, path) ? withoutEmptySegments(path) : path;
  }

  /** Answers a browser's question whether a request may follow, where the route of that request says something of it. */
  function answerPreflight(request: Request, host: string, path: string): GatewayAnswer | undefined {
    if (!isPreflight(request)) return undefined;
    const match = find(host, request.headers.get("access-control-request-method") ?? "", path);
    if (match.kind !== "found" || isHidden(match)) return undefined;
    const reply = match.route.handler().cors?.preflight(request);
    return reply && toAnswer(reply, match.route);
  }

  function refuseMethod(
    request: Request,
    host: string,
    path: string,
    methods: readonly string[],
  ): GatewayAnswer {
    const visible = methods.filter((method) => !isHidden(find(host, method, path)));
    if (visible.length === 0) return problemReply(noRoute(request, path));
    const allowed = [...new Set([...visible, ...(visible.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].join(", ");
    if (request.method === "OPTIONS") {
      return {
        response: new Response(null, { status: 204, headers: { allow: allowed } }),
        mediaType: "",
        source: "status",
      };
    }
    return problemReply(noMethod(request.method, path, allowed.split(", ")), [["allow", allowed]]);
  }
}

function isHidden(match: FleetMatch<ServedRoute>): boolean {
  return match.kind === "found" && match.route.route.action.kind === "disabled";
}

function toAnswer(reply: Reply, { plan, route: { operation } }: ServedRoute): GatewayAnswer {
  const { response, mediaType, source, detail } = reply;
  return operation === undefined
    ? { response, mediaType, source, detail, plan }
    : { response, mediaType, source, detail, plan, operation };
}
