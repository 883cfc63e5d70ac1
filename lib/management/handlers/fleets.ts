import { jsonAnswer, sendAnswer, sendJson, tagOf } from "../answer.ts";
import type { View } from "../catalog.ts";
import type { Context, ManagementCall } from "../context.ts";
import { bodyError, type ContentError, readFleetContent, readJsonContent, type ResourceContent } from "../content.ts";
import type { ServiceProbe } from "../options.ts";
import { flagOf } from "../../api/query.ts";
import { takePage } from "../page.ts";
import { errorResponse } from "../../api/error_response.ts";
import { type FleetSpec, keyOf, type ObjectName } from "../../gateway/resource.ts";
import { type FleetRepresentation, type ServiceRepresentation, showFleetServices } from "../representation.ts";
import type { Change, Stored } from "../store.ts";
import { find, KIND_NAMES } from "./read.ts";
import { authorize, checkETag, contentProblem, misnamed, warningHeaders } from "./write.ts";
import { refusalOfNamespace } from "../../gateway/allowed_namespaces.ts";
import { sortedJson } from "../../gateway/hash.ts";
import { isObject } from "../../schema/json/node.ts";

/** `GET /fleets` */
export async function listFleets({ request, query }: ManagementCall, context: Context): Promise<Response> {
  const view = await context.view();
  const wanted = query.get("namespace") ?? "";
  const fleets = [...view.fleet.values()]
    .filter(({ resource: { namespace } }) => wanted === "" || namespace === wanted);
  const { items, headers } = takePage(fleets, ({ resource }) => resource, query, request.url);
  const members = membersIn(view);
  const shown = items.map(({ resource }) => showFleet(resource, members, context.options.services));
  return sendAnswer(request, jsonAnswer(JSON.stringify(shown), headers));
}

/** `GET /fleets/{namespace}/{name}` */
export async function getFleet({ request, object }: ManagementCall, context: Context): Promise<Response> {
  return sendAnswer(request, jsonAnswer(jsonOf(await context.view(), object, context)));
}

/** `POST /fleets` */
export async function createFleet(call: ManagementCall, context: Context): Promise<Response> {
  const isDryRun = flagOf(call.query, "dryRun");
  const content = await readJsonContent(call, context);
  const { spec, ...object } = readFleetContent(content.value);
  const errors = content.kind === "bad"
    ? content.errors
    : [...repeatedPorts(spec, content.text), ...unknownTargets(content, [])];
  if (errors.length > 0) return badFleet(object, errors);
  await authorize(call, context, "createFleet", object);

  return await context.changer.exclusively(async () => {
    if ((await context.view()).fleet.has(keyOf(object))) {
      throw errorResponse(409, `There is already the fleet ${object.namespace}/${object.name}. Replace it by PUT.`);
    }
    const change: Change = { kind: "create", resource: { kind: "fleet", ...object, spec } };
    return await applyFleet(change, spec, NO_MEMBERS, isDryRun, context);
  });
}

/** `PUT /fleets/{namespace}/{name}` */
export async function replaceFleet(call: ManagementCall, context: Context): Promise<Response> {
  const isDryRun = flagOf(call.query, "dryRun");
  const { object } = call;
  find(await context.view(), "fleet", object);
  const content = await readJsonContent(call, context);
  const { spec: wanted, ...named } = readFleetContent(content.value);
  const errors = content.kind === "bad" ? content.errors : [
    ...misnamed(named, object, content.text),
    ...repeatedPorts(wanted, content.text),
    ...unknownTargets(
      content,
      showFleetServices(find(await context.view(), "fleet", object).resource, context.options.services),
    ),
  ];
  if (errors.length > 0) return badFleet(object, errors);

  return await context.changer.exclusively(async () => {
    const view = await context.view();
    const { resource: before } = find(view, "fleet", object);
    checkETag(call, before, tagOf(jsonOf(view, object, context)));
    const given = (field: string): boolean => isObject(content.value) && Object.hasOwn(content.value, field);
    // What is omitted stays as it was. A fleet without `allowedNamespaces` admits all namespaces, so replacing the ports
    // of a fleet would otherwise open it to all.
    const spec: FleetSpec = {
      ...before.spec,
      ...(given("serviceType") ? { serviceType: wanted.serviceType } : {}),
      ...(given("ports") ? { ports: wanted.ports } : {}),
      ...(given("allowedNamespaces") ? { allowedNamespaces: wanted.allowedNamespaces } : {}),
    };
    const warnings = [...ignoredFields(IGNORED.filter(given)), ...droppedBy(spec, before, view, context)];
    if (sortedJson(spec) === sortedJson(before.spec)) {
      return answerFleet(before, membersIn(view), isDryRun, warnings, context);
    }
    const change: Change = {
      kind: "update",
      resource: { kind: "fleet", ...object, spec },
      ifVersion: before.version,
    };
    return await applyFleet(change, spec, membersIn(view), isDryRun, context, warnings);
  });
}

