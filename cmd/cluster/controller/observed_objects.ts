/**
 * The objects that gw owns: their states in the informers, and newer states that this process has written.
 *
 * @module
 */
import { FIELD_MANAGER, LABELS } from "../../../lib/cluster/names.ts";
import { idOf, keyOfId, keyOfObject, type KubernetesObject, type ObjectId } from "../../../lib/cluster/object.ts";
import { keyOfOwner, ownerOf } from "../../../lib/cluster/owner.ts";
import { Predecessors } from "../../../lib/cluster/protection/predecessors.ts";
import type { FleetRef } from "../../../lib/gateway/route.ts";
import { isObject } from "../../../lib/schema/node.ts";
import { type KubeClient, KubeError, type ResourceType } from "../client.ts";
import { isOlder } from "../resource_version.ts";
import type { Observe, Observed } from "./contract.ts";
import { FleetRouteIndex, type FleetRoutes } from "./fleet_routes.ts";
import { OWNED_TYPES } from "./kinds.ts";

/** How long a written object is cached while no informer has received the write, in milliseconds. */
const MEMORY = 10_000;

/** The interval of checks for kinds that the cluster didn't have, in milliseconds. */
const LOOK_AGAIN = 30_000;

/** The interval of these checks while the cluster has none of the kinds, in milliseconds. */
const LOOK_FOR_FIRST = 1_000;

/** Dependencies of the observer. */
export interface ObservedObjectsOptions {
  client: KubeClient;
  observe: Observe;
  /** Called with the key of each owner whose objects have changed. */
  onChange: (owner: string) => void;
  onError: (error: unknown) => void;
}

