/**
 * The table of the management API's operations, with their handlers. A test compares it with openapi.yaml.
 *
 * @module
 */
import { splitTarget } from "../http/url/url.ts";
import { type OperationRow, type Operations, readOperations } from "../api/api.ts";
import type { Context, ManagementHandler } from "./context.ts";
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

const LIST = ["namespace", "limit", "continue"] as const;
const CHANGE = ["dryRun"] as const;

const ROWS: readonly OperationRow<ManagementHandler>[] = [
  ["GET /apis", "listApis", listApis, [...LIST, "fleetname", "fleetnamespace", "details"]],
  ["POST /apis", "createApi", createApi, CHANGE],
  ["GET /apis/{namespace}/{name}", "getApi", getApi, ["details"]],
  ["PUT /apis/{namespace}/{name}", "replaceApi", replaceApi, CHANGE],
  ["DELETE /apis/{namespace}/{name}", "deleteApi", deleteApi, CHANGE],
  ["GET /apis/{namespace}/{name}/definition", "getApiDefinition", getApiDefinition],
  ["GET /apis/{namespace}/{name}/crd", "getApiResource", resourceHandler("api")],
  ["GET /fleets", "listFleets", listFleets, LIST],
  ["POST /fleets", "createFleet", createFleet, CHANGE],
  ["GET /fleets/{namespace}/{name}", "getFleet", getFleet],
  ["PUT /fleets/{namespace}/{name}", "replaceFleet", replaceFleet, CHANGE],
  ["DELETE /fleets/{namespace}/{name}", "deleteFleet", deleteFleet, [...CHANGE, "cascade"]],
  ["GET /fleets/{namespace}/{name}/crd", "getFleetResource", resourceHandler("fleet")],
  ["GET /staticroutes", "listStaticRoutes", listStaticRoutes, LIST],
  ["POST /staticroutes", "createStaticRoute", createStaticRoute, CHANGE],
  ["GET /staticroutes/{namespace}/{name}", "getStaticRoute", getStaticRoute],
  ["PUT /staticroutes/{namespace}/{name}", "replaceStaticRoute", replaceStaticRoute, CHANGE],
  ["DELETE /staticroutes/{namespace}/{name}", "deleteStaticRoute", deleteStaticRoute, CHANGE],
  ["GET /staticroutes/{namespace}/{name}/crd", "getStaticRouteResource", resourceHandler("staticroute")],
  ["GET /services", "listServices", listServices, [...LIST, "details"]],
  ["GET /services/{namespace}/{name}", "getService", getService, ["details"]],
  ["GET /namespaces", "listNamespaces", listNamespaces],
  ["GET /healthz", "getHealth", getHealth],
  ["GET /readyz", "getReadiness", getReadiness],
  ["GET /metrics", "getMetrics", getMetrics],
  ["GET /openapi.json", "getDescriptionAsJson", getDescriptionAsJson],
  ["GET /openapi.yaml", "getDescription", getDescription],
];

/** The operations of the management API. */
export const MANAGEMENT_OPERATIONS: Operations<Context> = readOperations(ROWS, (handle) => (call, context) => {
  const { namespace = "", name = "" } = call.parameters;
  return handle({ ...call, object: { namespace, name } }, context);
});

/** Returns the operationId of a request; `undefined` if no operation matches. */
export function operationOf({ method, url }: Pick<Request, "method" | "url">): string | undefined {
  const match = MANAGEMENT_OPERATIONS.match(method, splitTarget(url).path);
  return match.kind === "found" ? match.route.operationId : undefined;
}
