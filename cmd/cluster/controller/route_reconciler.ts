/**
 * Reconciles APIs and static routes:
 *
 * ```text
 * plan in force -> renderGatewayApi -> groups updated -> next step -> objects written -> undesired objects removed -> status
 * ```
 *
 * @module
 */
import type { ApiObject, RouteStatus, StaticRouteObject } from "../../../lib/cluster/custom_resource.ts";
import { idOf, keyOfObject, type KubernetesObject } from "../../../lib/cluster/object.ts";
import { fleetOfObject, ownerOfKey } from "../../../lib/cluster/owner.ts";
import { isRetired } from "../../../lib/cluster/rule_slots.ts";
import { orderRoutes } from "../../../lib/cluster/protection/route_order.ts";
import { acceptanceOfRoute, readConditions } from "../../../lib/cluster/status/conditions.ts";
import {
  acceptanceOfSpec,
  isAwaitingGateway,
  type RouteAcceptance,
  type RouteFacts,
  routeStatus,
} from "../../../lib/cluster/status/route_status.ts";
import type { IsNamespace } from "../../../lib/cluster/translate/rendering.ts";
import type { Rendering } from "../../../lib/cluster/translate/render.ts";
import { qualifiedName, type RoutePlan } from "../../../lib/gateway/route.ts";
import { locateDiagnostics } from "../../../lib/openapi/diagnostic.ts";
import { isObject } from "../../../lib/schema/json/node.ts";
import type { ResourceType } from "../client.ts";
import { OBSTACLE_RETRY_DELAY, preparationOf } from "./fleet_reconciler.ts";
import { type FleetTarget, fleetTarget, isGone } from "./fleet_targets.ts";
import { isRoute, RESOURCE_TYPES, SECURITY_POLICY, TRAFFIC_POLICY } from "./kinds.ts";
import { isTerminating, Obstacle } from "./owned_objects.ts";
import type { PlannedObject } from "./planner.ts";
import { heldPolicies, permissionsOf, protect, removeAll, removeUndesired, updateGroups } from "./protection.ts";
import { nextStep, type Rollout } from "./rollout.ts";
import type { Term } from "./term.ts";

/** The most objects of one kind that are written at the same time. */
const CONCURRENCY = 8;

/**
 * The longest time for which the first status of an API or static route waits for the gateway's status of its routes,
 * in milliseconds.
 */
const GATEWAY_REPORT_TIMEOUT = 3_000;

/** Reconciles an API or static route, by its key such as `API shop/todo`. */
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
  if (awaitsGatewayReport(term, key, statuses.newest(object), status)) return;
  await statuses.write(typeOf(key), object, { ...status });
}

/**
 * Writes the objects of an API or static route.
 *
 * @returns The facts for its status; `undefined` while its fleet isn't prepared, or while its routes are being closed.
 */
