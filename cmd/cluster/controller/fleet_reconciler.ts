import { DEFAULT_DRAIN, drainTimeOf, envoyProxyOf } from "../../../lib/cluster/protection/drain.ts";
import { renderFleet } from "../../../lib/cluster/translate/fleet.ts";
import {
  type Acceptance,
  acceptanceOfPolicy,
  acceptanceOfRoute,
  type GatewayName,
  gatewayOfRoute,
} from "../../../lib/cluster/status/conditions.ts";
import { keyOfObject, type KubernetesObject } from "../../../lib/cluster/object.ts";
import { keyOfOwner, ownerOf, ownerOfKey } from "../../../lib/cluster/owner.ts";
import { CLOSED, isChecked, protectionOf } from "../../../lib/cluster/protection/protection.ts";
import type { Mocks } from "../../../lib/cluster/translate/render.ts";
import { type FleetRef, qualifiedName, type RoutePlan } from "../../../lib/gateway/route.ts";
import { isFleetObject } from "../../../lib/cluster/convert.ts";
import type { FleetObject } from "../../../lib/cluster/custom_resource.ts";
import { fleetStatus } from "../../../lib/cluster/status/fleet_status.ts";
import { isObject } from "../../../lib/schema/node.ts";
import type { KubeClient } from "../client.ts";
import type { Observed } from "./contract.ts";
import { hasChecks } from "./fleet_plans.ts";
import { gatewayOf } from "./fleet_targets.ts";
import { ENVOY_PROXY, GATEWAY_CLASS, HTTP_ROUTE, RESOURCE_TYPES, SECURITY_POLICY } from "./kinds.ts";
import { isBroken, isTerminating, Obstacle, type OwnedObjects } from "./owned_objects.ts";
import { type StatusWriter, withFinalizer } from "./status_writer.ts";
import { idOf } from "./observed_objects.ts";
import type { Planner } from "./planner.ts";

/** Brings fleets to what they say. */
export interface Fleets {
  /** Whether a fleet has what the routes of a plan need; if not, the plan's key is reconciled as soon as it has. */
  isPrepared(plan: RoutePlan, key: string): boolean;
  /** The policy that has the requests to a namespace's routes checked; `undefined` when there is none. */
  checksOf(fleet: FleetRef, namespace: string): RequestChecks | undefined;
  /** How long the proxies of a Gateway drain connections, in milliseconds. */
  drainOf(gateway: GatewayName): Promise<number>;
  reconcile(key: string): Promise<void>;
}

/** The policy of a fleet and namespace that has requests checked, and the route that keeps it in use. */
export interface RequestChecks {
  /** Unique ids of both: others under the same names are in use since another time. */
  readonly uids: string;
  /** Whether it is in use, and to stay. */
  readonly acceptance: Acceptance;
}

/** What that needs. */
export interface FleetsOptions {
  client: Pick<KubeClient, "get">;
  fleets: Observed;
  gatewayNamed: (namespace: string, name: string) => KubernetesObject | undefined;
  made: OwnedObjects;
  plans: Planner;
  writer: StatusWriter;
  mocks: Mocks;
  /** Has a key reconciled. */
  add: (key: string) => void;
  addLater: (key: string, wait: number) => void;
  /** From a status until the proxies surely have what it speaks of, in milliseconds. */
  settleTime: number;
}

/** How often it is looked whether routes are gone, or closed, in milliseconds. */
const LOOK_AGAIN = 500;

/** How long a policy may stay as somebody has changed it, until what depends on it is closed, in milliseconds. */
const MOST_CHANGED = 2_000;

/** How often it is looked whether routes of what is to be elsewhere are gone, in milliseconds. */
const LOOK_FOR_LEFT = 5_000;

