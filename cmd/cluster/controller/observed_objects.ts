/**
 * The objects that gw owns, as informers know them and as this process has written them since.
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

/** How long a written object is remembered while no informer has shown the write, in milliseconds. */
const MEMORY = 10_000;

/** The time between two looks for kinds that the cluster didn't have, in milliseconds. */
const LOOK_AGAIN = 30_000;

/** The time between two looks while the cluster has none of the kinds, in milliseconds. */
const LOOK_FOR_FIRST = 1_000;

/** Dependencies of the observer. */
export interface ObservedObjectsOptions {
  client: KubeClient;
  observe: Observe;
  /** Called with the key of each owner whose objects have changed. */
  onChange: (owner: string) => void;
  onError: (error: unknown) => void;
}

/** All objects that carry gw's label. They are facts of the cluster, and outlive terms of leadership. */
export class ObservedObjects {
  readonly #options: ObservedObjectsOptions;
  /** The informers, by kind. */
  readonly #observed = new Map<string, Observed>();
  readonly #byOwner = new Map<string, Map<string, KubernetesObject>>();
  /** Objects that were written, and that no informer has shown yet. */
  readonly #written = new Map<string, { object: KubernetesObject; until: number }>();
  /** Unique ids of objects that this process has deleted, and that informers still show. */
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

  /** The routes of APIs and static routes that were made for a fleet and are still there. */
  routesOn(fleet: FleetRef): FleetRoutes {
    return this.#fleetRoutes.of(fleet);
  }

  /** Whether the cluster has a kind. */
  hasKind(type: Pick<ResourceType, "apiVersion" | "kind">): boolean {
    return this.#observed.has(typeKey(type));
  }

  /** The states to write one after the other to create an object: see {@linkcode Predecessors}. */
  statesOf(object: KubernetesObject): KubernetesObject[] {
    return this.#predecessors.statesOf(object);
  }

  /** Remembers an object as this process has written it, until an informer shows that. */
  noteWritten(object: KubernetesObject): void {
    const shown = this.#shown(object);
    if (shown !== undefined && !isOlder(shown, object)) return;
    this.#written.set(keyOfObject(object), { object, until: performance.now() + MEMORY });
    this.#index(object, "set");
  }

  /** Remembers that this process is about to delete an object. */
  noteLeaving(object: KubernetesObject): void {
    this.#predecessors.note(object);
  }

  /** Remembers that this process has deleted an object, until an informer shows that. */
  noteDeleted(object: KubernetesObject): void {
    const { uid = "" } = object.metadata;
    if (this.#shown(object)?.metadata.uid === uid) this.#deleted.add(uid);
    else this.#index(object, "deleted");
    this.#fleetRoutes.delete(object);
    this.#written.delete(keyOfObject(object));
  }

  /** Begins to observe; resolves when all objects are known. */
  async start(): Promise<void> {
    await this.#findKinds();
    await Promise.all([...this.#observed.values()].map(({ synced }) => synced));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const observed of this.#observed.values()) observed.stop();
  }

  /** Observes the kinds that the cluster has; it may have none of Envoy Gateway's. */
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

  /** Takes a change that an informer shows. */
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

  /** The state that an informer shows. */
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