async function reconcilePlanned(term: Term, key: string, planned: PlannedObject): Promise<RouteFacts | undefined> {
  const { object, checked, plan, fleet } = planned;
  const generation = object.metadata.generation ?? 0;
  const warnings = checked.kind === "deployable" ? checked.warnings : [];
  const target = fleetTarget(term.resources.fleet, fleet);
  const acceptance = acceptanceOf(planned, target);
  if (acceptance.kind === "refused" || plan === undefined || target === undefined) {
    return await keepLastAccepted(term, key, planned, { generation, acceptance, warnings });
  }
  const preparation = preparationOf(term, plan, key);
  if (preparation.kind === "waiting") return undefined;
  if (preparation.kind === "obstacle") return { generation, acceptance, warnings, obstacle: preparation.message };
  // A namespace that is created later doesn't affect a `spec` that was accepted.
  const isNamespace = acceptanceOfSpec(object) === "accepted" ? undefined : term.isNamespace;
  const rendering = render(term, key, object, plan, target, [], isNamespace);
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
 * Deploys the last accepted plan, because the present `spec` is refused. Persists the plan, so that it stays in force
 * after a restart.
 */
async function keepLastAccepted(
  term: Term,
  key: string,
  planned: PlannedObject,
  facts: RouteFacts,
): Promise<RouteFacts | undefined> {
  const { object, stays } = planned;
  const target = stays && fleetTarget(term.resources.fleet, stays.plan.fleet);
  if (stays === undefined || target === undefined) {
    // Without an accepted plan to deploy, the routes stay as they are, unless they must be removed.
    return mustRemoveRoutes(term, key, planned) && !await removeAll(term, key) ? undefined : facts;
  }
  const forgotten = await term.revisions.keep(object, stays);
  if (forgotten !== undefined) term.requeue.addLater(key, OBSTACLE_RETRY_DELAY);
  const known: RouteFacts = { ...facts, ...(forgotten === undefined ? {} : { forgotten }) };
  const rendering = render(term, key, object, stays.plan, target, []);
  // The profile of the fleet may have changed since, to one that can't express the last accepted plan.
  if (rendering.diagnostics.length > 0) return known;
  return { ...known, deployment: await deploy(term, key, object, stays.plan, target, rendering) };
}

/** Tells whether the routes of an API or static route without a plan in force must be removed. */
function mustRemoveRoutes(
  { owned, resources, admission }: Term,
  key: string,
  { object, conflict, isDisplaced }: PlannedObject,
): boolean {
  // The plan was in force until an older API or static route claimed one of its routes.
  if (isDisplaced || (conflict !== undefined && wasAccepted(object))) return true;
  // Routes are removed from a fleet that is deleted or no longer admits the namespace. They stay if only the present
  // `spec` is wrong, such as when it names a fleet that doesn't exist.
  const { namespace = "" } = object.metadata;
  return owned.ofOwner(key).filter(isRoute).some((route) => {
    const fleet = fleetOfObject(route);
    return fleet !== undefined &&
      (isGone(resources.fleet, fleet) || admission.refusalOf(fleet, namespace) !== undefined);
  });
}

/**
 * Renders a plan, for an API or static route.
 *
 * @param open The names of the open groups.
 * @param isNamespace Tells whether the cluster has a namespace, for a `spec` that isn't accepted yet.
 */
function render(
  { plans, renderings, mocks }: Term,
  key: string,
  object: KubernetesObject,
  plan: RoutePlan,
  { gateway, profile }: FleetTarget,
  open: readonly string[],
  isNamespace?: IsNamespace,
): Rendering {
  const { apiVersion, kind, metadata: { name, uid = "" } } = object;
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false };
  const neighbours = plans.neighboursOf(key, plan.fleet);
  return renderings.render(plan, {
    gateway,
    profile,
    mocks,
    owner,
    neighbours,
    open,
    ...(isNamespace === undefined ? {} : { isNamespace }),
  });
}

/**
 * Writes the objects of a plan, and removes those that are no longer desired.
 *
 * @param closed The rendering of the plan with all groups closed.
 */
async function deploy(
  term: Term,
  key: string,
  object: KubernetesObject,
  plan: RoutePlan,
  target: FleetTarget,
  closed: Rendering,
): Promise<NonNullable<RouteFacts["deployment"]>> {
  const { owned, requeue, removals } = term;
  await term.classes.load(target.gateway);
  const gateway = term.classes.withController(target.gateway);
  // The routes are deployed, so that a removal in progress is cancelled. A later removal gets its whole time.
  removals.delete(key);
  const groups = await updateGroups(term, key, closed, plan.fleet, gateway);
  const open = closed.protections.map(({ group }) => group).filter((group) => permissionsOf(groups, group)?.isOpen);
  const rendering = open.length > 0 ? render(term, key, object, plan, target, open) : closed;
  const { protections } = rendering;
  const desired = protect(term, rendering, gateway, groups);
  const held = heldPolicies(groups, protections);
  const rollout = nextStep(term, key, desired.filter(isRoute), gateway);
  const writable = desired.filter((one) => !isRoute(one) && !held.has(keyOfObject(one)));
  const { obstacles, areRoutesPut } = await putAll(term, key, writable, rollout);
  const routes = desired.filter(isRoute).map((route) => ({
    name: route.metadata.name,
    object: owned.get(idOf(route)),
  }));
  const areAccepted = routes.every(({ object }) =>
    object !== undefined && acceptanceOfRoute(object, gateway).kind === "accepted"
  );
  if (obstacles.length > 0) requeue.addLater(key, OBSTACLE_RETRY_DELAY);
  // Rules that are being retired still refer to objects of the plan before.
  if (areRoutesPut && areAccepted && rollout.isFinal) {
    await removeUndesired(term, key, new Set(desired.map(keyOfObject)), groups, protections);
  }
  const names = new Set(routes.map(({ name }) => name));
  return {
    gateway,
    counts: rendering.counts,
    routes,
    waits: [...groups].flatMap(([group, { waitsFor: reason, isOverdue = false }]) =>
      reason === undefined ? [] : [{ group, reason, isOverdue }]
    ),
    leftovers: owned.ofOwner(key).filter((object) => isRoute(object) && !isRetired(object))
      .map(({ metadata: { name } }) => name).filter((name) => !names.has(name)),
    obstacles,
  };
}

