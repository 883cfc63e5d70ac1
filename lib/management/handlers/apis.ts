import { parseAccept } from "../../http/media_type.ts";
import { problemResponse } from "../../http/problem.ts";
import { jsonAnswer, sendAnswer, sendJson, textAnswer } from "../answer.ts";
import { cachedAnswer, type CatalogEntry, versionTag, type View } from "../catalog.ts";
import type { Context, ManagementCall, ManagementHandler } from "../context.ts";
import { flagOf, type Query } from "../../api/query.ts";
import { type ResourcePage, takePage } from "../page.ts";
import { type ApiRepresentation, showApi } from "../representation.ts";
import { createRoutingReader, type Routing } from "../routing.ts";
import type { Stored } from "../store.ts";
import { sourceHeader } from "../source.ts";
import { create, type Deployed, remove, replace } from "./deploy.ts";
import { find, readHandler } from "./read.ts";
import { contentProblem, explain, servedAtHeader, warningHeaders } from "./write.ts";

/** The query parameters that filter the list of APIs. */
const FILTERS = ["namespace", "fleetname", "fleetnamespace"] as const;

/** `GET /apis` */
export const listApis: ManagementHandler = readHandler((view, { request, query }, { options }) => {
  if (flagOf(query, "details")) {
    const { items, headers } = selectApis(view, query, request.url);
    const routingOf = createRoutingReader(options.gateway);
    const apis = items.map(({ resource }) => withRouting(resource, routingOf, options));
    return sendAnswer(request, jsonAnswer(JSON.stringify(apis), headers));
  }
  return sendAnswer(
    request,
    cachedAnswer(view, query, FILTERS, () => {
      const { items, headers } = selectApis(view, query, request.url);
      return jsonAnswer(`[${items.map(({ json }) => json).join(",")}]`, headers);
    }),
  );
});

/** The APIs that a query asks for. */
function selectApis(view: View, query: Query, url: string): ResourcePage<CatalogEntry<"api">> {
  const fleetName = query.get("fleetname") ?? "";
  const fleetNamespace = query.get("fleetnamespace") ?? "";
  const wanted = query.get("namespace") ?? "";
  const entries = [...view.api.values()].filter(({ resource: { namespace, spec: { fleet } } }) =>
    (wanted === "" || namespace === wanted) && (fleetName === "" || fleet.name === fleetName) &&
    (fleetNamespace === "" || fleet.namespace === fleetNamespace)
  );
  return takePage(entries, ({ resource }) => resource, query, url);
}

/** `GET /apis/{namespace}/{name}` */
export const getApi: ManagementHandler = readHandler((view, { request, object, query }, { options }) => {
  const { resource, answer } = find(view, "api", object);
  if (!flagOf(query, "details")) return sendAnswer(request, answer);
  return sendAnswer(
    request,
    jsonAnswer(JSON.stringify(withRouting(resource, createRoutingReader(options.gateway), options))),
  );
});

function withRouting(
  api: Stored<"api">,
  routingOf: ReturnType<typeof createRoutingReader>,
  { analysisUrl }: Context["options"],
): ApiRepresentation & { routing?: Routing } {
  const routing = routingOf(api);
  return { ...showApi(api, analysisUrl), ...routing === undefined ? {} : { routing } };
}

/** `GET /apis/{namespace}/{name}/definition` */
export const getApiDefinition: ManagementHandler = readHandler((view, { request, object }) => {
  const { resource } = find(view, "api", object);
  const { openapi } = resource.spec;
  const mediaType = /^\s*\{/.test(openapi) ? "application/json" : "application/yaml";
  return sendAnswer(request, textAnswer(openapi, mediaType, versionTag(resource)));
});

/** `POST /apis` */
export async function createApi(call: ManagementCall, context: Context): Promise<Response> {
  return respond(await create("api", call, context), call, context);
}

/** `PUT /apis/{namespace}/{name}` */
export async function replaceApi(call: ManagementCall, context: Context): Promise<Response> {
  return respond(await replace("api", call, context), call, context);
}

/** `DELETE /apis/{namespace}/{name}` */
export function deleteApi(call: ManagementCall, context: Context): Promise<Response> {
  return remove("api", call, context);
}

function respond(deployed: Deployed, { request }: ManagementCall, { options }: Context): Response {
  switch (deployed.kind) {
    case "deployed": {
      const { resource, warnings, urls, isDryRun } = deployed;
      return sendJson(showApi(resource, options.analysisUrl), 201, [
        ["location", `/apis/${resource.namespace}/${resource.name}`],
        ...isDryRun ? [] : [["etag", versionTag(resource)] as const],
        ...warningHeaders(warnings),
        ...servedAtHeader(urls),
        ...sourceHeader(resource),
      ]);
    }
    case "bad-content": {
      const { errors } = deployed;
      return acceptsProblem(request) ? problemResponse(contentProblem(errors)) : sendJson(explain(errors, "\n"), 400);
    }
  }
}

/**
 * Tells whether `Accept` names `application/problem+json`. `*` isn't enough: by default the errors are sent as a JSON
 * string.
 */
function acceptsProblem(request: Request): boolean {
  return parseAccept(request.headers.get("accept") ?? "")
    .some(({ type, subtype, q }) => type === "application" && subtype === "problem+json" && q > 0);
}
