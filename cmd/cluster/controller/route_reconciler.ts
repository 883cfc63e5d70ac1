/**
 * Brings APIs and static routes to what they say:
 *
 * ```text
 * plan in force -> renderGatewayApi -> protections decided -> objects applied -> others pruned -> status
 * ```
 *
 * @module
 */
import { acceptanceOfRoute, readConditions } from "../../../lib/cluster/status/conditions.ts";
import { orderRoutes } from "../../../lib/cluster/protection/route_order.ts";
import { keyOfId, keyOfObject, type KubernetesObject } from "../../../lib/cluster/object.ts";
import { fleetOfObject, ownerOfKey } from "../../../lib/cluster/owner.ts";
import { protectionOf } from "../../../lib/cluster/protection/protection.ts";
import type { Mocks, Protection, Rendering } from "../../../lib/cluster/translate/render.ts";
import type { IsNamespace } from "../../../lib/cluster/translate/upstream_host.ts";
import { qualifiedName, type RoutePlan } from "../../../lib/gateway/route.ts";
import type { ApiObject, RouteStatus, StaticRouteObject } from "../../../lib/cluster/custom_resource.ts";
import {
  isAwaitingGateway,
  type RouteAcceptance,
  type RouteFacts,
  routeStatus,
} from "../../../lib/cluster/status/route_status.ts";
import { locateDiagnostics } from "../../../lib/openapi/diagnostic.ts";
import { isObject } from "../../../lib/schema/node.ts";
import type { ResourceType } from "../client.ts";
import type { Observed } from "./contract.ts";
import { type FleetTarget, isGone, targetOf } from "./fleet_targets.ts";
import type { Fleets } from "./fleet_reconciler.ts";
import { createGroups, type Decisions } from "./protection.ts";
import { HTTP_ROUTE, RESOURCE_TYPES, SECURITY_POLICY } from "./kinds.ts";
import { Obstacle, type OwnedObjects } from "./owned_objects.ts";
import type { NamespaceAdmission } from "./namespace_admission.ts";
import type { StatusWriter } from "./status_writer.ts";
import { idOf } from "./observed_objects.ts";
import type { PlannedObject, Planner } from "./planner.ts";
import { createRenderer } from "./renderings.ts";
import type { AcceptedRevisions } from "./accepted_revisions.ts";

/** What reconciling routes needs. */
export interface RoutesOptions {
  /** The object of a key, as it is observed. */
  objectOf: (key: string) => KubernetesObject | undefined;
  /** The fleets that there are. */
  fleetObjects: Pick<Observed, "get">;
  made: OwnedObjects;
  plans: Planner;
  admission: NamespaceAdmission;
  fleets: Fleets;
  writer: StatusWriter;
  revisions: AcceptedRevisions;
  mocks: Mocks;
  isNamespace: IsNamespace;
  /** From a status until the proxies surely have what it speaks of, in milliseconds. */
  settleTime: number;
  /** Has a key reconciled later, in milliseconds. */
  addLater: (key: string, wait: number) => void;
}

/** How many objects of one kind are written at the same time. */
const AT_ONCE = 8;

/**
 * How long a gateway may take to close routes that are to be deleted, in milliseconds; one that takes longer is taken for
 * dead.
 */
const MOST_CLOSING = 300_000;

/** How long the gateway is given to answer before its silence is told, in milliseconds. */
const ANSWER_WAIT = 3_000;

/** After how long it is tried again to write what could not be written, in milliseconds. */
const OBSTACLE_WAIT = 30_000;

