/**
 * Reconciles APIs and static routes:
 *
 * ```text
 * plan in force -> renderGatewayApi -> groups updated -> objects written -> undesired objects removed -> status
 * ```
 *
 * @module
 */
import type { ApiObject, RouteStatus, StaticRouteObject } from "../../../lib/cluster/custom_resource.ts";
import { idOf, keyOfObject, type KubernetesObject } from "../../../lib/cluster/object.ts";
import { fleetOfObject, ownerOfKey } from "../../../lib/cluster/owner.ts";
import { orderRoutes } from "../../../lib/cluster/protection/route_order.ts";
import { acceptanceOfRoute, readConditions } from "../../../lib/cluster/status/conditions.ts";
import {
  isAwaitingGateway,
  type RouteAcceptance,
  type RouteFacts,
  routeStatus,
} from "../../../lib/cluster/status/route_status.ts";
import type { Rendering } from "../../../lib/cluster/translate/render.ts";
import { qualifiedName, type RoutePlan } from "../../../lib/gateway/route.ts";
import { locateDiagnostics } from "../../../lib/openapi/diagnostic.ts";
import { isObject } from "../../../lib/schema/node.ts";
import type { ResourceType } from "../client.ts";
import { isPrepared } from "./fleet_reconciler.ts";
import { type FleetTarget, isGone, targetOf } from "./fleet_targets.ts";
import { isRoute, RESOURCE_TYPES, SECURITY_POLICY } from "./kinds.ts";
import { isTerminating, Obstacle } from "./owned_objects.ts";
import type { PlannedObject } from "./planner.ts";
import { heldPolicies, permissionsOf, protect, removeAll, removeUndesired, updateGroups } from "./protection.ts";
import type { Term } from "./term.ts";

/** How many objects of one kind are written at the same time. */
const AT_ONCE = 8;

/** How long the first status of an object waits until the gateway has reported on its routes, in milliseconds. */
const ANSWER_WAIT = 3_000;

/** The time until the next try to write an object that could not be written, in milliseconds. */
const OBSTACLE_WAIT = 30_000;

/** Reconciles an API or a static route. */
export async function reconcileRoutes(term: Term, key: string): Promise<void> {
  const { owned, plans, statuses, revisions, unanswered } = term;
  const object = objectOf(term, key);
  if (object === undefined || isTerminating(object)) {
    unanswered.delete(key);
    if (!await removeAll(term, key) || object === undefined) return;
    await revisions.drop(object);
    await statuses.removeFinalizer(typeOf(key), object);
    return;
  }
  const planned = plans.get(key);
  if (planned === undefined) return;
  const facts = await reconcilePlanned(term, key, planned);
  if (facts === undefined) return;
  const kept = owned.ofOwner(key).filter(isRoute).map(({ metadata: { name } }) => name).sort();
  const status = routeStatus({ ...facts, kept });
  if (mayWait(term, key, statuses.newest(object), status)) return;
  await statuses.write(typeOf(key), object, { ...status });
}

/**
 * @returns The facts that the status is made of; `undefined` while the fleet is being prepared, or routes are being
 * closed.
 */
async function reconcilePlanned(term: Term, key: string, planned: PlannedObject): Promise<RouteFacts | undefined> {
  const { object, checked, plan, fleet } = planned;
  const generation = object.metadata.generation ?? 0;
  const warnings = checked.kind === "deployable" ? checked.warnings : [];
  const target = targetOf(term.resources.fleet, fleet);
  const acceptance = acceptanceOf(planned, target);
  if (acceptance.kind === "refused" || plan === undefined || target === undefined) {
    return await keepLastAccepted(term, key, planned, { generation, acceptance, warnings });
  }
  if (!isPrepared(term, plan, key)) return undefined;
  const rendering = render(term, key, object, plan, target, []);
  if (rendering.diagnostics.length > 0) {
    const errors = locateDiagnostics(rendering.diagnostics)
      .map(({ line, column, message }) => `${line}:${column}: ${message}`);
    const message = `A fleet with the profile ${target.profile} can't express this definition: ${errors.join(" ")}`;
    const refused: RouteAcceptance = { kind: "refused", reason: "Unsupported", message };
    return await keepLastAccepted(term, key, planned, { generation, acceptance: refused, warnings });
  }
  await term.statuses.addFinalizer(typeOf(key), object);
  const deployment = await deploy(term, key, object, plan, target, rendering);
  await term.revisions.drop(object);
  return { generation, acceptance, deployment, warnings };
}