/** Makes what reconciles fleets during one term of leadership. */
export function createFleets(
  { client, fleets, gatewayNamed, made, plans, writer, mocks, add, addLater, settleTime }: FleetsOptions,
): Fleets {
  /** What fleets have been prepared for: namespaces, and plans of which requests are checked. */
  const prepared = new Map<string, { namespaces: ReadonlySet<string>; plans: ReadonlySet<RoutePlan> }>();
  const waiting = new Map<string, Set<string>>();
  /** Since when it is known that somebody has deleted or changed a policy, and all that depends on it is closed. */
  const broken = new Map<string, { seen: number; sealed?: number }>();

  return { isPrepared, checksOf, drainOf, reconcile };

  function checksOf(fleet: FleetRef, namespace: string): RequestChecks | undefined {
    const objects = made.ofOwner(keyOfOwner({ kind: "Fleet", ...fleet }))
      .filter(({ metadata }) => metadata.namespace === namespace);
    const policy = objects.find(({ kind }) => kind === SECURITY_POLICY.kind);
    const keeper = objects.find(({ kind }) => kind === HTTP_ROUTE.kind);
    if (policy === undefined) return undefined;
    const uids = `${policy.metadata.uid} ${keeper?.metadata.uid}`;
    return { uids, acceptance: acceptanceOfChecks(policy, keeper) };
  }

  function acceptanceOfChecks(policy: KubernetesObject, keeper: KubernetesObject | undefined): Acceptance {
    if (isBroken(policy)) {
      const message = "somebody has deleted or changed the policy that has requests checked";
      return { kind: "refused", reason: "Changed", message };
    }
    const acceptance = acceptanceOfPolicy(policy);
    const gateway = keeper && gatewayOfRoute(keeper);
    if (acceptance.kind !== "accepted") return acceptance;
    // A policy without a route is in use nowhere.
    return keeper === undefined || gateway === undefined ? { kind: "pending" } : acceptanceOfRoute(keeper, gateway);
  }

  function isPrepared(plan: RoutePlan, key: string): boolean {
    const { fleet, namespace } = plan;
    const known = prepared.get(qualifiedName(fleet));
    if (known?.namespaces.has(namespace) === true && (!hasChecks(plan) || known.plans.has(plan))) return true;
    const keys = waiting.get(qualifiedName(fleet)) ?? new Set();
    waiting.set(qualifiedName(fleet), keys.add(key));
    add(keyOfOwner({ kind: "Fleet", ...fleet }));
    return false;
  }

  async function drainOf({ namespace, name }: GatewayName): Promise<number> {
    const gateway = gatewayNamed(namespace, name);
    if (gateway === undefined) return DEFAULT_DRAIN;
    const className = isObject(gateway.spec) ? gateway.spec["gatewayClassName"] : undefined;
    const own = envoyProxyOf(gateway);
    const gatewayClass = own === undefined && typeof className === "string"
      ? await client.get(GATEWAY_CLASS, "", className)
      : undefined;
    const named = own ?? (gatewayClass && envoyProxyOf(gatewayClass));
    return drainTimeOf(named && await client.get(ENVOY_PROXY, named.namespace, named.name));
  }

  async function reconcile(key: string): Promise<void> {
    const { namespace, name } = ownerOfKey(key);
    const fleet = fleets.get(namespace, name);
    if (fleet === undefined || !isFleetObject(fleet) || fleet.metadata.deletionTimestamp !== undefined) {
      prepared.delete(qualifiedName({ namespace, name }));
      const { owners } = made.routesOn({ namespace, name });
      for (const owner of owners.keys()) add(owner);
      // What protects them stays as long.
      if (owners.size > 0) return addLater(key, LOOK_AGAIN);
      await clear(key);
      if (fleet !== undefined) await writer.removeFinalizer(RESOURCE_TYPES.fleet, fleet);
      return;
    }
    await writer.addFinalizer(RESOURCE_TYPES.fleet, fleet);
    const members = plans.membersOf({ namespace, name });
    const { owners, checked } = made.routesOn({ namespace, name });
    // Routes may stay when their API is to be elsewhere: what they need stays, too.
    const leaving = [...owners.keys()].filter((owner) => !members.keys.has(owner));
    if (leaving.length > 0) addLater(key, LOOK_FOR_LEFT);
    const held = leaving.map((owner) => ownerOfKey(owner).namespace);
    const namespaces = [...new Set([...members.namespaces, ...held])].sort();
    // What is prepared here is what was known before the first write.
    const known = new Set(members.checked);
    const routes = [...checked.values()].flatMap(({ id }) => made.get(id) ?? []);
    const obstacles = await deploy(key, fleet, namespaces, [...known], routes);
    // What waits for the policy that has requests checked looks whether it is in force.
    for (const { owner, id } of checked.values()) if (protectionOf(made.get(id)) === CLOSED) add(owner);
    if (obstacles.length === 0) {
      prepared.set(qualifiedName({ namespace, name }), {
        namespaces: new Set(namespaces),
        plans: known,
      });
      const woken = waiting.get(qualifiedName({ namespace, name })) ?? [];
      // A key that is added may be reconciled at once, and wait again.
      waiting.delete(qualifiedName({ namespace, name }));
      for (const one of woken) add(one);
    }
    const gateway = gatewayOf(fleet);
    await writer.writeStatus(RESOURCE_TYPES.fleet, fleet, {
      ...fleetStatus({
        generation: fleet.metadata.generation ?? 0,
        gateway: gatewayNamed(gateway.namespace, gateway.name),
        gatewayName: qualifiedName(gateway),
        obstacles,
        apis: members.apis,
        staticRoutes: members.staticRoutes,
        allowedNamespaces: fleet.spec.allowedNamespaces,
      }),
    });
  }

  /**
   * @param checked The plans whose requests are checked.
   * @param routes The routes whose requests are checked.
   * @returns Why objects can't be written.
   */
  async function deploy(
    key: string,
    fleet: FleetObject,
    namespaces: readonly string[],
    checked: readonly RoutePlan[],
    routes: readonly KubernetesObject[],
  ): Promise<string[]> {
    const { namespace = "", name } = fleet.metadata;
    const desired = renderFleet({ namespace, name, spec: fleet.spec }, { mocks, namespaces, plans: checked })
      .map((object) => object.kind === SECURITY_POLICY.kind ? withFinalizer(object) : object);
    const obstacles: string[] = [];
    for (const object of desired) {
      if (!isFree(key, object, routes)) continue;
      try {
        await made.put(object);
      } catch (error) {
        if (!(error instanceof Obstacle)) throw error;
        obstacles.push(error.message);
      }
    }
    const wanted = new Set(desired.map(keyOfObject));
    const unwanted = made.ofOwner(key).filter((object) => !wanted.has(keyOfObject(object)));
    for (const object of unwanted) {
      if (!isCheckOf(routes, object)) await made.remove(object);
      else addLater(key, LOOK_FOR_LEFT);
    }
    return obstacles;
  }

  /**
   * Whether an object may be written. What depends on the policy that has requests checked is closed first, where
   * somebody has deleted or changed that: a deleted one is in force until it is let go, a changed one is put right soon.
   */
  function isFree(key: string, wanted: KubernetesObject, routes: readonly KubernetesObject[]): boolean {
    const policy = wanted.kind === SECURITY_POLICY.kind ? made.get(idOf(wanted)) : undefined;
    if (policy === undefined || !isBroken(policy)) return true;
    const { uid = "" } = policy.metadata;
    const now = performance.now();
    const open = routes.filter((route) => isCheckOf([route], wanted) && !isClosed(route));
    const { seen = now, sealed = now } = broken.get(uid) ?? {};
    broken.set(uid, { seen, ...(open.length > 0 ? {} : { sealed }) });
    const isSealed = open.length === 0 && now - sealed >= settleTime;
    if (isSealed || (!isTerminating(policy) && (open.length === 0 || now - seen >= MOST_CHANGED))) {
      broken.delete(uid);
      return true;
    }
    for (const owner of new Set(open.flatMap((route) => ownerOf(route) ?? []).map(keyOfOwner))) add(owner);
    addLater(key, LOOK_AGAIN);
    return false;
  }

  /** Removes all objects of a fleet, routes first. */
  async function clear(key: string): Promise<void> {
    const objects = made.ofOwner(key).toSorted((a, b) =>
      Number(b.kind === HTTP_ROUTE.kind) - Number(a.kind === HTTP_ROUTE.kind)
    );
    for (const object of objects) await made.remove(object);
  }
}

/** Whether nobody gets past a route, as far as its Gateway says. */
function isClosed(route: KubernetesObject): boolean {
  const gateway = gatewayOfRoute(route);
  return protectionOf(route) === CLOSED && gateway !== undefined &&
    acceptanceOfRoute(route, gateway).kind === "accepted";
}

/** Whether an object of a fleet has the requests of routes checked. */
function isCheckOf(routes: readonly KubernetesObject[], { kind, metadata: { namespace } }: KubernetesObject): boolean {
  return (kind === SECURITY_POLICY.kind || kind === HTTP_ROUTE.kind) &&
    routes.some((route) => route.metadata.namespace === namespace && isChecked(route));
}