/** Makes what reconciles APIs and static routes during one term of leadership. */
export function createRoutes(options: RoutesOptions): (key: string) => Promise<void> {
  const {
    objectOf,
    fleetObjects,
    made,
    plans,
    admission,
    fleets,
    writer,
    revisions,
    mocks,
    isNamespace,
    settleTime,
    addLater,
  } = options;
  const renderPlan = createRenderer();
  const groups = createGroups({ made, fleets, mocks, settleTime, addLater });
  /** Since when routes are being closed that are to go, by owner. */
  const closing = new Map<string, number>();
  /** Since when nothing can be said of objects but that the gateway has not answered, by key. */
  const unanswered = new Map<string, number>();

  return async (key) => {
    const object = objectOf(key);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) {
      unanswered.delete(key);
      if (!await clear(key) || object === undefined) return;
      await revisions.drop(object);
      await writer.removeFinalizer(typeOf(key), object);
      return;
    }
    const planned = plans.get(key);
    if (planned === undefined) return;
    const facts = await bring(key, planned);
    if (facts === undefined) return;
    const kept = made.ofOwner(key).filter(isRoute).map(({ metadata: { name } }) => name).sort();
    const status = routeStatus({ ...facts, kept });
    if (mayWait(key, writer.newest(object), status)) return;
    await writer.writeStatus(typeOf(key), object, { ...status });
  };

  /** Whether a status is all but said by the gateway, which nearly always answers at once: one writing is enough then. */
  function mayWait(key: string, { status: known }: KubernetesObject, status: RouteStatus): boolean {
    const isSaid = isObject(known) && known["conditions"] !== undefined;
    if (isSaid || !isAwaitingGateway(status)) {
      unanswered.delete(key);
      return false;
    }
    const since = unanswered.get(key) ?? performance.now();
    unanswered.set(key, since);
    const left = since + ANSWER_WAIT - performance.now();
    if (left > 0) addLater(key, left);
    return left > 0;
  }

  /** @returns What to say of it; nothing, when somebody else has to be waited for first. */
  async function bring(key: string, planned: PlannedObject): Promise<RouteFacts | undefined> {
    const { object, checked, plan, fleet } = planned;
    const generation = object.metadata.generation ?? 0;
    const warnings = checked.kind === "deployable" ? checked.warnings : [];
    const target = targetOf(fleetObjects, fleet);
    const acceptance = acceptanceOf(planned, target);
    if (acceptance.kind === "refused" || plan === undefined || target === undefined) {
      return await stay(key, planned, { generation, acceptance, warnings });
    }
    if (!fleets.isPrepared(plan, key)) return undefined;
    const rendering = render(key, object, plan, target, []);
    if (rendering.refusals.length > 0) {
      const errors = locateDiagnostics(rendering.refusals)
        .map(({ line, column, message }) => `${line}:${column}: ${message}`);
      const message = `A fleet with the profile ${target.profile} doesn't take it: ${errors.join(" ")}`;
      return await stay(key, planned, {
        generation,
        acceptance: { kind: "refused", reason: "Unsupported", message },
        warnings,
      });
    }
    await writer.addFinalizer(typeOf(key), object);
    const deployment = await deploy(key, object, plan, target, rendering);
    await revisions.drop(object);
    return { generation, acceptance, deployment, warnings };
  }

  /** What is refused changes nothing: what was accepted before stays in force, over restarts too. */
  async function stay(key: string, planned: PlannedObject, facts: RouteFacts): Promise<RouteFacts | undefined> {
    const { object, stays } = planned;
    const target = stays && targetOf(fleetObjects, stays.plan.fleet);
    if (stays === undefined || target === undefined) {
      // What nobody knows the definition of stays as it is.
      return hasLostItsPlace(key, planned) && !await clear(key) ? undefined : facts;
    }
    const forgotten = await revisions.keep(object, stays);
    if (forgotten !== undefined) addLater(key, OBSTACLE_WAIT);
    const known: RouteFacts = { ...facts, ...(forgotten === undefined ? {} : { forgotten }) };
    const rendering = render(key, object, stays.plan, target, []);
    // By now the fleet's profile doesn't take that either.
    if (rendering.refusals.length > 0) return known;
    return { ...known, deployment: await deploy(key, object, stays.plan, target, rendering) };
  }

  /** Whether the routes of an object that has nothing in force have to go. */
  function hasLostItsPlace(key: string, { object, conflict, isOusted }: PlannedObject): boolean {
    // It was in force until an older one took its place.
    if (isOusted || (conflict !== undefined && wasAccepted(object))) return true;
    // A fleet that is gone, or doesn't admit it any more, takes its routes along. One that never was changes nothing.
    return made.ofOwner(key).some((one) => {
      const fleet = one.kind === HTTP_ROUTE.kind ? fleetOfObject(one) : undefined;
      const { namespace = "" } = object.metadata;
      return fleet !== undefined &&
        (isGone(fleetObjects, fleet) || admission.refusalOf(fleet, namespace) !== undefined);
    });
  }

  function render(
    key: string,
    object: KubernetesObject,
    plan: RoutePlan,
    { gateway, profile }: FleetTarget,
    open: readonly string[],
  ): Rendering {
    const { apiVersion, kind, metadata: { name, uid = "" } } = object;
    const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false };
    const neighbours = plans.neighboursOf(key, plan.fleet);
    return renderPlan(plan, { gateway, profile, mocks, owner, neighbours, isNamespace, open });
  }

  async function deploy(
    key: string,
    object: KubernetesObject,
    plan: RoutePlan,
    target: FleetTarget,
    closed: Rendering,
  ): Promise<NonNullable<RouteFacts["deployment"]>> {
    const { gateway } = target;
    // Should they be closed once more, that begins anew.
    closing.delete(key);
    const decisions = await groups.decide(key, closed, plan.fleet, gateway);
    const open = closed.protections.map(({ group }) => group).filter((group) => decisions.get(group)?.isOpen === true);
    const rendering = open.length > 0 ? render(key, object, plan, target, open) : closed;
    const desired = groups.mark(rendering, gateway, decisions);
    const { obstacles, areRoutesPut } = await putAll(key, desired, heldBack(rendering.protections, decisions));
    const routes = desired.filter(isRoute);
    const isAccepted = routes.every((route) => {
      const present = made.get(idOf(route));
      return present !== undefined && acceptanceOfRoute(present, gateway).kind === "accepted";
    });
    if (obstacles.length > 0) addLater(key, OBSTACLE_WAIT);
    if (areRoutesPut && isAccepted) await prune(key, new Set(desired.map(keyOfObject)), decisions);
    const wanted = new Set(routes.map(({ metadata }) => metadata.name));
    const leftovers = made.ofOwner(key).filter((one) => isRoute(one) && !wanted.has(one.metadata.name));
    return {
      gateway,
      counts: rendering.counts,
      routes: routes.map((route) => ({ name: route.metadata.name, object: made.get(idOf(route)) })),
      waits: [...decisions].flatMap(([group, { waitsFor }]) =>
        waitsFor === undefined ? [] : [{ group, reason: waitsFor }]
      ),
      leftovers: leftovers.map(({ metadata }) => metadata.name),
      obstacles,
    };
  }

  /** Applies objects: first what routes refer to, then routes, in an order that opens nothing that is guarded. */
  async function putAll(
    key: string,
    desired: readonly KubernetesObject[],
    held: ReadonlySet<string>,
  ): Promise<{ obstacles: string[]; areRoutesPut: boolean }> {
    const obstacles: string[] = [];
    const free = desired.filter((object) => !held.has(keyOfObject(object)));
    const policies = free.filter(({ kind }) => kind === SECURITY_POLICY.kind);
    await together(free.filter((object) => !isRoute(object) && !policies.includes(object)), putOne);
    if (obstacles.length > 0) return { obstacles, areRoutesPut: false };
    // Without its policy a route is closed; it has to come all the same, where an open one stands for it until now.
    await together(policies, putOne);
    const { length } = obstacles;
    const steps = orderRoutes({ present: made.ofOwner(key).filter(isRoute), desired: free.filter(isRoute), isGuarded });
    for (const step of steps) {
      await together(step, ({ kind, route }) => kind === "put" ? putOne(route) : made.remove(route));
      // What can't be guarded must not come to lie below an open route.
      if (obstacles.length > length) return { obstacles, areRoutesPut: false };
    }
    return { obstacles, areRoutesPut: true };

    async function putOne(object: KubernetesObject): Promise<void> {
      try {
        await made.put(object);
      } catch (error) {
        if (!(error instanceof Obstacle)) throw error;
        obstacles.push(error.message);
      }
    }
  }

  /** Removes what is no longer wanted: routes first, and those that only some clients may use once they are closed. */
  async function prune(key: string, wanted: ReadonlySet<string>, decisions: Decisions): Promise<void> {
    const unwanted = made.ofOwner(key).filter((object) => !wanted.has(keyOfObject(object)));
    if (unwanted.length === 0) return;
    const all = [...decisions.values()];
    // What was protected otherwise goes on being so until what takes its place is open.
    const isReplaced = all.every(({ isOpen }) => isOpen);
    let isLeft = false;
    for (const route of openFirst(unwanted)) {
      if (!isGuarded(route) || (isReplaced && await groups.close(key, route))) {
        await made.remove(route);
        groups.forget(route);
      } else isLeft = true;
    }
    if (isLeft) return;
    // Policies of a group stay until nothing depends on them.
    const isFree = all.every(({ mayChangePolicies }) => mayChangePolicies);
    for (const object of unwanted) {
      if (isRoute(object) || (object.kind === SECURITY_POLICY.kind && !isFree)) continue;
      await made.remove(object);
    }
  }

  /** Removes all objects of an owner: routes first, and those that only some clients may use once they are closed. */
  async function clear(key: string): Promise<boolean> {
    const objects = made.ofOwner(key);
    const routes = openFirst(objects);
    const since = closing.get(key) ?? performance.now();
    closing.set(key, since);
    let areClosed = true;
    for (const route of routes) areClosed = await groups.close(key, route) && areClosed;
    const waited = performance.now() - since;
    if (!areClosed && waited < MOST_CLOSING) {
      addLater(key, MOST_CLOSING);
      return false;
    }
    // Somebody else may have deleted the routes just now.
    if (waited < settleTime && objects.some(({ kind }) => kind === SECURITY_POLICY.kind)) {
      addLater(key, settleTime - waited);
      return false;
    }
    for (const route of routes) {
      await made.remove(route);
      groups.forget(route);
    }
    for (const object of objects) if (!isRoute(object)) await made.remove(object);
    closing.delete(key);
    return true;
  }
}