/** Fields of a fleet's representation that can be sent back, and have no effect. */
const IGNORED = ["apis", "services", "staticRoutes"] as const;

function ignoredFields(fields: readonly string[]): string[] {
  if (fields.length === 0) return [];
  return [
    `${fields.join(", ")}: ignored. APIs and static routes name their fleet; serviceType and ports change its service.`,
  ];
}

/** Lists the APIs and static routes that a fleet no longer admits with a new spec. */
function droppedBy(
  { allowedNamespaces }: FleetSpec,
  { namespace, name, spec: before }: Stored<"fleet">,
  view: View,
  { options: { labelsOf } }: Context,
): string[] {
  const fleet = { namespace, name };
  const dropped = [...view.api.values(), ...view.staticroute.values()].map(({ resource }) => resource)
    .filter(({ spec }) => keyOf(spec.fleet) === keyOf(fleet))
    .filter((resource) => {
      const { namespace: name } = resource;
      const labels = labelsOf === undefined ? {} : labelsOf(name);
      const isRefused = (allowed: FleetSpec["allowedNamespaces"]): boolean =>
        refusalOfNamespace(fleet, allowed, { name, labels }) !== undefined;
      return isRefused(allowedNamespaces) && !isRefused(before.allowedNamespaces);
    });
  return dropped.map(({ kind, namespace, name }) =>
    `The fleet no longer admits the ${KIND_NAMES[kind]} ${namespace}/${name}, which isn't served any more.`
  );
}

/**
 * Creates or replaces a fleet. Its ports are reserved before it is stored, so that a fleet that can't listen isn't
 * stored.
 */
async function applyFleet(
  change: Change,
  { ports }: FleetSpec,
  members: MembersByFleet,
  isDryRun: boolean,
  context: Context,
  warnings: readonly string[] = [],
): Promise<Response> {
  const { changer, options: { gateway } } = context;
  const { namespace, name } = change.resource;
  const object = { namespace, name };
  const reason = gateway.reserve?.(object, ports.map(({ port }) => port));
  if (reason !== undefined) throw errorResponse(409, `The fleet ${namespace}/${name} can't listen. ${reason}`);
  try {
    const [fleet] = await changer.apply([change], isDryRun);
    if (isDryRun) gateway.release?.(object);
    if (fleet?.kind !== "fleet") throw new Error("The store gave no fleet back.");
    return answerFleet(fleet, members, isDryRun, warnings, context);
  } catch (error) {
    gateway.release?.(object);
    throw error;
  }
}

function answerFleet(
  fleet: Stored<"fleet">,
  members: MembersByFleet,
  isDryRun: boolean,
  warnings: readonly string[],
  { options: { services } }: Context,
): Response {
  const json = JSON.stringify(showFleet(fleet, members, services));
  return sendJson(JSON.parse(json), 200, [
    ["location", `/fleets/${fleet.namespace}/${fleet.name}`],
    ...isDryRun ? [] : [["etag", tagOf(json)] as const],
    ...warningHeaders(warnings),
  ]);
}

function badFleet({ name, namespace }: ObjectName, errors: readonly ContentError[]): Response {
  const understood: FleetRepresentation = { name, namespace, apis: [], services: [], staticRoutes: [] };
  return sendJson({ ...understood, ...contentProblem(errors) }, 400);
}

