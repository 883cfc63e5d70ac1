/**
 * The objects of gw in the cluster, as informers know them and as this process has written them since.
 *
 * @module
 */
import { FIELD_MANAGER, LABELS } from "../../../lib/cluster/names.ts";
import { idOf, keyOfId, keyOfObject, type KubernetesObject, type ObjectId } from "../../../lib/cluster/object.ts";
import { keyOfOwner, ownerOf } from "../../../lib/cluster/owner.ts";
import type { FleetRef } from "../../../lib/gateway/route.ts";
import { type KubeClient, KubeError, type ResourceType } from "../client.ts";
import { isOlder } from "../resource_version.ts";
import type { Observe, Observed } from "./contract.ts";
import { createFleetRouteIndex, type FleetRoutes } from "./fleet_routes.ts";
import { OWNED_TYPES } from "./kinds.ts";
import { Predecessors } from "../../../lib/cluster/protection/predecessors.ts";

/** How long an object that was written is remembered while its change isn't observed, in milliseconds. */
const MEMORY = 10_000;

/** The time between two looks for kinds that the cluster doesn't know yet, in milliseconds. */
const LOOK_AGAIN = 30_000;

/** All objects that carry gw's label. They are facts of the cluster: they outlive terms of leadership. */
export interface ObservedObjects {
  get(id: ObjectId): KubernetesObject | undefined;
  /** All objects that are for an owner. */
  ofOwner(owner: string): readonly KubernetesObject[];
  /** Owners of objects. */
  owners(): readonly string[];
  /** The routes of APIs and static routes that were made for a fleet and are still there. */
  routesOn(fleet: FleetRef): FleetRoutes;
  /** Whether the cluster has a kind. */
  hasKind(type: Pick<ResourceType, "apiVersion" | "kind">): boolean;
  /** The writes, one after the other, that create an object: see {@linkcode Predecessors}. */
  statesOf(object: KubernetesObject): KubernetesObject[];
  /** Remembers an object as this process has written it, until that is observed. */
  noteWritten(object: KubernetesObject): void;
  /** Remembers that an object is about to be deleted by this process. */
  noteLeaving(object: KubernetesObject): void;
  /** Remembers that this process has deleted an object, until that is observed. */
  noteDeleted(object: KubernetesObject): void;
  /** Begins to observe; resolves when everything is known. */
  start(): Promise<void>;
  stop(): void;
}

/** Dependencies of the observer of objects. */
export interface ObservedObjectsOptions {
  client: KubeClient;
  observe: Observe;
  /** Told of each owner whose objects have changed. */
  onChange: (owner: string) => void;
  onError: (error: unknown) => void;
}

