import { jsonAnswer, send, sendJson, tagOf } from "../answer.ts";
import type { View } from "../catalog.ts";
import type { Call, Context } from "../context.ts";
import { bodyError, type ContentError, readFleetContent } from "../content.ts";
import type { ServiceProbe } from "../options.ts";
import { readFlag, takePage } from "../query.ts";
import { refusal } from "../refusal.ts";
import { type FleetSpec, keyOf, type ObjectName } from "../../gateway/resource.ts";
import { type FleetShape, showFleetServices } from "../representation.ts";
import type { Change, Stored } from "../store.ts";
import { find, KIND_NAMES } from "./read.ts";
import { authorize, checkShown, contentOf, contentProblem, misnamed } from "./write.ts";

/** `GET /fleets` */
export async function listFleets({ request, query }: Call, context: Context): Promise<Response> {
  const view = await context.view();
  const wanted = query("namespace") ?? "";
  const fleets = [...view.fleet.values()]
    .filter(({ resource: { namespace } }) => wanted === "" || namespace === wanted);
  const { items, headers } = takePage(fleets, ({ resource }) => resource, query, request.url);
  const loads = loadsOf(view);
  const shown = items.map(({ resource }) => showFleet(resource, loads, context.options.services));
  return send(request, jsonAnswer(JSON.stringify(shown), headers));
}

/** `GET /fleets/{namespace}/{name}` */
export async function getFleet({ request, object }: Call, context: Context): Promise<Response> {
  return send(request, jsonAnswer(jsonOf(await context.view(), object, context)));
}

/** `POST /fleets` */
export async function createFleet(call: Call, context: Context): Promise<Response> {
  const isTried = readFlag(call.query, "dryRun");
  const content = await contentOf(call, context, "FleetContent");
  const { spec, ...object } = readFleetContent(content.value);
  const errors = content.kind === "bad" ? content.errors : repeatedPorts(spec, content.text);
  if (errors.length > 0) return badFleet(object, errors);
  await authorize(call, context, "createFleet", object);

  return await context.changer.inTurn(async () => {
    if ((await context.view()).fleet.has(keyOf(object))) {
      throw refusal(409, `There is already the fleet ${object.namespace}/${object.name}. Replace it by PUT.`);
    }
    const change: Change = { kind: "create", resource: { kind: "fleet", ...object, spec } };
    return await applyFleet(change, spec, NO_LOADS, isTried, context);
  });
}

/** `PUT /fleets/{namespace}/{name}` */
export async function replaceFleet(call: Call, context: Context): Promise<Response> {
  const isTried = readFlag(call.query, "dryRun");
  const { object } = call;
  find(await context.view(), "fleet", object);
  const content = await contentOf(call, context, "FleetReplacement");
  const { spec: wanted, ...named } = readFleetContent(content.value);
  const errors = content.kind === "bad"
    ? content.errors
    : [...misnamed(named, object, content.text), ...repeatedPorts(wanted, content.text)];
  if (errors.length > 0) return badFleet(object, errors);

  return await context.changer.inTurn(async () => {
    const view = await context.view();
    const { resource: before } = find(view, "fleet", object);
    checkShown(call, before, tagOf(jsonOf(view, object, context)));
    const { allowedNamespaces } = before.spec;
    // Content that says nothing of namespaces doesn't open the fleet to all of them.
    const spec: FleetSpec = allowedNamespaces === undefined ? wanted : { allowedNamespaces, ...wanted };
    const change: Change = {
      kind: "update",
      resource: { kind: "fleet", ...object, spec },
      ifVersion: before.version,
    };
    return await applyFleet(change, spec, loadsOf(view), isTried, context);
  });
}

/** Makes or changes a fleet. Its ports are taken before it is stored, so that no fleet is stored that can't listen. */
async function applyFleet(
  change: Change,
  { ports }: FleetSpec,
  loads: Loads,
  isTried: boolean,
  { changer, options: { gateway, services } }: Context,
): Promise<Response> {
  const { namespace, name } = change.resource;
  const object = { namespace, name };
  const reason = gateway.reserve?.(object, ports.map(({ port }) => port));
  if (reason !== undefined) throw refusal(409, `The fleet ${namespace}/${name} can't listen. ${reason}`);
  try {
    const [fleet] = await changer.make([change], isTried);
    if (isTried) gateway.release?.(object);
    if (fleet?.kind !== "fleet") throw new Error("The store gave no fleet back.");
    const json = JSON.stringify(showFleet(fleet, loads, services));
    return sendJson(JSON.parse(json), 200, [
      ["location", `/fleets/${namespace}/${name}`],
      ...isTried ? [] : [["etag", tagOf(json)] as const],
    ]);
  } catch (error) {
    gateway.release?.(object);
    throw error;
  }
}

