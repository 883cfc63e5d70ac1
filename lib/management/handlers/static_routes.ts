import { jsonAnswer, sendAnswer, sendJson } from "../answer.ts";
import { cachedAnswer, versionTag } from "../catalog.ts";
import type { Context, ManagementCall, ManagementHandler } from "../context.ts";
import { sourceHeader } from "../source.ts";
import { takePage } from "../page.ts";
import { showStaticRoute } from "../representation.ts";
import { create, type Deployed, remove, replace } from "./deploy.ts";
import { find, readHandler } from "./read.ts";
import { contentProblem, servedAtHeader, warningHeaders } from "./write.ts";

/** The query parameters that filter the list of static routes. */
const FILTERS = ["namespace"] as const;

/** `GET /staticroutes` */
export const listStaticRoutes: ManagementHandler = readHandler((view, { request, query }) =>
  sendAnswer(
    request,
    cachedAnswer(view, query, FILTERS, () => {
      const wanted = query.get("namespace") ?? "";
      const entries = [...view.staticroute.values()]
        .filter(({ resource: { namespace } }) => wanted === "" || namespace === wanted);
      const { items, headers } = takePage(entries, ({ resource }) => resource, query, request.url);
      return jsonAnswer(`[${items.map(({ json }) => json).join(",")}]`, headers);
    }),
  )
);

/** `GET /staticroutes/{namespace}/{name}` */
export const getStaticRoute: ManagementHandler = readHandler((view, { request, object }) =>
  sendAnswer(request, find(view, "staticroute", object).answer)
);

/** `POST /staticroutes` */
export async function createStaticRoute(call: ManagementCall, context: Context): Promise<Response> {
  return respond(await create("staticroute", call, context), 200);
}

/** `PUT /staticroutes/{namespace}/{name}` */
export async function replaceStaticRoute(call: ManagementCall, context: Context): Promise<Response> {
  return respond(await replace("staticroute", call, context), 201);
}

/** `DELETE /staticroutes/{namespace}/{name}` */
export function deleteStaticRoute(call: ManagementCall, context: Context): Promise<Response> {
  return remove("staticroute", call, context);
}

function respond(deployed: Deployed, status: number): Response {
  switch (deployed.kind) {
    case "deployed": {
      const { resource, warnings, urls, isDryRun } = deployed;
      return sendJson(showStaticRoute(resource), status, [
        ["location", `/staticroutes/${resource.namespace}/${resource.name}`],
        ...isDryRun ? [] : [["etag", versionTag(resource)] as const],
        ...warningHeaders(warnings),
        ...servedAtHeader(urls),
        ...sourceHeader(resource),
      ]);
    }
    case "bad-content": {
      const { understood: { name, namespace, fleet }, errors } = deployed;
      const proxyFleet = { proxyFleetName: fleet?.name ?? "", proxyFleetNamespace: fleet?.namespace ?? "" };
      return sendJson({ name, namespace, ...proxyFleet, ...contentProblem(errors) }, 400);
    }
  }
}
