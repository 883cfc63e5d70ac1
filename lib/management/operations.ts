/**
 * The table of the management API's operations, with their handlers. A test compares it with openapi.yaml.
 *
 * @module
 */
import { splitTarget } from "../http/url.ts";
import { createRouter, type Match, type Route } from "../mock/router.ts";
import type { OperationHandler } from "./context.ts";
import { createApi, deleteApi, getApi, getApiDefinition, listApis, replaceApi } from "./handlers/apis.ts";
import { createFleet, deleteFleet, getFleet, listFleets, replaceFleet } from "./handlers/fleets.ts";
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

/** An operation of the management API, with its handler. */
export interface ManagementOperation extends Route {
  readonly operationId: string;
  /** The names of the query parameters that the operation has. */
  readonly query: readonly string[];
  readonly handle: OperationHandler;
}

const LIST = ["namespace", "limit", "continue"] as const;
const CHANGE = ["dryRun"] as const;

const ROWS: readonly Row[] = [
  ["GET /apis", "listApis", [...LIST, "fleetname", "fleetnamespace", "details"], listApis],
  ["POST /apis", "createApi", CHANGE, createApi],
  ["GET /apis/{namespace}/{name}", "getApi", ["details"], getApi],
  ["PUT /apis/{namespace}/{name}", "replaceApi", CHANGE, replaceApi],
  ["DELETE /apis/{namespace}/{name}", "deleteApi", CHANGE, deleteApi],
  ["GET /apis/{namespace}/{name}/definition", "getApiDefinition", [], getApiDefinition],
  ["GET /apis/{namespace}/{name}/crd", "getApiResource", [], resourceHandler("api")],
  ["GET /fleets", "listFleets", LIST, listFleets],
  ["POST /fleets", "createFleet", CHANGE, createFleet],
  ["GET /fleets/{namespace}/{name}", "getFleet", [], getFleet],
  ["PUT /fleets/{namespace}/{name}", "replaceFleet", CHANGE, replaceFleet],
  ["DELETE /fleets/{namespace}/{name}", "deleteFleet", [...CHANGE, "cascade"], deleteFleet],
  ["GET /fleets/{namespace}/{name}/crd", "getFleetResource", [], resourceHandler("fleet")],
  ["GET /staticroutes", "listStaticRoutes", LIST, listStaticRoutes],
  ["POST /staticroutes", "createStaticRoute", CHANGE, createStaticRoute],
  ["GET /staticroutes/{namespace}/{name}", "getStaticRoute", [], getStaticRoute],
  ["PUT /staticroutes/{namespace}/{name}", "replaceStaticRoute", CHANGE, replaceStaticRoute],
  ["DELETE /staticroutes/{namespace}/{name}", "deleteStaticRoute", CHANGE, deleteStaticRoute],
  ["GET /staticroutes/{namespace}/{name}/crd", "getStaticRouteResource", [], resourceHandler("staticroute")],
  ["GET /services", "listServices", [...LIST, "details"], listServices],
  ["GET /services/{namespace}/{name}", "getService", ["details"], getService],
  ["GET /namespaces", "listNamespaces", [], listNamespaces],
  ["GET /healthz", "getHealth", [], getHealth],
  ["GET /readyz", "getReadiness", [], getReadiness],
  ["GET /metrics", "getMetrics", [], getMetrics],
  ["GET /openapi.json", "getDescriptionAsJson", [], getDescriptionAsJson],
  ["GET /openapi.yaml", "getDescription", [], getDescription],
];

type Row = readonly [route: string, operationId: string, query: readonly string[], handle: OperationHandler];

function readRow([route, operationId, query, handle]: Row): ManagementOperation {
  const [method = "", path = ""] = route.split(" ");
  return { method, path, operationId, query, handle };
}

/** All operations of the management API. */
export const OPERATIONS: readonly ManagementOperation[] = ROWS.map(readRow);

const ROUTER = createRouter(OPERATIONS);

export function matchOperation(method: string, path: string): Match<ManagementOperation> {
  return ROUTER.match(method, path);
}

/** Returns the operationId of a request; `undefined` if no operation matches. */
export function operationOf({ method, url }: Pick<Request, "method" | "url">): string | undefined {
  const match = matchOperation(method, splitTarget(url).path);
  return match.kind === "found" ? match.route.operationId : undefined;
}