/** Whether what an object says is deployed, and if not, why not. */
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

/** Whether an object was in force just as it is. */
function wasAccepted({ metadata: { generation }, status }: ApiObject | StaticRouteObject): boolean {
  return readConditions(status?.conditions).some(({ type, status, observedGeneration }) =>
    type === "Accepted" && status === "True" && observedGeneration === generation
  );
}

/** The policies that must stay as they are for now. */
function heldBack(protections: readonly Protection[], decisions: Decisions): Set<string> {
  return new Set(
    protections.filter(({ group }) => decisions.get(group)?.mayChangePolicies !== true)
      .flatMap(({ policies }) => policies.map(keyOfId)),
  );
}

function isRoute({ kind }: KubernetesObject): boolean {
  return kind === HTTP_ROUTE.kind;
}

/** Whether only some requests may pass a route. */
function isGuarded(route: KubernetesObject): boolean {
  return protectionOf(route) !== "";
}

/** The routes among objects, in the order in which they may go. */
function openFirst(objects: readonly KubernetesObject[]): KubernetesObject[] {
  return objects.filter(isRoute).toSorted((a, b) => Number(isGuarded(a)) - Number(isGuarded(b)));
}

/** Does the same with all, some at a time. */
async function together<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += AT_ONCE) {
    await Promise.all(items.slice(start, start + AT_ONCE).map(work));
  }
}

function typeOf(key: string): ResourceType {
  return ownerOfKey(key).kind === "API" ? RESOURCE_TYPES.api : RESOURCE_TYPES.staticroute;
}
