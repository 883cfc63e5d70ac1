import { parseAccept } from "../../http/media_type.ts";
import { problemResponse } from "../../http/problem.ts";
import { jsonAnswer, send, sendJson, textAnswer } from "../answer.ts";
import { cachedAnswer, versionTag } from "../catalog.ts";
import type { Call, Context, OperationHandler } from "../context.ts";
import { sourceHeader } from "../source.ts";
import { takePage } from "../page.ts";
import { showApi } from "../representation.ts";
import { create, type Deployed, remove, replace } from "./deploy.ts";
import { find, readHandler } from "./read.ts";
import { contentProblem, explain, servedAtHeader, warningHeaders } from "./write.ts";

/** `GET /apis` */
export const listApis: OperationHandler = readHandler((view, { request, query }) =>
  send(
    request,
    cachedAnswer(view, request.url, () => {
      const fleetName = query.get("fleetname") ?? "";
      const fleetNamespace = query.get("fleetnamespace") ?? "";
      const wanted = query.get("namespace") ?? "";
      const entries = [...view.api.values()].filter(({ resource: { namespace, spec: { fleet } } }) =>
        (wanted === "" || namespace === wanted) && (fleetName === "" || fleet.name === fleetName) &&
        (fleetNamespace === "" || fleet.namespace === fleetNamespace)
      );
      const { items, headers } = takePage(entries, ({ resource }) => resource, query, request.url);
      return jsonAnswer(`[${items.map(({ json }) => json).join(",")}]`, headers);
    }),
  )
);

/** `GET /apis/{namespace}/{name}` */
export const getApi: OperationHandler = readHandler((view, { request, object }) =>
  send(request, find(view, "api", object).answer)
);

/** `GET /apis/{namespace}/{name}/definition` */
export const getApiDefinition: OperationHandler = readHandler((view, { request, object }) => {
  const { resource } = find(view, "api", object);
  const { openapi } = resource.spec;
  const mediaType = /^\s*\{/.test(openapi) ? "application/json" : "application/yaml";
  return send(request, textAnswer(openapi, mediaType, versionTag(resource)));
});

/** `POST /apis` */
export async function createApi(call: Call, context: Context): Promise<Response> {
  return respond(await create("api", call, context), call, context);
}

/** `PUT /apis/{namespace}/{name}` */
export async function replaceApi(call: Call, context: Context): Promise<Response> {
  return respond(await replace("api", call, context), call, context);
}

/** `DELETE /apis/{namespace}/{name}` */
export function deleteApi(call: Call, context: Context): Promise<Response> {
  return remove("api", call, context);
}

function respond(deployed: Deployed, { request }: Call, { options }: Context): Response {
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