/**
 * Writes objects: first those that routes refer to, then the routes. The routes are written in an order in which no
 * request of a guarded route reaches an open one.
 *
 * @param desired The objects except for the routes.
 */
async function putAll(
  { owned }: Term,
  key: string,
  desired: readonly KubernetesObject[],
  { routes, isWarming }: Rollout,
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
  // While new rules are warming, the present ones keep their traffic policies.
  const isHeld = (object: KubernetesObject): boolean =>
    isWarming && object.kind === TRAFFIC_POLICY && owned.get(idOf(object)) !== undefined;
  await forEachConcurrently(desired.filter((object) => !policies.includes(object) && !isHeld(object)), put);
  if (obstacles.length > 0) return { obstacles, areRoutesPut: false };
  if (isWarming) {
    await forEachConcurrently(policies, put);
    await forEachConcurrently(routes, put);
    return { obstacles, areRoutesPut: false };
  }
  await forEachConcurrently(policies, put);
  // If the policy of a route can't be written, the route stays closed. It is written all the same, because it may
  // replace an open route.
  const { length } = obstacles;
  for (const steps of orderRoutes(owned.ofOwner(key).filter(isRoute), routes)) {
    await forEachConcurrently(steps, ({ kind, route }) => kind === "put" ? put(route) : owned.remove(route));
    // A guarded route couldn't be written, and open routes could get its requests. So no further routes are written.
    if (obstacles.length > length) return { obstacles, areRoutesPut: false };
  }
  return { obstacles, areRoutesPut: true };
}

/**
 * Tells whether to delay the first status of an API or static route until the gateway has reported about its routes.
 * The gateway usually reports at once, which saves a second write of the status.
 */
function awaitsGatewayReport(
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
  const left = since + GATEWAY_REPORT_TIMEOUT - performance.now();
  if (left > 0) requeue.addLater(key, left);
  return left > 0;
}

/** Determines whether the `spec` of an API or static route is accepted, or why not. */
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

/** Tells whether the status says that the present `spec` is accepted. */
function wasAccepted({ metadata: { generation }, status }: ApiObject | StaticRouteObject): boolean {
  return readConditions(status?.conditions).some(({ type, status, observedGeneration }) =>
    type === "Accepted" && status === "True" && observedGeneration === generation
  );
}

/** Calls a function for all items, several at the same time. */
async function forEachConcurrently<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += CONCURRENCY) {
    await Promise.all(items.slice(start, start + CONCURRENCY).map(work));
  }
}

function objectOf({ resources }: Term, key: string): KubernetesObject | undefined {
  const { kind, namespace, name } = ownerOfKey(key);
  return (kind === "API" ? resources.api : resources.staticroute).get(namespace, name);
}

function typeOf(key: string): ResourceType {
  return ownerOfKey(key).kind === "API" ? RESOURCE_TYPES.api : RESOURCE_TYPES.staticroute;
}
