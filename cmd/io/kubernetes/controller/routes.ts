/**
 * Brings APIs and static routes to what they say:
 *
 * ```text
 * plan in force -> renderGatewayApi -> protections decided -> objects applied -> others pruned -> status
 * ```
 *
 * @module
 */
import { closedRoute } from "../../../../lib/gateway/kubernetes/closed_route.ts";
import {
  type Acceptance,
  acceptanceOfPolicy,
  acceptanceOfRoute,
  type GatewayName,
  gatewayOfRoute,
  readConditions,
} from "../../../../lib/gateway/kubernetes/conditions.ts";
import { keyOfId, keyOfObject, type KubernetesObject } from "../../../../lib/gateway/kubernetes/object.ts";
import { ownerOfKey } from "../../../../lib/gateway/kubernetes/owner.ts";
import {
  CLOSED,
  decideProtection,
  type GroupDecision,
  type GroupMemory,
  openWith,
  PROTECTION_ANNOTATION,
  protectionOf,
} from "../../../../lib/gateway/kubernetes/protection.ts";
import {
  type Mocks,
  type Protection,
  renderGatewayApi,
  type Rendering,
} from "../../../../lib/gateway/kubernetes/render.ts";
import type { RoutePlan } from "../../../../lib/gateway/route.ts";
import type { ApiObject, StaticRouteObject } from "../../../../lib/management/kubernetes/custom_resource.ts";
import {
  type RouteAcceptance,
  type RouteFacts,
  routeStatus,
} from "../../../../lib/management/kubernetes/route_status.ts";
import { toDiagnostics } from "../../../../lib/openapi/diagnostic.ts";
import type { ResourceType } from "../client.ts";
import type { Fleets, FleetTarget } from "./fleets.ts";
import { HTTP_ROUTE, RESOURCE_TYPES, SECURITY_POLICY } from "./kinds.ts";
import { idOf, type MadeObjects, Obstacle } from "./made_objects.ts";
import type { ObjectWriter } from "./object_writer.ts";
import { nameOf, type PlannedObject, type Plans } from "./plans.ts";

/** What reconciling routes needs. */
export interface RoutesOptions {
  /** The object of a key, as it is observed. */
  objectOf: (key: string) => KubernetesObject | undefined;
  made: MadeObjects;
  plans: Plans;
  fleets: Fleets;
  writer: ObjectWriter;
  mocks: Mocks;
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

/** Makes what reconciles APIs and static routes. */
export function createRoutes(options: RoutesOptions): (key: string) => Promise<void> {
  const { objectOf, made, plans, fleets, writer, mocks, settleTime, addLater } = options;
  /** What is remembered of closed groups, by the key of their route. */
  const memories = new Map<string, GroupMemory>();
  /** Since when routes are being closed that are to go, by owner. */
  const closing = new Map<string, number>();

  return async (key) => {
    const object = objectOf(key);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) {
      if (!await clear(key) || object === undefined) return;
      await writer.removeFinalizer(typeOf(key), object);
      return;
    }
    const planned = plans.get(key);
    if (planned === undefined) return;
    const facts = await bring(key, planned);
    if (facts !== undefined) await writer.writeStatus(typeOf(key), object, { ...routeStatus(facts) });
  };

  /** @returns What to say of it; nothing, when somebody else has to be waited for first. */
  async function bring(key: string, planned: PlannedObject): Promise<RouteFacts | undefined> {
    const { object, judgement, inForce, conflict, fleet } = planned;
    const generation = object.metadata.generation ?? 0;
    const warnings = judgement.kind === "deployable" ? judgement.warnings : [];
    const target = fleets.targetOf(fleet);
    const acceptance = acceptanceOf(planned, target);
    if (target === undefined) return { generation, acceptance, warnings };
    if (inForce === undefined) {
      // It was in force until an older one took its place: its routes go. What an earlier state has left stays.
      if (conflict !== undefined && wasAccepted(object) && !await clear(key)) return undefined;
      return { generation, acceptance, warnings };
    }
    if (!fleets.isPrepared(fleet, object.metadata.namespace ?? "", key)) return undefined;
    const first = render(key, object, inForce, target, () => false);
    if (first.refusals.length > 0) {
      const faults = toDiagnostics(first.refusals).map(({ line, column, message }) => `${line}:${column}: ${message}`);
      const message = `The profile ${target.profile} can't express it: ${faults.join(" ")}`;
      return { generation, acceptance: { kind: "refused", reason: "Unsupported", message }, warnings };
    }
    await writer.addFinalizer(typeOf(key), object);
    const deployment = await deploy(key, object, inForce, target, first);
    return { generation, acceptance, deployment, warnings };
  }

