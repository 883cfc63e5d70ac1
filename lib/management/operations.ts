/**
 * The operations of the management API, as its description has them, and who answers them.
 *
 * @module
 */
import { splitTarget } from "../http/handler.ts";
import { createRouter, type Match, type Route } from "../mock/router.ts";
import type { OperationHandler } from "./context.ts";
import { createApi, deleteApi, getApi, getApiDefinition, listApis, replaceApi } from "./handlers/apis.ts";
import { createFleet, deleteFleet, getFleet, listFleets } from "./handlers/fleets.ts";
import { resourceHandler } from "./handlers/read.ts";
import {
  getDescription,
  getDescriptionAsJson,
  getHealth,
  getMetrics,
  getReadiness,
  listNamespaces,
} from "./handlers/server.ts";
import { getService, listServices } from "./handlers/services.ts";
import {
  createStaticRoute,
  deleteStaticRoute,
  getStaticRoute,
  listStaticRoutes,
  replaceStaticRoute,
} from "./handlers/static_routes.ts";

/** An operation of the description, and what answers it. */
export interface ManagementOperation extends Route {
  readonly operationId: string;
  readonly handle: OperationHandler;
}

/** The operations: method, path and operationId are those of the description. */
export const OPERATIONS: readonly ManagementOperation[] = [
  { method: "GET", path: "/apis", operationId: "listApis", handle: listApis },
  { method: "POST", path: "/apis", operationId: "createApi", handle: createApi },
  { method: "GET", path: "/apis/{namespace}/{name}", operationId: "getApi", handle: getApi },
  { method: "PUT", path: "/apis/{namespace}/{name}", operationId: "replaceApi", handle: replaceApi },
  { method: "DELETE", path: "/apis/{namespace}/{name}", operationId: "deleteApi", handle: deleteApi },
  {
    method: "GET",
    path: "/apis/{namespace}/{name}/definition",
    operationId: "getApiDefinition",
    handle: getApiDefinition,
  },
  {
    method: "GET",
    path: "/apis/{namespace}/{name}/crd",
    operationId: "getApiResource",
    handle: resourceHandler("api"),
  },
  { method: "GET", path: "/fleets", operationId: "listFleets", handle: listFleets },
  { method: "POST", path: "/fleets", operationId: "createFleet", handle: createFleet },
  { method: "GET", path: "/fleets/{namespace}/{name}", operationId: "getFleet", handle: getFleet },
  { method: "DELETE", path: "/fleets/{namespace}/{name}", operationId: "deleteFleet", handle: deleteFleet },
  {
    method: "GET",
    path: "/fleets/{namespace}/{name}/crd",
    operationId: "getFleetResource",
    handle: resourceHandler("fleet"),
  },
  { method: "GET", path: "/staticroutes", operationId: "listStaticRoutes", handle: listStaticRoutes },
  { method: "POST", path: "/staticroutes", operationId: "createStaticRoute", handle: createStaticRoute },
  { method: "GET", path: "/staticroutes/{namespace}/{name}", operationId: "getStaticRoute", handle: getStaticRoute },
  {
    method: "PUT",
    path: "/staticroutes/{namespace}/{name}",
    operationId: "replaceStaticRoute",
    handle: replaceStaticRoute,
  },
  {
    method: "DELETE",
    path: "/staticroutes/{namespace}/{name}",
    operationId: "deleteStaticRoute",
    handle: deleteStaticRoute,
  },
  {
    method: "GET",
    path: "/staticroutes/{namespace}/{name}/crd",
    operationId: "getStaticRouteResource",
    handle: resourceHandler("staticroute"),
  },
  { method: "GET", path: "/services", operationId: "listServices", handle: listServices },
  { method: "GET", path: "/services/{namespace}/{name}", operationId: "getService", handle: getService },
  { method: "GET", path: "/namespaces", operationId: "listNamespaces", handle: listNamespaces },
  { method: "GET", path: "/healthz", operationId: "getHealth", handle: getHealth },
  { method: "GET", path: "/readyz", operationId: "getReadiness", handle: getReadiness },
  { method: "GET", path: "/metrics", operationId: "getMetrics", handle: getMetrics },
  { method: "GET", path: "/openapi.json", operationId: "getDescriptionAsJson", handle: getDescriptionAsJson },
  { method: "GET", path: "/openapi.yaml", operationId: "getDescription", handle: getDescription },
];

const ROUTER = createRouter(OPERATIONS);

/** Finds the operation that a request means. */
export function matchOperation(method: string, path: string): Match<ManagementOperation> {
  return ROUTER.match(method, path);
}

/** The operationId of the operation that a request means; `undefined` where it means none. */
export function operationOf({ method, url }: Pick<Request, "method" | "url">): string | undefined {
  const match = matchOperation(method, splitTarget(url).path);
  return match.kind === "found" ? match.route.operationId : undefined;
}
