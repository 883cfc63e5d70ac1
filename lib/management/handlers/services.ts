import { keyOf } from "../../gateway/resource.ts";
import { jsonAnswer, sendAnswer } from "../answer.ts";
import type { Context, ManagementCall } from "../context.ts";
import { flagOf } from "../../api/query.ts";
import { takePage } from "../page.ts";
import { type ServiceRepresentation, showServices } from "../representation.ts";
import { missing } from "./read.ts";

/** `GET /services` */
export async function listServices({ request, query }: ManagementCall, context: Context): Promise<Response> {
  const wanted = query.get("namespace") ?? "";
  const services = (await servicesOf(context)).filter(({ namespace }) => wanted === "" || namespace === wanted);
  const { items, headers } = takePage(services, (service) => service, query, request.url);
  const shown = flagOf(query, "details") ? items.map((service) => withUrls(service, context)) : items;
  return sendAnswer(request, jsonAnswer(JSON.stringify(shown), headers));
}

/** `GET /services/{namespace}/{name}` */
export async function getService({ request, object, query }: ManagementCall, context: Context): Promise<Response> {
  const service = (await servicesOf(context)).find((service) => keyOf(service) === keyOf(object));
  if (service === undefined) throw missing("service of the gateway", object);
  return sendAnswer(
    request,
    jsonAnswer(JSON.stringify(flagOf(query, "details") ? withUrls(service, context) : service)),
  );
}

/** Adds the URLs to which the requests for a service go, once each. */
function withUrls(
  service: ServiceRepresentation,
  { options: { services } }: Context,
): ServiceRepresentation & { urls: string[] } {
  const { namespace, name, ports } = service;
  return { ...service, urls: [...new Set(ports.flatMap(({ port }) => services.urlOf?.(namespace, name, port) ?? []))] };
}

async function servicesOf({ view, options: { services } }: Context): Promise<ServiceRepresentation[]> {
  const { fleet, api, staticroute } = await view();
  return showServices(
    [...fleet.values()].map(({ resource }) => resource),
    [...api.values(), ...staticroute.values()].map(({ resource }) => resource),
    services,
  );
}