  function render(
    key: string,
    object: KubernetesObject,
    plan: RoutePlan,
    { gateway, profile }: FleetTarget,
    isOpen: (group: string) => boolean,
  ): Rendering {
    const { apiVersion, kind, metadata: { name, uid = "" } } = object;
    const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false };
    return renderGatewayApi(plan, { gateway, profile, mocks, owner, neighbours: plans.neighboursOf(key), isOpen });
  }

  async function deploy(
    key: string,
    object: KubernetesObject,
    plan: RoutePlan,
    target: FleetTarget,
    closed: Rendering,
  ): Promise<NonNullable<RouteFacts["deployment"]>> {
    const { gateway } = target;
    const decisions = await decideAll(key, closed, gateway);
    const isOpen = (group: string): boolean => decisions.get(group)?.isOpen ?? false;
    const rendering = [...decisions.values()].some(({ isOpen }) => isOpen)
      ? render(key, object, plan, target, isOpen)
      : closed;
    const desired = markAll(rendering, gateway, isOpen);
    const obstacles = await putAll(desired, heldBack(rendering.protections, decisions));
    const routes = desired.filter(({ kind }) => kind === HTTP_ROUTE.kind);
    const isAccepted = routes.every((route) => {
      const present = made.get(idOf(route));
      return present !== undefined && acceptanceOfRoute(present, gateway).kind === "accepted";
    });
    if (isAccepted && obstacles.length === 0) await prune(key, new Set(desired.map(keyOfObject)), decisions);
    return {
      gateway,
      counts: rendering.counts,
      routes: routes.map((route) => ({ name: route.metadata.name, object: made.get(idOf(route)) })),
      waits: [...decisions].flatMap(([group, { waitsFor }]) =>
        waitsFor === undefined ? [] : [{ group, reason: waitsFor }]
      ),
      obstacles,
    };
  }

  async function decideAll(
    key: string,
    { objects, protections }: Rendering,
    gateway: GatewayName,
  ): Promise<Map<string, GroupDecision>> {
    const decisions = new Map<string, GroupDecision>();
    if (protections.length === 0) return decisions;
    const drain = await fleets.drainOf(gateway);
    const desired = new Map(objects.map((object) => [keyOfObject(object), object]));
    for (const protection of protections) {
      const route = made.get(protection.route);
      const policies = protection.policies.map((id) => ({ present: made.get(id), wanted: desired.get(keyOfId(id)) }));
      const isSame = policies.every(({ wanted }) => wanted !== undefined && made.isAsWanted(wanted));
      const decision = decide(keyOfId(protection.route), {
        fingerprint: fingerprintOf(protection, gateway),
        route: protectionOf(route),
        routeAcceptance: route === undefined ? { kind: "pending" } : acceptanceOfRoute(route, gateway),
        policies: isSame ? "same" : policies.every(({ present }) => present === undefined) ? "none" : "different",
        policiesAcceptance: allOf(policies.map(({ present }) => present && acceptanceOfPolicy(present))),
      }, drain);
      decisions.set(protection.group, decision);
      if (decision.lookAgain !== undefined) addLater(key, decision.lookAgain);
    }
    return decisions;
  }

  function decide(route: string, group: Parameters<typeof decideProtection>[0], drain: number): GroupDecision {
    const decision = decideProtection(group, memories.get(route), { settle: settleTime, drain }, performance.now());
    memories.set(route, decision.memory);
    return decision;
  }

  /** Applies objects in their order, those of one kind at the same time. */
  async function putAll(desired: readonly KubernetesObject[], held: ReadonlySet<string>): Promise<string[]> {
    const obstacles: string[] = [];
    const free = desired.filter((object) => !held.has(keyOfObject(object)));
    for (let start = 0; start < free.length;) {
      const kind = free[start]?.kind;
      let end = start + 1;
      while (end < free.length && end - start < AT_ONCE && free[end]?.kind === kind) end++;
      await Promise.all(
        free.slice(start, end).map(async (object) => {
          try {
            await made.put(object);
          } catch (error) {
            if (!(error instanceof Obstacle)) throw error;
            obstacles.push(error.message);
          }
        }),
      );
      start = end;
    }
    return obstacles;
  }

  /** Removes what is no longer wanted: routes first, and those that only some clients may use once they are closed. */
  async function prune(
    key: string,
    wanted: ReadonlySet<string>,
    decisions: ReadonlyMap<string, GroupDecision>,
  ): Promise<void> {
    const unwanted = made.ofOwner(key).filter((object) => !wanted.has(keyOfObject(object)));
    if (unwanted.length === 0) return;
    const routes = unwanted.filter(({ kind }) => kind === HTTP_ROUTE.kind);
    for (const route of routes) if (!await isClosed(key, route)) return;
    for (const route of routes) await made.remove(route);
    // Policies of a group stay until nothing depends on them.
    const isFree = [...decisions.values()].every(({ mayChangePolicies }) => mayChangePolicies);
    for (const object of unwanted) {
      if (object.kind === HTTP_ROUTE.kind || (object.kind === SECURITY_POLICY.kind && !isFree)) continue;
      await made.remove(object);
    }
  }

  /** Removes all objects of an owner. */
  async function clear(key: string): Promise<boolean> {
    const objects = made.ofOwner(key);
    const routes = objects.filter(({ kind }) => kind === HTTP_ROUTE.kind);
    const since = closing.get(key) ?? performance.now();
    closing.set(key, since);
    const isLost = performance.now() - since > MOST_CLOSING;
    let areClosed = true;
    for (const route of routes) areClosed = await isClosed(key, route) && areClosed;
    if (!areClosed && !isLost) {
      addLater(key, MOST_CLOSING);
      return false;
    }
    for (const route of routes) await made.remove(route);
    for (const object of objects) if (object.kind !== HTTP_ROUTE.kind) await made.remove(object);
    for (const route of routes) memories.delete(keyOfObject(route));
    closing.delete(key);
    return true;
  }

  /** Whether a route that is to go can go; one that only some clients may use is closed first. */
  async function isClosed(key: string, route: KubernetesObject): Promise<boolean> {
    const protection = protectionOf(route);
    if (protection === undefined || protection === "") return true;
    if (protection !== CLOSED) {
      await made.put(mark(closedRoute(route, mocks), CLOSED));
      return false;
    }
    const gateway = gatewayOfRoute(route);
    const decision = decide(keyOfObject(route), {
      fingerprint: "",
      route: protection,
      routeAcceptance: gateway === undefined ? { kind: "pending" } : acceptanceOfRoute(route, gateway),
      policies: "different",
      policiesAcceptance: { kind: "pending" },
    }, 0);
    if (decision.lookAgain !== undefined) addLater(key, decision.lookAgain);
    return decision.isSealed;
  }
}

