/**
 * The management API: deploys and shows APIs, fleets and static routes. A request goes through these steps:
 *
 * ```text
 * request -> lib/api (operation, authorize) -> the operation's handler
 * reading:  catalog (the store's resources, with prepared answers)
 * changing: content -> examine -> conflicts -> store -> gateway
 * ```
 *
 * @module
 */
import { defaultBodyLimits } from "../http/limits/body_limits.ts";
import type { Handler } from "../http/handler.ts";
import { splitTarget } from "../http/url/url.ts";
import { loadOnce } from "../http/load_once.ts";
import { Catalog } from "./catalog.ts";
import { Changer } from "./change.ts";
import { createApi } from "../api/api.ts";
import { readDescription } from "../api/description.ts";
import type { Context } from "./context.ts";
import { DESCRIPTION } from "./description.ts";
import { MANAGEMENT_OPERATIONS } from "./operations.ts";
import type { ManagementOptions } from "./options.ts";
import { storeErrorResponse } from "./store_error_response.ts";
import type { Store } from "./store.ts";
import { StoreError } from "../gateway/store_error.ts";

export { operationOf } from "./operations.ts";
export type { Gateway, ManagementOptions, Readiness, ServiceProbe, ServiceStatus } from "./options.ts";

const DEFAULTS = {
  analysisUrl: "",
  maxBody: 16 * 1024 * 1024,
  bodyTimeout: 60_000,
  defaultFleet: () => ({ name: "default", namespace: "default" }),
} as const satisfies Partial<ManagementOptions>;

/**
 * Creates the handler of the management API.
 *
 * @param store The store of the resources.
 * @param options The gateway and the services that it manages, and limits.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createMemoryStore } from "./memory_store.ts";
 *
 * const api = createManagementApi(createMemoryStore(() => 0), {
 *   gateway: { plansOf: () => [], apply: () => Promise.resolve() },
 *   services: { status: () => "unavailable" },
 * });
 * const response = await api(new Request("http://localhost:8090/apis"));
 * assert.deepEqual(await response.json(), []);
 * ```
 */
export function createManagementApi(store: Store, options: ManagementOptions): Handler {
  const settings = { ...DEFAULTS, bodies: defaultBodyLimits(), ...options };
  const catalog = new Catalog(store, settings.analysisUrl);
  const context: Context = {
    store,
    options: settings,
    changer: new Changer(store, settings.gateway),
    view: () => catalog.view(),
    description: loadOnce(() => readDescription(DESCRIPTION)),
  };
  return (request) => API(request, splitTarget(request.url).path, context);
}

const API = createApi<Context>({
  operations: MANAGEMENT_OPERATIONS,
  basePath: "/",
  refuse: (request, operationId, parameters, { options: { authorize } }) => {
    if (authorize === undefined || operationId === undefined) return undefined;
    const { namespace = "", name = "" } = parameters ?? {};
    return authorize(request, operationId, { namespace, name });
  },
  responseOf: (error, { headers }) =>
    error instanceof StoreError ? storeErrorResponse(error, headers.has("if-match")) : undefined,
});
