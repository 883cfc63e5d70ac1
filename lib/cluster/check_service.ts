/**
 * Validates requests for the gateway of a cluster (`x-svc.validation.request.enabled`). The gateway's proxies ask for
 * each request by ext_authz (external authorization), before they send it to the upstream:
 *
 * ```text
 * /check/NAMESPACE/FLEET/PATH?QUERY, with the request's method, host, headers and body
 * -> 200, or the error response
 * ```
 *
 * A fleet is a group of proxies that share listeners.
 *
 * @module
 */
import { type BodyLimits, defaultBodyLimits } from "../http/limits/body_limits.ts";
import { splitTarget } from "../http/url/url.ts";
import { BAD_HOST, hostOf } from "../http/url/host.ts";
import { noMethod, withImplied } from "../http/method.ts";
import { normalPath, withoutEmptySegments } from "../http/url/normal_path.ts";
import { createDocumentValidator, type DocumentValidator } from "../schema/document_validator.ts";
import type { GatewayReply } from "../gateway/embedded/gateway.ts";
import { type ClientInfo, type Guard, problemReply } from "../gateway/embedded/request_context.ts";
import {
  type FleetMatch,
  type FleetRoute,
  fleetRouteOf,
  type FleetRoutes,
  FleetRouting,
  type GroupedRoutes,
  groupRoutes,
} from "../gateway/embedded/router.ts";
import { loginsOf } from "../gateway/login.ts";
import { noRoute, UNSAFE_PATH } from "../gateway/embedded/request_context.ts";
import { createRequestCheck } from "../gateway/embedded/request_check.ts";
import { type FleetRef, type PlannedRoute, type RoutePlan, showRoutePath } from "../gateway/route.ts";

/**
 * The prefix of the paths at which Envoy asks for validation. The fleet's namespace and name follow, then the path of
 * the client's request.
 */
const CHECK_PATH = "/check/";

/** Path and query of the client's request, without the prefix `/check/NAMESPACE/FLEET`. */
export interface CheckedTarget {
  /** The path as the client wrote it, percent-encoded. */
  readonly path: string;
  readonly query: string;
}

/**
 * Validates a request to a fleet. Returns 200 if the request may go to its upstream, else the response for the client.
 */
export type FleetCheck = (
  request: Request,
  target: CheckedTarget,
  client: ClientInfo,
) => GatewayReply | Promise<GatewayReply>;

/** A route of a plan, with the validation of requests that match it. */
interface CheckedRoute extends FleetRoute {
  readonly plan: RoutePlan;
  /** The planned route; `undefined` for the callback and logout paths of a login, which no plan has as routes. */
  readonly route: PlannedRoute | undefined;
  /**
   * Returns the guard that validates requests, and creates it at the first call. `undefined` if the route has no
   * `validation.request`.
   */
  readonly guard: (() => Guard) | undefined;
}

/**
 * Creates a function that makes the check of a fleet from its plans. The prepared routes of each plan are cached, so
 * that a change of one plan doesn't prepare the other plans again.
 *
 * @param bodies What the bodies of all requests may take together.
 */
export function createFleetChecks(bodies = defaultBodyLimits()): (plans: readonly RoutePlan[]) => FleetCheck {
  const grouped = new WeakMap<RoutePlan, GroupedRoutes<CheckedRoute>>();
  const routing = new FleetRouting<CheckedRoute>();
  return (plans) => createCheck(routing.routesOf(plans.map(take)));

  function take(plan: RoutePlan): GroupedRoutes<CheckedRoute> {
    const known = grouped.get(plan) ?? groupRoutes(plan.hosts, checkedRoutes(plan, bodies));
    grouped.set(plan, known);
    return known;
  }
}

/**
 * Creates the handler that answers ext_authz requests for all fleets.
 *
 * @param checkOf Finds the check of a fleet; `undefined` where nothing is deployed to it, or nothing is planned yet.
 */