/** All objects with gw's label. They don't depend on leadership, so they are observed across terms. */
export class ObservedObjects {
  readonly #options: ObservedObjectsOptions;
  /** The informers, by kind. */
  readonly #observed = new Map<string, Observed>();
  readonly #byOwner = new Map<string, Map<string, KubernetesObject>>();
  /** Objects that were written, and whose write no informer has received yet. */
  readonly #written = new Map<string, { object: KubernetesObject; until: number }>();
  /** Unique ids of objects that this process has deleted, and that informers still have. */
  readonly #deleted = new Set<string>();
  readonly #predecessors = new Predecessors(() => performance.now());
  readonly #fleetRoutes = new FleetRouteIndex();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(options: ObservedObjectsOptions) {
    this.#options = options;
  }

  get(id: ObjectId): KubernetesObject | undefined {
    const shown = this.#observed.get(typeKey(id))?.get(id.namespace, id.name);
    const written = this.#written.get(keyOfId(id));
    const isNewer = written !== undefined && performance.now() < written.until &&
      (shown === undefined || isOlder(shown, written.object));
    const object = isNewer ? written.object : shown;
    return object !== undefined && this.#deleted.has(object.metadata.uid ?? "") ? undefined : object;
  }

  /** All objects of an owner. */
  ofOwner(owner: string): readonly KubernetesObject[] {
    return [...this.#byOwner.get(owner)?.values() ?? []].flatMap((object) => this.get(idOf(object)) ?? []);
  }

  /** The keys of the owners of all objects. */
  owners(): readonly string[] {
    return [...this.#byOwner.keys()];
  }

  /** The HTTPRoutes in the cluster that were made for a fleet. */
  routesOn(fleet: FleetRef): FleetRoutes {
    return this.#fleetRoutes.of(fleet);
  }

  /** Whether the cluster has a kind. */
  hasKind(type: Pick<ResourceType, "apiVersion" | "kind">): boolean {
    return this.#observed.has(typeKey(type));
  }

  /**
   * The states to write one after the other to create an object. With several states, its generation differs from that
   * of a deleted object of its name: see {@linkcode Predecessors}.
   */
  statesOf(object: KubernetesObject): KubernetesObject[] {
    return this.#predecessors.statesOf(object);
  }

  /** Caches an object as this process has written it, until an informer receives the write. */
  noteWritten(object: KubernetesObject): void {
    const shown = this.#shown(object);
    if (shown !== undefined && !isOlder(shown, object)) return;
    this.#written.set(keyOfObject(object), { object, until: performance.now() + MEMORY });
    this.#index(object, "set");
  }

  /**
   * Call it before this process deletes an object. Its generation is recorded, so that a new object of its name gets
   * another generation.
   */
  noteLeaving(object: KubernetesObject): void {
    this.#predecessors.note(object);
  }

  /** Call it when this process has deleted an object: it is hidden until an informer receives the deletion. */
  noteDeleted(object: KubernetesObject): void {
    const { uid = "" } = object.metadata;
    if (this.#shown(object)?.metadata.uid === uid) this.#deleted.add(uid);
    else this.#index(object, "deleted");
    this.#fleetRoutes.delete(object);
    this.#written.delete(keyOfObject(object));
  }

  /** Starts the informers; resolves when all objects are listed. */
  async start(): Promise<void> {
    await this.#findKinds();
    await Promise.all([...this.#observed.values()].map(({ synced }) => synced));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const observed of this.#observed.values()) observed.stop();
  }

  /** Starts informers on the kinds that the cluster has. A cluster without Envoy Gateway lacks some of them. */
  async #findKinds(): Promise<void> {
    const missing = OWNED_TYPES.filter((type) => !this.hasKind(type));
    const versions = [...new Set(missing.map(({ apiVersion }) => apiVersion))];
    try {
      const known = new Set((await Promise.all(versions.map((version) => this.#kindsOf(version)))).flat());
      for (const type of missing) if (known.has(typeKey(type))) this.#follow(type);
    } catch (error) {
      this.#options.onError(error);
    }
    if (this.#isStopped || this.#observed.size === OWNED_TYPES.length) return;
    if (this.#observed.size > 0) {
      this.#timer = setTimeout(() => void this.#findKinds(), LOOK_AGAIN);
      return;
    }
    // The API server can't be reached, or doesn't know the Gateway API: without it the controller has nothing to do.
    await new Promise<void>((resolve) => this.#timer = setTimeout(resolve, LOOK_FOR_FIRST));
    if (!this.#isStopped) await this.#findKinds();
  }

  async #kindsOf(apiVersion: string): Promise<string[]> {
    try {
      const answer = await this.#options.client.request("GET", `/apis/${apiVersion}`);
      return readKinds(answer).map((kind) => typeKey({ apiVersion, kind }));
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return [];
      throw error;
    }
  }

  #follow(type: ResourceType): void {
    const { client, observe, onError } = this.#options;
    const labelSelector = `${LABELS.managedBy}=${FIELD_MANAGER}`;
    const observed = observe(client, type, { labelSelector, onError });
    this.#observed.set(typeKey(type), observed);
    for (const object of observed.list()) this.#take(object, "set");
    observed.onChange((object, kind) => this.#take(object, kind));
  }

  /** Processes a change that an informer has received. */
  #take(object: KubernetesObject, kind: "set" | "deleted"): void {
    const key = keyOfObject(object);
    const { uid = "" } = object.metadata;
    if (kind === "deleted") {
      this.#deleted.delete(uid);
      this.#predecessors.note(object);
    }
    const written = this.#written.get(key);
    if (written !== undefined && (kind === "deleted" || !isOlder(object, written.object))) this.#written.delete(key);
    this.#index(object, kind);
    const owner = ownerOf(object);
    if (owner !== undefined) this.#options.onChange(keyOfOwner(owner));
  }

  /** Adds an object to the indexes by owner and by fleet, or removes it from them. */
  #index(object: KubernetesObject, kind: "set" | "deleted"): void {
    const owner = ownerOf(object);
    if (owner === undefined) return;
    if (kind === "set" && !this.#deleted.has(object.metadata.uid ?? "")) this.#fleetRoutes.set(object);
    else this.#fleetRoutes.delete(object);
    const ownerKey = keyOfOwner(owner);
    const objects = this.#byOwner.get(ownerKey) ?? new Map<string, KubernetesObject>();
    if (kind === "set") objects.set(keyOfObject(object), object);
    else objects.delete(keyOfObject(object));
    if (objects.size === 0) this.#byOwner.delete(ownerKey);
    else this.#byOwner.set(ownerKey, objects);
  }

  /** The state of an object in the informer of its kind. */
  #shown(object: KubernetesObject): KubernetesObject | undefined {
    const { namespace = "", name } = object.metadata;
    return this.#observed.get(typeKey(object))?.get(namespace, name);
  }
}

function typeKey({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  return `${apiVersion} ${kind}`;
}

/** Reads an APIResourceList. */
function readKinds(answer: unknown): string[] {
  const resources = isObject(answer) ? answer["resources"] : undefined;
  if (!Array.isArray(resources)) return [];
  return resources.filter(isObject).flatMap(({ kind }) => typeof kind === "string" ? [kind] : []);
}