/** Observes all objects that carry gw's label. */
export function createObservedObjects(
  { client, observe, onChange, onError }: ObservedObjectsOptions,
): ObservedObjects {
  const observed = new Map<string, Observed>();
  const byOwner = new Map<string, Map<string, KubernetesObject>>();
  /** Written, and not yet observed. */
  const written = new Map<string, { object: KubernetesObject; until: number }>();
  /** Unique ids of objects that were deleted and are still observed. */
  const removed = new Set<string>();
  const predecessors = new Predecessors(() => performance.now());
  const fleetRoutes = createFleetRouteIndex();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;

  return {
    get,
    ofOwner(owner) {
      return [...byOwner.get(owner)?.values() ?? []].flatMap((object) => get(idOf(object)) ?? []);
    },
    owners: () => [...byOwner.keys()],
    routesOn: fleetRoutes.of,
    hasKind: (type) => observed.has(typeKey(type)),
    statesOf: (object) => predecessors.statesOf(object),
    noteWritten(object) {
      const seen = observedState(object);
      if (seen !== undefined && !isOlder(seen, object)) return;
      written.set(keyOfObject(object), { object, until: performance.now() + MEMORY });
      keep(object, "set");
    },
    noteLeaving: (object) => predecessors.note(object),
    noteDeleted(object) {
      const { uid = "" } = object.metadata;
      if (observedState(object)?.metadata.uid === uid) removed.add(uid);
      else keep(object, "deleted");
      fleetRoutes.delete(object);
      written.delete(keyOfObject(object));
    },
    async start() {
      await look();
      await Promise.all([...observed.values()].map(({ synced }) => synced));
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      for (const one of observed.values()) one.stop();
    },
  };

  /** Observes the kinds that the cluster knows; of Envoy Gateway's there may be none. */
  async function look(): Promise<void> {
    const missing = OWNED_TYPES.filter((type) => !observed.has(typeKey(type)));
    const versions = [...new Set(missing.map(({ apiVersion }) => apiVersion))];
    try {
      const known = new Set((await Promise.all(versions.map(kindsOf))).flat());
      for (const type of missing) if (known.has(typeKey(type))) follow(type);
    } catch (error) {
      onError(error);
    }
    if (isStopped || observed.size === OWNED_TYPES.length) return;
    if (observed.size > 0) {
      timer = setTimeout(() => void look(), LOOK_AGAIN);
      return;
    }
    // The API server can't be reached, or knows nothing of the Gateway API: there is nothing to do before it does.
    await new Promise<void>((resolve) => timer = setTimeout(resolve, 1_000));
    if (!isStopped) await look();
  }

  async function kindsOf(apiVersion: string): Promise<string[]> {
    try {
      const answer = await client.request("GET", `/apis/${apiVersion}`);
      return readKinds(answer).map((kind) => `${apiVersion} ${kind}`);
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return [];
      throw error;
    }
  }

  function follow(type: ResourceType): void {
    const labelSelector = `${LABELS.managedBy}=${FIELD_MANAGER}`;
    const one = observe(client, type, { labelSelector, onError });
    observed.set(typeKey(type), one);
    for (const object of one.list()) see(object, "set");
    one.onChange(see);
  }

  function see(object: KubernetesObject, kind: "set" | "deleted"): void {
    const key = keyOfObject(object);
    const { uid = "" } = object.metadata;
    if (kind === "deleted") {
      removed.delete(uid);
      predecessors.note(object);
    }
    const known = written.get(key);
    if (known !== undefined && (kind === "deleted" || !isOlder(object, known.object))) written.delete(key);
    keep(object, kind);
    const owner = ownerOf(object);
    if (owner !== undefined) onChange(keyOfOwner(owner));
  }

  function keep(object: KubernetesObject, kind: "set" | "deleted"): void {
    const owner = ownerOf(object);
    if (owner === undefined) return;
    if (kind === "set" && !removed.has(object.metadata.uid ?? "")) fleetRoutes.set(object);
    else fleetRoutes.delete(object);
    const ownerKey = keyOfOwner(owner);
    const objects = byOwner.get(ownerKey) ?? new Map<string, KubernetesObject>();
    if (kind === "set") objects.set(keyOfObject(object), object);
    else objects.delete(keyOfObject(object));
    if (objects.size === 0) byOwner.delete(ownerKey);
    else byOwner.set(ownerKey, objects);
  }

  function observedState(object: KubernetesObject): KubernetesObject | undefined {
    const { namespace = "", name } = object.metadata;
    return observed.get(typeKey(object))?.get(namespace, name);
  }

  function get(id: ObjectId): KubernetesObject | undefined {
    const seen = observed.get(typeKey(id))?.get(id.namespace, id.name);
    const known = written.get(keyOfId(id));
    const object =
      known !== undefined && performance.now() < known.until && (seen === undefined || isOlder(seen, known.object))
        ? known.object
        : seen;
    return object !== undefined && removed.has(object.metadata.uid ?? "") ? undefined : object;
  }
}

function typeKey({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  return `${apiVersion} ${kind}`;
}

/** Reads an APIResourceList. */
function readKinds(answer: unknown): string[] {
  if (typeof answer !== "object" || answer === null || !("resources" in answer)) return [];
  const { resources } = answer;
  if (!Array.isArray(resources)) return [];
  return resources.flatMap((resource: unknown) =>
    typeof resource === "object" && resource !== null && "kind" in resource && typeof resource.kind === "string"
      ? [resource.kind]
      : []
  );
}
