/**
 * Handles requests that deploy the definition of an API or a static route:
 *
 * ```text
 * content -> fleet -> examine -> conflict with other plans -> store -> gateway
 * ```
 *
 * @module
 */
import { refusalOfNamespace } from "../../gateway/allowed_namespaces.ts";
import type { Context, ManagementCall } from "../context.ts";
import { type ApiContent, type ContentError, readApiContent, readJsonContent } from "../content.ts";
import { conflictOf, examine, rivalsOf } from "../deployment.ts";
import { flagOf } from "../../api/query.ts";
import { errorResponse } from "../../api/error_response.ts";
import { type AnyResource, type FleetSpec, keyOf, type ObjectName } from "../../gateway/resource.ts";
import type { Change, Stored } from "../store.ts";
import { find, KIND_NAMES } from "./read.ts";
import { authorize, checkMatch, misnamed } from "./write.ts";
import { readManagedSource } from "../source.ts";
import { readConditions } from "../../cluster/status/conditions.ts";
import { isObject } from "../../schema/json/node.ts";

type DeployedKind = "api" | "staticroute";

/** The operationIds of the operations that create a resource of each kind. */
const CREATION: Readonly<Record<DeployedKind, string>> = { api: "createApi", staticroute: "createStaticRoute" };

/** How a deployment names its fleet, for messages: in the management API, and on the command line. */
const NAMING = "`proxyFleetName` (`gw deploy --fleet`)";

/** How a fleet is created, for messages: in the management API, and on the command line. */
const CREATING = "`POST /fleets` (`gw create fleet`)";

/** The result of a deployment. `understood` has the fields that could be read from invalid content. */
export type Deployed =
  | {
    kind: "deployed";
    resource: Stored<"api"> | Stored<"staticroute">;
    warnings: readonly string[];
    /** The URLs at which the fleet listens. Empty if they aren't known, or after a dry run. */
    urls: readonly string[];
    isDryRun: boolean;
  }
  | { kind: "bad-content"; understood: ApiContent; errors: readonly ContentError[] };

export async function create(
  kind: DeployedKind,
  call: ManagementCall,
  context: Context,
): Promise<Deployed> {
  const isDryRun = flagOf(call.query, "dryRun");
  const content = await readJsonContent(call, context);
  const read = readApiContent(content.value);
  const understood = { ...read, namespace: read.namespace || "default" };
  if (content.kind === "bad") return { kind: "bad-content", understood, errors: content.errors };
  const { namespace, name } = understood;
  await authorize(call, context, CREATION[kind], understood);
  const fleet = understood.fleet ?? context.options.defaultFleet();
  const source = readManagedSource(call.request.headers);
  await checkAbsent();
  return await deploy(kind, { ...understood, fleet, source }, isDryRun, context, async (resource) => {
    await checkAbsent();
    return { kind: "create", resource };
  });

  async function checkAbsent(): Promise<void> {
    if (!(await context.view())[kind].has(keyOf(understood))) return;
    throw errorResponse(409, `There is already the ${KIND_NAMES[kind]} ${namespace}/${name}. Replace it by PUT.`);
  }
}

export async function replace(
  kind: DeployedKind,
  call: ManagementCall,
  context: Context,
): Promise<Deployed> {
  const isDryRun = flagOf(call.query, "dryRun");
  const { object } = call;
  const { resource: before } = find(await context.view(), kind, object);
  checkMatch(call, context, before);
  const content = await readJsonContent(call, context);
  const read = readApiContent(content.value);
  const understood = { ...read, ...object };
  const errors = content.kind === "bad" ? content.errors : misnamed(read, object, content.text);
  if (errors.length > 0) return { kind: "bad-content", understood, errors };
  const fleet = read.fleet ?? before.spec.fleet;
  const deployment = { ...understood, fleet, source: readManagedSource(call.request.headers) ?? before.spec.source };
  if (isSameDeployment(deployment, before, context)) {
    return await unchanged(kind, deployment, before, isDryRun, context);
  }
  return await deploy(kind, deployment, isDryRun, context, async (resource) => {
    const { resource: now } = find(await context.view(), kind, object);
    checkMatch(call, context, now);
    return { kind: "update", resource, ifVersion: now.version };
  });
}

export async function remove(kind: DeployedKind, call: ManagementCall, context: Context): Promise<Response> {
  const isDryRun = flagOf(call.query, "dryRun");
  return await context.changer.exclusively(async () => {
    const { resource } = find(await context.view(), kind, call.object);
    checkMatch(call, context, resource);
    await context.changer.apply([{ kind: "delete", resource, ifVersion: resource.version }], isDryRun);
    return new Response(null, { status: 204 });
  });
}