/**
 * Deploys the last accepted plan, because the present spec is refused. Persists it, so that it stays in force after
 * restarts too.
 */
async function keepLastAccepted(
  term: Term,
  key: string,
  planned: PlannedObject,
  facts: RouteFacts,
): Promise<RouteFacts | undefined> {
  const { object, stays } = planned;
  const target = stays && targetOf(term.resources.fleet, stays.plan.fleet);
  if (stays === undefined || target === undefined) {
    // Without an accepted plan to deploy, the routes stay as they are unless they must be removed.
    return mustRemoveRoutes(term, key, planned) && !await removeAll(term, key) ? undefined : facts;
  }
  const forgotten = await term.revisions.keep(object, stays);
  if (forgotten !== undefined) term.requeue.addLater(key, OBSTACLE_WAIT);
  const known: RouteFacts = { ...facts, ...(forgotten === undefined ? {} : { forgotten }) };
  const rendering = render(term, key, object, stays.plan, target, []);
  // The fleet may have got another profile since the acceptance, one that can't express the last accepted spec.
  if (rendering.diagnostics.length > 0) return known;
  return { ...known, deployment: await deploy(term, key, object, stays.plan, target, rendering) };
}

/** Whether the routes of an object without a plan in force must be removed. */
function mustRemoveRoutes(
  { owned, resources, admission }: Term,
  key: string,
  { object, conflict, isOusted }: PlannedObject,
): boolean {
  // The object was in force until an older object claimed one of its routes.
  if (isOusted || (conflict !== undefined && wasAccepted(object))) return true;
  // The routes are removed from a fleet that is deleted or no longer admits the namespace. They stay if the object now
  // names a fleet that never existed.
  const { namespace = "" } = object.metadata;
  return owned.ofOwner(key).filter(isRoute).some((route) => {
    const fleet = fleetOfObject(route);
    return fleet !== undefined &&
      (isGone(resources.fleet, fleet) || admission.refusalOf(fleet, namespace) !== undefined);
  });
}

/** @param open The groups of protected routes that lead to their upstreams. */
function render(
  { plans, renderings, mocks, isNamespace }: Term,
  key: string,
  object: KubernetesObject,
  plan: RoutePlan,
  { gateway, profile }: FleetTarget,
  open: readonly string[],
): Rendering {
  const { apiVersion, kind, metadata: { name, uid = "" } } = object;
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false };
  const neighbours = plans.neighboursOf(key, plan.fleet);
  return renderings.render(plan, { gateway, profile, mocks, owner, neighbours, isNamespace, open });
}

/** @param closed The rendering with all groups of protected routes closed. */
async function deploy(
  term: Term,
  key: string,
  object: KubernetesObject,
  plan: RoutePlan,
  target: FleetTarget,
  closed: Rendering,
): Promise<NonNullable<RouteFacts["deployment"]>> {
  const { owned, requeue, removals } = term;
  const { gateway } = target;
  // The routes are deployed, so they aren't being removed any more: the time limit for closing them will start anew.
  removals.delete(key);
  const groups = await updateGroups(term, key, closed, plan.fleet, gateway);
  const open = closed.protections.map(({ group }) => group).filter((group) => permissionsOf(groups, group)?.isOpen);
  const rendering = open.length > 0 ? render(term, key, object, plan, target, open) : closed;
  const { protections } = rendering;
  const desired = protect(term, rendering, gateway, groups);
  const held = heldPolicies(groups, protections);
  const { obstacles, areRoutesPut } = await putAll(term, key, desired.filter((one) => !held.has(keyOfObject(one))));
  const routes = desired.filter(isRoute).map((route) => ({
    name: route.metadata.name,
    object: owned.get(idOf(route)),
  }));
  const areAccepted = routes.every(({ object }) =>
    object !== undefined && acceptanceOfRoute(object, gateway).kind === "accepted"
  );
  if (obstacles.length > 0) requeue.addLater(key, OBSTACLE_WAIT);
  if (areRoutesPut && areAccepted) {
    await removeUndesired(term, key, new Set(desired.map(keyOfObject)), groups, protections);
  }
  const names = new Set(routes.map(({ name }) => name));
  return {
    gateway,
    counts: rendering.counts,
    routes,
    waits: [...groups].flatMap(([group, { waitsFor }]) => waitsFor === undefined ? [] : [{ group, reason: waitsFor }]),
    leftovers: owned.ofOwner(key).filter(isRoute).map(({ metadata: { name } }) => name)
      .filter((name) => !names.has(name)),
    obstacles,
  };
}