export function createClusterCheck(
  checkOf: (fleet: FleetRef) => FleetCheck | undefined,
): (request: Request, client: ClientInfo) => GatewayReply | Promise<GatewayReply> {
  return (request, client) => {
    const { path, query } = splitTarget(request.url);
    const [, namespace = "", name = "", asked = "/"] = /^\/check\/([^/]+)\/([^/]+)(\/.*)?$/.exec(path) ?? [];
    if (namespace === "") return problemReply(NO_CHECK);
    const check = checkOf({ namespace, name });
    if (check === undefined) return problemReply(NO_FLEET, [["retry-after", "1"]]);
    return check(request, { path: asked, query }, client);
  };
}

function createCheck(routes: FleetRoutes<CheckedRoute>): FleetCheck {
  return (request, { path: written, query }, client) => {
    const host = hostOf(request);
    if (host === undefined) return problemReply(BAD_HOST);
    const normal = normalPath(written);
    if (normal === undefined) return problemReply(UNSAFE_PATH);
    const path = withoutEmptySegments(normal);
    const match = routes.find(host, request.method, path, request);
    switch (match.kind) {
      case "found": {
        const { plan, route, guard } = match.route;
        const subject = route?.operation === undefined ? { plan } : { plan, operation: route.operation };
        if (isHidden(match)) return { ...problemReply(noRoute(request, path)), ...subject };
        if (guard === undefined) return { ...pass(), ...subject };
        const target = { path, query, pathParameters: match.parameters };
        const refusal = guard()({ request, url: request.url, client, target, headers: [] });
        return refusal instanceof Promise
          ? refusal.then((refusal) => ({ ...(refusal ?? pass()), ...subject }))
          : { ...(refusal ?? pass()), ...subject };
      }
      case "method-not-allowed": {
        const visible = match.allowed.filter((method) => !isHidden(routes.find(host, method, path, request)));
        if (visible.length === 0) return problemReply(noRoute(request, path));
        const allowed = withImplied(visible);
        return problemReply(noMethod(request.method, path, allowed), [["allow", allowed.join(", ")]]);
      }
      case "not-found":
        return problemReply(noRoute(request, path));
    }
  };
}

function checkedRoutes(plan: RoutePlan, bodies: BodyLimits): CheckedRoute[] {
  let documentValidator: Promise<DocumentValidator> | undefined;
  const checked = (route: PlannedRoute, isHidden: boolean): CheckedRoute => {
    const { operation, action, settings: { validation } } = route;
    const isChecked = validation?.request?.enabled === true && action.kind === "upstream";
    let guard: Guard | undefined;
    return {
      ...fleetRouteOf(route, isHidden),
      plan,
      route,
      guard: isChecked && operation !== undefined
        ? () =>
          guard ??= createRequestCheck(
            operation,
            () => documentValidator ??= createDocumentValidator(plan.document),
            bodies,
          )
        : undefined,
    };
  };
  return [
    ...plan.routes.map((route) => checked(route, false)),
    ...plan.hidden.map((route) => checked(route, true)),
    ...loginRoutes(plan),
  ];
}

/**
 * Returns routes for the callback and logout paths of logins. Envoy's login filter answers these paths, but Envoy runs
 * ext_authz before it, so validation must let them pass.
 */
function loginRoutes(plan: RoutePlan): CheckedRoute[] {
  const paths = [...loginsOf(plan.routes).values()].flatMap(({ login }) => [login.callbackPath, login.logoutPath]);
  const free = paths.filter((path) => !plan.routes.some((route) => showRoutePath(route) === path));
  return [...new Set(free)].map((path) => ({
    method: "GET",
    path,
    isPrefix: false,
    isHidden: false,
    operation: undefined,
    action: { kind: "upstream", upstreams: [] },
    settings: {},
    plan,
    route: undefined,
    guard: undefined,
  }));
}

function isHidden(match: FleetMatch<CheckedRoute>): boolean {
  return match.kind === "found" && match.route.route?.action.kind === "disabled";
}

/** Makes the reply that lets a request pass to its upstream. */
function pass(): Pick<GatewayReply, "response" | "mediaType" | "source"> {
  return { response: new Response(), mediaType: "", source: "passed" };
}

const NO_CHECK = {
  title: "Not Found",
  status: 404,
  detail: `Checks are asked for at ${CHECK_PATH}NAMESPACE/FLEET/PATH of the request.`,
};

const NO_FLEET = { title: "Service Unavailable", status: 503, detail: "Nothing is known of this fleet's APIs yet." };