function badFleet({ name, namespace }: ObjectName, errors: readonly ContentError[]): Response {
  const understood: FleetShape = { name, namespace, apis: [], services: [], staticRoutes: [] };
  return sendJson({ ...understood, ...contentProblem(errors) }, 400);
}

/** `DELETE /fleets/{namespace}/{name}` */
export async function deleteFleet(call: Call, context: Context): Promise<Response> {
  const isTried = readFlag(call.query, "dryRun");
  const cascades = readFlag(call.query, "cascade");
  return await context.changer.inTurn(async () => {
    const view = await context.view();
    const { resource } = find(view, "fleet", call.object);
    checkShown(call, resource, tagOf(jsonOf(view, call.object, context)));
    const served = [...view.api.values(), ...view.staticroute.values()]
      .map((entry) => entry.resource)
      .filter(({ spec: { fleet } }) => keyOf(fleet) === keyOf(call.object));
    if (served.length > 0 && !cascades) throw stillServes(call.object, served);
    const changes = [...served, resource].map((resource): Change => ({
      kind: "delete",
      resource,
      ifVersion: resource.version,
    }));
    await context.changer.make(changes, isTried);
    return new Response(null, { status: 204 });
  });
}

/** What is on each fleet. */
type Loads = ReadonlyMap<string, Pick<FleetShape, "apis" | "staticRoutes">>;

const NO_LOADS: Loads = new Map();

function loadsOf(view: View): Loads {
  const loads = new Map<string, Pick<FleetShape, "apis" | "staticRoutes">>();
  for (const { resource } of view.api.values()) loadOf(resource).apis.push(referenceTo(resource));
  for (const { resource } of view.staticroute.values()) loadOf(resource).staticRoutes.push(referenceTo(resource));
  return loads;

  function loadOf({ spec: { fleet } }: Stored<"api"> | Stored<"staticroute">): Pick<
    FleetShape,
    "apis" | "staticRoutes"
  > {
    const known = loads.get(keyOf(fleet)) ?? { apis: [], staticRoutes: [] };
    loads.set(keyOf(fleet), known);
    return known;
  }
}

function referenceTo({ name, namespace }: ObjectName): ObjectName {
  return { name, namespace };
}

function showFleet(fleet: Stored<"fleet">, loads: Loads, services: ServiceProbe): FleetShape {
  const { name, namespace } = fleet;
  const { apis, staticRoutes } = loads.get(keyOf(fleet)) ?? { apis: [], staticRoutes: [] };
  return { name, namespace, apis, services: showFleetServices(fleet, services), staticRoutes };
}

function jsonOf(view: View, object: ObjectName, { options: { services } }: Context): string {
  const { resource } = find(view, "fleet", object);
  return JSON.stringify(showFleet(resource, loadsOf(view), services));
}

function repeatedPorts({ ports }: FleetSpec, text: string): ContentError[] {
  return ports.flatMap(({ port }, index) =>
    ports.findIndex((other) => other.port === port) === index
      ? []
      : [bodyError(text, `/ports/${index}/port`, `The port ${port} is there more than once.`)]
  );
}

function stillServes(
  { namespace, name }: ObjectName,
  served: readonly (Stored<"api"> | Stored<"staticroute">)[],
): Error {
  const shown = served.slice(0, 20).map(({ kind, namespace, name }) => `${KIND_NAMES[kind]} ${namespace}/${name}`);
  const more = served.length > shown.length ? ` and ${served.length - shown.length} more` : "";
  return refusal(
    409,
    `The fleet ${namespace}/${name} still serves ${shown.join(", ")}${more}. ` +
      "Delete these first, or delete the fleet with `cascade=true` (`gw delete --cascade`).",
  );
}
