import { jsonAnswer, sendAnswer, tagOf, textAnswer } from "../answer.ts";
import type { Context, ManagementCall } from "../context.ts";
import { DESCRIPTION } from "../description.ts";
import { errorResponse } from "../../api/error_response.ts";

/** `GET /namespaces` */
export async function listNamespaces({ request }: ManagementCall, { store }: Context): Promise<Response> {
  const namespaces = await store.namespaces();
  return sendAnswer(request, jsonAnswer(JSON.stringify(namespaces.map((name) => ({ name })))));
}

/** `GET /healthz` */
export function getHealth(): Response {
  return fine();
}

/** `GET /readyz` */
export async function getReadiness(_call: ManagementCall, { store, options }: Context): Promise<Response> {
  // This rejects if the store can't be reached, and the answer is 503.
  await store.namespaces();
  const readiness = await options.ready?.() ?? { kind: "ready" };
  if (readiness.kind === "not-ready") throw errorResponse(503, readiness.reason, [["retry-after", "1"]]);
  return fine();
}

/** `GET /metrics` */
export async function getMetrics(_call: ManagementCall, { options }: Context): Promise<Response> {
  if (options.metrics === undefined) throw errorResponse(404, "This server keeps no metrics.");
  const { mediaType, text } = await options.metrics();
  return new Response(text, { headers: [["content-type", mediaType]] });
}

/** `GET /openapi.json` */
export async function getDescriptionAsJson({ request }: ManagementCall, { description }: Context): Promise<Response> {
  const { document } = await description();
  return sendAnswer(request, jsonAnswer(JSON.stringify(document.root.value)));
}

/** `GET /openapi.yaml` */
export function getDescription({ request }: ManagementCall): Response {
  return sendAnswer(request, textAnswer(DESCRIPTION, "application/yaml", tagOf(DESCRIPTION)));
}

function fine(): Response {
  return new Response("ok\n", {
    headers: [["content-type", "text/plain; charset=utf-8"], ["cache-control", "no-store"]],
  });
}