/** `DELETE /fleets/{namespace}/{name}` */
export async function deleteFleet(call: ManagementCall, context: Context): Promise<Response> {
  const isDryRun = flagOf(call.query, "dryRun");
  const cascades = flagOf(call.query, "cascade");
  return await context.changer.exclusively(async () => {
    const view = await context.view();
    const { resource } = find(view, "fleet", call.object);
    checkETag(call, resource, tagOf(jsonOf(view, call.object, context)));
    const served = [...view.api.values(), ...view.staticroute.values()]
      .map((entry) => entry.resource)
      .filter(({ spec: { fleet } }) => keyOf(fleet) === keyOf(call.object));
    if (served.length > 0 && !cascades) throw stillServes(call.object, served);
    const changes = [...served, resource].map((resource): Change => ({
      kind: "delete",
      resource,
      ifVersion: resource.version,
    }));
    await context.changer.apply(changes, isDryRun);
    return new Response(null, { status: 204 });
  });
}

type FleetMembers = Pick<FleetRepresentation, "apis" | "staticRoutes">;

/** The APIs and static routes of each fleet, by {@linkcode keyOf} of the fleet. */
type MembersByFleet = ReadonlyMap<string, FleetMembers>;

const NO_MEMBERS: MembersByFleet = new Map();

function membersIn(view: View): MembersByFleet {
  const members = new Map<string, FleetMembers>();
  for (const { resource } of view.api.values()) membersOf(resource, members).apis.push(referenceTo(resource));
  for (const { resource } of view.staticroute.values()) {
    membersOf(resource, members).staticRoutes.push(referenceTo(resource));
  }
  return members;
}

/** Returns the lists of the APIs and static routes on the fleet of a resource. */
function membersOf(
  { spec: { fleet } }: Stored<"api"> | Stored<"staticroute">,
  members: Map<string, FleetMembers>,
): FleetMembers {
  const known = members.get(keyOf(fleet)) ?? { apis: [], staticRoutes: [] };
  members.set(keyOf(fleet), known);
  return known;
}

function referenceTo({ name, namespace }: ObjectName): ObjectName {
  return { name, namespace };
}

function showFleet(fleet: Stored<"fleet">, members: MembersByFleet, services: ServiceProbe): FleetRepresentation {
  const { name, namespace } = fleet;
  const { apis, staticRoutes } = members.get(keyOf(fleet)) ?? { apis: [], staticRoutes: [] };
  return { name, namespace, apis, services: showFleetServices(fleet, services), staticRoutes };
}

function jsonOf(view: View, object: ObjectName, { options: { services } }: Context): string {
  const { resource } = find(view, "fleet", object);
  return JSON.stringify(showFleet(resource, membersIn(view), services));
}

function repeatedPorts({ ports }: FleetSpec, text: string): ContentError[] {
  return ports.flatMap(({ port }, index) =>
    ports.findIndex((other) => other.port === port) === index
      ? []
      : [bodyError(text, `/ports/${index}/port`, `The port ${port} is there more than once.`)]
  );
}

/** Refuses a name as `targetPort` that the services of the fleet don't show. */
function unknownTargets(
  { value, text }: Extract<ResourceContent, { kind: "fine" }>,
  services: readonly ServiceRepresentation[],
): ContentError[] {
  const shown = new Set(services.flatMap(({ ports }) => ports.map(({ targetPort }) => targetPort)));
  const ports = isObject(value) && Array.isArray(value["ports"]) ? value["ports"] : [];
  return ports.flatMap((port: unknown, index) => {
    const name = isObject(port) ? port["targetPort"] : undefined;
    if (typeof name !== "string" || !/[^0-9]/.test(name) || shown.has(name)) return [];
    const detail = `The service of this fleet shows no targetPort ${name}. Write a number, or a name that GET shows.`;
    return [bodyError(text, `/ports/${index}/targetPort`, detail)];
  });
}

function stillServes(
  { namespace, name }: ObjectName,
  served: readonly (Stored<"api"> | Stored<"staticroute">)[],
): Error {
  const shown = served.slice(0, 20).map(({ kind, namespace, name }) => `${KIND_NAMES[kind]} ${namespace}/${name}`);
  const more = served.length > shown.length ? ` and ${served.length - shown.length} more` : "";
  return errorResponse(
    409,
    `The fleet ${namespace}/${name} still serves ${shown.join(", ")}${more}. ` +
      "Delete these first, or delete the fleet with `cascade=true` (`gw delete --cascade`).",
  );
}