/** The content of a deployment with its fleet, and the source of its name if that is known. */
interface DeployedContent extends ApiContent {
  fleet: ObjectName;
  source: string | undefined;
}

/**
 * Tells whether a text is deployed already, to the same fleet, and is in force. One that the gateway failed to serve,
 * or that is held back by a conflict, is deployed again.
 */
function isSameDeployment(
  { fleet, openapi }: DeployedContent,
  { kind, namespace, name, spec }: Stored<"api"> | Stored<"staticroute">,
  { options: { gateway, objectOf } }: Context,
): boolean {
  if (spec.openapi !== openapi || keyOf(spec.fleet) !== keyOf(fleet)) return false;
  const object = objectOf?.(kind, { namespace, name });
  if (object !== undefined) {
    const conditions = isObject(object.status) ? readConditions(object.status["conditions"]) : [];
    return conditions.length > 0 && conditions.every(({ status }) => status !== "False");
  }
  const planned = kind === "api" ? "api" : "static-route";
  return gateway.plansOf(fleet).some((plan) =>
    plan.kind === planned && plan.namespace === namespace && plan.name === name
  );
}

/** Answers a deployment that changes nothing. A text that newer rules refuse stays in force, with warnings. */
async function unchanged(
  kind: DeployedKind,
  { namespace, name, fleet, openapi }: DeployedContent,
  resource: Stored<"api"> | Stored<"staticroute">,
  isDryRun: boolean,
  { options }: Context,
): Promise<Deployed> {
  const examined = await examine({ kind, namespace, name, fleet, openapi }, options);
  const warnings = examined.kind === "deployable"
    ? examined.warnings
    : examined.errors.map(({ line, column, detail }) => `${line}:${column}: ${detail} ${STAYS}`);
  const urls = isDryRun ? [] : options.gateway.urlsOf?.(fleet) ?? [];
  return { kind: "deployed", resource, warnings, urls, isDryRun };
}

const STAYS = "It stays in force as it is; a change of the definition would be refused for it.";

async function deploy(
  kind: DeployedKind,
  content: DeployedContent,
  isDryRun: boolean,
  context: Context,
  changeTo: (resource: AnyResource) => Promise<Change>,
): Promise<Deployed> {
  const { options: { gateway }, changer } = context;
  const { namespace, name, fleet, openapi, source } = content;
  await checkFleet();
  const examined = await examine({ kind, namespace, name, fleet, openapi }, context.options);
  if (examined.kind === "refused") return { kind: "bad-content", understood: content, errors: examined.errors };
  const { plan, summary, warnings } = examined;

  return await changer.exclusively(async () => {
    await checkFleet();
    const spec = { fleet, openapi, summary, ...(source === undefined ? {} : { source }) };
    const change = await changeTo({ kind, namespace, name, spec });
    const conflict = conflictOf(plan, rivalsOf(plan, gateway));
    if (conflict !== undefined) throw errorResponse(409, conflict);
    if (!isDryRun) gateway.expect?.(plan, warnings);
    const [resource] = await changer.apply([change], isDryRun);
    if (resource === undefined || resource.kind === "fleet") throw new Error(`The store gave no ${kind} back.`);
    const urls = isDryRun ? [] : gateway.urlsOf?.(fleet) ?? [];
    return { kind: "deployed", resource, warnings, urls, isDryRun };
  });

  async function checkFleet(): Promise<void> {
    const known = (await context.view()).fleet.get(keyOf(fleet));
    if (known !== undefined) return checkNamespace(known.resource.spec);
    const isDefault = keyOf(fleet) === keyOf(context.options.defaultFleet());
    const which = `fleet ${fleet.namespace}/${fleet.name}`;
    const detail = isDefault
      ? `There is no default fleet, ${which}. Name one by ${NAMING}, or create it by ${CREATING}.`
      : `There is no ${which}. Name another by ${NAMING}, or create it by ${CREATING}.`;
    throw errorResponse(409, detail);
  }

  /**
   * Throws 403 if the fleet doesn't admit the namespace. The status isn't 400, because correcting the request doesn't
   * help: the owner of the fleet decides.
   */
  function checkNamespace({ allowedNamespaces }: FleetSpec): void {
    const { labelsOf = () => ({}) } = context.options;
    const refused = refusalOfNamespace(fleet, allowedNamespaces, { name: namespace, labels: labelsOf(namespace) });
    if (refused !== undefined) throw errorResponse(403, refused);
  }
}