/** Whether what an object says is deployed, and if not, why not. */
function acceptanceOf({ fleet, judgement, conflict }: PlannedObject, target: FleetTarget | undefined): RouteAcceptance {
  const name = nameOf(fleet);
  if (judgement.kind === "refused") {
    const message = `The definition can't be deployed: ${judgement.faults.join(" ")}`;
    return { kind: "refused", reason: "Invalid", message };
  }
  if (target === undefined) {
    return { kind: "refused", reason: "FleetNotFound", message: `There is no fleet ${name}.` };
  }
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

/** The objects of a rendering, with what protected routes say of themselves. */
function markAll(
  { objects, protections }: Rendering,
  gateway: GatewayName,
  isOpen: (group: string) => boolean,
): KubernetesObject[] {
  const marks = new Map(protections.map((protection) => [
    keyOfId(protection.route),
    isOpen(protection.group) ? openWith(fingerprintOf(protection, gateway)) : CLOSED,
  ]));
  return objects.map((object) => {
    const value = marks.get(keyOfObject(object));
    return value === undefined ? object : mark(object, value);
  });
}

function mark(object: KubernetesObject, value: string): KubernetesObject {
  const { metadata } = object;
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [PROTECTION_ANNOTATION]: value } },
  };
}

/** The policies that must stay as they are for now. */
function heldBack(protections: readonly Protection[], decisions: ReadonlyMap<string, GroupDecision>): Set<string> {
  return new Set(
    protections.filter(({ group }) => decisions.get(group)?.mayChangePolicies !== true)
      .flatMap(({ policies }) => policies.map(keyOfId)),
  );
}

/** On another Gateway, what protects a group begins anew. */
function fingerprintOf({ fingerprint }: Protection, gateway: GatewayName): string {
  return `${fingerprint} ${nameOf(gateway)}`;
}

function allOf(acceptances: readonly (Acceptance | undefined)[]): Acceptance {
  const refused = acceptances.find((one) => one?.kind === "refused");
  if (refused !== undefined) return refused;
  return { kind: acceptances.every((one) => one?.kind === "accepted") ? "accepted" : "pending" };
}

function typeOf(key: string): ResourceType {
  return ownerOfKey(key).kind === "API" ? RESOURCE_TYPES.api : RESOURCE_TYPES.staticroute;
}
