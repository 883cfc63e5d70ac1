/**
 * Tells the gateway of a cluster whether a request is as its definition wants it (`x-svc.validation.request.enabled`),
 * before the upstream gets it:
 *
 * ```text
 * /check/NAMESPACE/FLEET/PATH?QUERY, with the request's method, host, headers and body -> 200, or the refusal
 * ```
 *
 * It is a gateway whose upstreams all answer 200 at once: hosts, paths and checks are those of the embedded gateway.
 *
 * @module
 */
import { splitTarget } from "../http/handler.ts";
import { createGateways, type Gateway } from "./embedded.ts";
import { problemReply } from "./exchange.ts";
import type { FleetRef, PlannedRoute, RouteAction, RoutePlan } from "./route.ts";
import type { GatewayWorld } from "./world.ts";

/** Where checks are asked for: the fleet's namespace and name follow, then the path of the request. */
export const CHECK_PATH = "/check/";

const PASSED: RouteAction = { kind: "upstream", upstreams: [{ host: { hostname: "passed" }, weight: 100 }] };

const CHECK_WORLD: GatewayWorld = {
  fetch: () => Promise.resolve(new Response()),
  resolveService: () => undefined,
  now: () => 0,
  random: () => 0,
};

/** Makes what makes the checks of fleets, one after the other; what one has got ready for a plan the next goes on with. */
export function createFleetChecks(): (plans: readonly RoutePlan[]) => Gateway {
  const planned = new WeakMap<RoutePlan, RoutePlan>();
  const createGateway = createGateways(CHECK_WORLD);
  return (plans) => createGateway(plans.map(take));

  function take(plan: RoutePlan): RoutePlan {
    const known = planned.get(plan) ?? planChecks(plan);
    planned.set(plan, known);
    return known;
  }
}

/**
 * Makes what answers the questions of all fleets' gateways.
 *
 * @param checksOf Finds the checks of a fleet; `undefined` where nothing is deployed to it, or nothing is known yet.
 */
export function createClusterCheck(checksOf: (fleet: FleetRef) => Gateway | undefined): Gateway {
  return (request, client) => {
    const { path, query } = splitTarget(request.url);
    const [, namespace = "", name = "", asked = "/"] = /^\/check\/([^/]+)\/([^/]+)(\/.*)?$/.exec(path) ?? [];
    if (namespace === "") return problemReply(NO_CHECK);
    const check = checksOf({ namespace, name });
    if (check === undefined) return problemReply(NO_FLEET, [["retry-after", "1"]]);
    const origin = request.url.slice(0, request.url.indexOf("/", request.url.indexOf("://") + 3));
    const url = `${origin}${asked}${query === "" ? "" : `?${query}`}`;
    if (!URL.canParse(url)) return problemReply(BAD_HOST);
    return check(new Request(url, request), client);
  };
}

/** What of a plan is checked: requests to upstreams that the definition wants to be checked. All others pass. */
function planChecks(plan: RoutePlan): RoutePlan {
  const routes = plan.routes.map((route): PlannedRoute => {
    const { action, settings: { validation } } = route;
    if (action.kind === "disabled") return { ...route, settings: {} };
    const isChecked = action.kind === "upstream" && validation !== undefined;
    return { ...route, action: PASSED, settings: isChecked ? { validation } : {} };
  });
  return { ...plan, routes };
}

const NO_CHECK = {
  title: "Not Found",
  status: 404,
  detail: `Checks are asked for at ${CHECK_PATH}NAMESPACE/FLEET/PATH of the request.`,
};

const NO_FLEET = { title: "Service Unavailable", status: 503, detail: "Nothing is known of this fleet's APIs yet." };

const BAD_HOST = { title: "Bad Request", status: 400, detail: "The host of the request is not well-formed." };
