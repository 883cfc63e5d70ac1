import { keyOf } from "../../gateway/resource.ts";
import { jsonAnswer, send } from "../answer.ts";
import type { Call, Context } from "../context.ts";
import { takePage } from "../page.ts";
import { type ServiceRepresentation, showServices } from "../representation.ts";
import { missing } from "./read.ts";

/** `GET /services` */
export async function listServices({ request, query }: Call, context: Context): Promise<Response> {
  const wanted = query.get("namespace") ?? "";
  const services = (await servicesOf(context)).filter(({ namespace }) => wanted === "" || namespace === wanted);
  const { items, headers } = takePage(services, (service) => service, query, request.url);
  return send(request, jsonAnswer(JSON.stringify(items), headers));
}

/** `GET /services/{namespace}/{name}` */
export async function getService({ request, object }: Call, context: Context): Promise<Response> {
  const service = (await servicesOf(context)).find((service) => keyOf(service) === keyOf(object));
  if (service === undefined) throw missing("service of the gateway", object);
  return send(request, jsonAnswer(JSON.stringify(service)));
}

async function servicesOf({ view, options: { services } }: Context): Promise<ServiceRepresentation[]> {
  const { fleet, api, staticroute } = await view();
  return showServices(
    [...fleet.values()].map(({ resource }) => resource),
    [...api.values(), ...staticroute.values()].map(({ resource }) => resource),
    services,
  );
}
