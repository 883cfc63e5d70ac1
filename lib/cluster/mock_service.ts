/**
 * The handler of `gw mock --cluster`: answers the requests that the gateway of a cluster sends to the mocks. A header
 * names the API that answers:
 *
 * ```text
 * RoutePlan -> planMocks -> createGateways
 * request -> x-svc-api -> the API's gateway -> reply
 * ```
 *
 * The gateway of the cluster has already checked hosts and credentials, and handles rate limits, CORS and caching.
 *
 * @module
 */
import { andThen } from "../http/and_then.ts";
import { normalPath } from "../http/url/normal_path.ts";
import { splitTarget } from "../http/url/url.ts";
import { problemResponse } from "../http/problem.ts";
import type { EmbeddedGateway, GatewayReply } from "../gateway/embedded/gateway.ts";
import { type ClientInfo, problemReply } from "../gateway/embedded/request_context.ts";
import { HEADERS } from "./names.ts";
import { noRoute, UNSAFE_PATH } from "../gateway/embedded/request_context.ts";
import { type PlannedRoute, requestsOf, type RouteAction, type RoutePlan } from "../gateway/route.ts";
import type { GatewayPlatform } from "../gateway/embedded/platform.ts";

/**
 * The handler of an API's mocked operations; `unknown` if the API doesn't exist, `starting` if not all APIs are loaded
 * yet.
 */
export type DeployedMock = EmbeddedGateway | "unknown" | "starting";

/**
 * The upstream of all operations that aren't mocked. Its host is never used, because {@linkcode MOCKS_PLATFORM} sends
 * no requests.
 */
const UNUSED_UPSTREAM: RouteAction = {
  kind: "upstream",
  upstreams: [{ host: { hostname: "elsewhere" }, weight: 100 }],
};

/**
 * The platform of the mocks, whose upstreams all answer 503. A request for an upstream reaches the mocks only while the
 * gateway still has old routes.
 */
export const MOCKS_PLATFORM: GatewayPlatform = {
  fetch: () => Promise.resolve(problemResponse(NOT_MOCKED, RETRY_AFTER)),
  send: () => Promise.resolve({ kind: "answered", response: problemResponse(NOT_MOCKED, RETRY_AFTER) }),
  resolveService: () => undefined,
  now: () => 0,
  random: () => 0,
};

/** `Retry-After` of the 503 responses, in seconds. */
const RETRY_AFTER = [["retry-after", "1"]] as const;

/**
 * Makes the plan by which the mocks answer: the paths of an API's plan, on every host. An operation that the earlier
 * plan mocked and that now has an upstream is still mocked, because the gateway sends its requests to the mocks until
 * it has the new routes.
 *
 * @param earlier The plan that this one replaces.
 */
export function planMocks(plan: RoutePlan, earlier?: RoutePlan): RoutePlan {
  const mockedBefore = new Map(
    (earlier?.routes ?? []).filter(({ action }) => action.kind === "mock").map((route) => [requestsOf(route), route]),
  );
  const routes = plan.routes.map((route): PlannedRoute => {
    if (route.action.kind !== "upstream") return { ...route, settings: mockingOf(route) };
    const { operation, action } = mockedBefore.get(requestsOf(route)) ?? { ...route, action: UNUSED_UPSTREAM };
    return { ...route, operation, action, settings: {} };
  });
  return { ...plan, hosts: ["*"], routes };
}

/** Returns the settings of a route about mocking, the only ones that the mocks use. */
function mockingOf({ settings: { mocking } }: PlannedRoute): PlannedRoute["settings"] {
  return mocking === undefined ? {} : { mocking };
}

/**
 * Creates the handler of the mocks. It replies 404 to a request without the header `x-svc-api`, which hasn't come
 * through the gateway, and 503 to a request of a closed group.
 *
 * @param find Finds an API by namespace and name: `shop/todo`.
 */
export function createClusterMock(find: (api: string) => DeployedMock | Promise<DeployedMock>): EmbeddedGateway {
  return (request, client) => {
    const api = request.headers.get(HEADERS.api);
    if (api === null) return problemReply(NO_ROUTE);
    // A static route, which the mocks don't know, sends such requests here too.
    if (normalPath(splitTarget(request.url).path) === undefined) return problemReply(UNSAFE_PATH);
    if (request.headers.has(HEADERS.closed)) return problemReply(CLOSED, RETRY_AFTER);
    const found = find(api);
    const reply = andThen(found, (found) => replyOf(found, request, client));
    return request.headers.has(HEADERS.undeclared) ? andThen(reply, (reply) => refuse(reply, request)) : reply;
  };
}

/**
 * Refuses an undeclared request (one that matched no rule of an operation at the gateway) if an operation would answer
 * it. The operation may be protected by a rule that hasn't reached the proxies yet.
 */
function refuse(reply: GatewayReply, request: Request): GatewayReply {
  if (reply.plan === undefined) return reply;
  reply.response.body?.cancel();
  return { ...problemReply(noRoute(request, splitTarget(request.url).path)), plan: reply.plan };
}

function replyOf(found: DeployedMock, request: Request, client: ClientInfo): GatewayReply | Promise<GatewayReply> {
  if (found === "unknown") return problemReply(UNKNOWN);
  if (found === "starting") return problemReply(STARTING, RETRY_AFTER);
  return found(request, client);
}

const NOT_MOCKED = {
  title: "Service Unavailable",
  status: 503,
  detail: "This operation isn't mocked; the gateway is about to send its requests to its upstream.",
};

const NO_ROUTE = {
  title: "Not Found",
  status: 404,
  detail: "Mocks answer only what comes through a route of the gateway. Send the request to the gateway's address.",
};

const CLOSED = {
  title: "Service Unavailable",
  status: 503,
  detail: "This route is about to be opened: what protects it is being put in place.",
};

const UNKNOWN = { title: "Not Found", status: 404, detail: "The API of this route isn't deployed." };

const STARTING = { title: "Service Unavailable", status: 503, detail: "The mocks are starting." };