/**
 * Writes objects: first those that routes refer to, then the routes. The order of the routes ensures that requests of a
 * guarded route (one with protection) never reach an open route.
 */
async function putAll(
  { owned }: Term,
  key: string,
  desired: readonly KubernetesObject[],
): Promise<{ obstacles: string[]; areRoutesPut: boolean }> {
  const obstacles: string[] = [];
  const put = async (object: KubernetesObject): Promise<void> => {
    try {
      await owned.put(object);
    } catch (error) {
      if (!(error instanceof Obstacle)) throw error;
      obstacles.push(error.message);
    }
  };
  const policies = desired.filter(({ kind }) => kind === SECURITY_POLICY.kind);
  const routes = desired.filter(isRoute);
  await forEachAtOnce(desired.filter((object) => !isRoute(object) && !policies.includes(object)), put);
  if (obstacles.length > 0) return { obstacles, areRoutesPut: false };
  await forEachAtOnce(policies, put);
  // A route whose policy can't be written is closed. It must be written nevertheless: it may replace an open route.
  const { length } = obstacles;
  for (const steps of orderRoutes(owned.ofOwner(key).filter(isRoute), routes)) {
    await forEachAtOnce(steps, ({ kind, route }) => kind === "put" ? put(route) : owned.remove(route));
    // If a guarded route couldn't be written, open routes could get its requests: no further routes are written.
    if (obstacles.length > length) return { obstacles, areRoutesPut: false };
  }
  return { obstacles, areRoutesPut: true };
}

/**
 * Whether to delay the first status of an object until the gateway has reported on its routes. The gateway nearly
 * always reports at once, so that one write of the status is enough.
 */
function mayWait(
  { unanswered, requeue }: Term,
  key: string,
  { status: known }: KubernetesObject,
  status: RouteStatus,
): boolean {
  const isFirst = !isObject(known) || known["conditions"] === undefined;
  if (!isFirst || !isAwaitingGateway(status)) {
    unanswered.delete(key);
    return false;
  }
  const since = unanswered.get(key) ?? performance.now();
  unanswered.set(key, since);
  const left = since + ANSWER_WAIT - performance.now();
  if (left > 0) requeue.addLater(key, left);
  return left > 0;
}

/** Whether the spec of an object can be deployed, and why not. */
function acceptanceOf(
  { fleet, checked, conflict, notAdmitted }: PlannedObject,
  target: FleetTarget | undefined,
): RouteAcceptance {
  const name = qualifiedName(fleet);
  if (checked.kind === "refused") {
    const message = `The definition can't be deployed: ${checked.errors.join(" ")}`;
    return { kind: "refused", reason: "Invalid", message };
  }
  if (target === undefined) {
    return { kind: "refused", reason: "FleetNotFound", message: `There is no fleet ${name}.` };
  }
  if (notAdmitted !== undefined) return { kind: "refused", reason: "NotAllowedByFleet", message: notAdmitted };
  return conflict === undefined
    ? { kind: "accepted", fleet: name }
    : { kind: "refused", reason: "Conflicted", message: conflict };
}

/** Whether the present generation of an object was accepted. */
function wasAccepted({ metadata: { generation }, status }: ApiObject | StaticRouteObject): boolean {
  return readConditions(status?.conditions).some(({ type, status, observedGeneration }) =>
    type === "Accepted" && status === "True" && observedGeneration === generation
  );
}

/** Calls `work` for all items, several at the same time. */
async function forEachAtOnce<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += AT_ONCE) {
    await Promise.all(items.slice(start, start + AT_ONCE).map(work));
  }
}

function objectOf({ resources }: Term, key: string): KubernetesObject | undefined {
  const { kind, namespace, name } = ownerOfKey(key);
  return (kind === "API" ? resources.api : resources.staticroute).get(namespace, name);
}

function typeOf(key: string): ResourceType {
  return ownerOfKey(key).kind === "API" ? RESOURCE_TYPES.api : RESOURCE_TYPES.staticroute;
}
