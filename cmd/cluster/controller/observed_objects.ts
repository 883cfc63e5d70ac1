/**
 * The objects that gw owns, from informers. Objects that this process has just written are newer than those in the
 * informers, and replace them.
 *
 * @module
 */
import { FIELD_MANAGER, LABELS } from "../../../lib/cluster/names.ts";
import { idOf, keyOfId, keyOfObject, type KubernetesObject, type ObjectId } from "../../../lib/cluster/object.ts";
import { keyOfOwner, ownerOf } from "../../../lib/cluster/owner.ts";
import { Predecessors } from "../../../lib/cluster/protection/predecessors.ts";
import type { FleetRef } from "../../../lib/gateway/route.ts";
import { isObject } from "../../../lib/schema/json/node.ts";
import { type KubeClient, KubeError, type ResourceType } from "../client.ts";
import { isOlder } from "../resource_version.ts";
import type { Observe, Observed } from "./contract.ts";
import { FleetRouteIndex, type FleetRouteSet } from "./fleet_routes.ts";
import { OWNED_TYPES } from "./kinds.ts";

/** The longest time for which a written object is cached until an informer has received the write, in milliseconds. */
const WRITE_CACHE_TIME = 10_000;

/** The interval of checks whether the cluster has got the missing ones of `OWNED_TYPES`, in milliseconds. */
const KIND_CHECK_INTERVAL = 30_000;

/** The interval of checks whether the cluster has got any of `OWNED_TYPES`, as long as it has none, in milliseconds. */
const FIRST_KIND_CHECK_INTERVAL = 1_000;

/** Dependencies of the observer. */
export interface ObservedObjectsOptions {
  client: KubeClient;
  observe: Observe;
  /** Called with the key of an owner (API, static route or fleet), when one of its objects has changed. */
  onChange: (owner: string) => void;
  onError: (error: unknown) => void;
}

/** All objects in the cluster with gw's label. They don't depend on leadership, so the informers run across terms. */
export class ObservedObjects {
  readonly #options: ObservedObjectsOptions;
  /** The informers by kind. */
  readonly #observed = new Map<string, Observed>();
  readonly #byOwner = new Map<string, Map<string, KubernetesObject>>();
  /** The objects that this process has written and that no informer has received yet. */
  readonly #written = new Map<string, { object: KubernetesObject; until: number }>();
  /** The `uid` of each object that this process has deleted and that an informer still has. */
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

  ofOwner(owner: string): readonly KubernetesObject[] {
    return [...this.#byOwner.get(owner)?.values() ?? []].flatMap((object) => this.get(idOf(object)) ?? []);
  }

  owners(): readonly string[] {
    return [...this.#byOwner.keys()];
  }

  /** Returns the HTTPRoutes in the cluster that gw has made for a fleet. */
  routesOn(fleet: FleetRef): FleetRouteSet {
    return this.#fleetRoutes.of(fleet);
  }

  hasKind(type: Pick<ResourceType, "apiVersion" | "kind">): boolean {
    return this.#observed.has(typeKey(type));
  }

  /**
   * Returns the states of an object to write one after the other when it is created. With several states, its
   * generation differs from those of deleted objects of its name: see {@linkcode Predecessors}.
   */
  statesOf(object: KubernetesObject): KubernetesObject[] {
    return this.#predecessors.statesOf(object);
  }

  /** Caches an object that this process has written until an informer has received the write. */
  noteWritten(object: KubernetesObject): void {
    const shown = this.#inInformer(object);
    if (shown !== undefined && !isOlder(shown, object)) return;
    this.#written.set(keyOfObject(object), { object, until: performance.now() + WRITE_CACHE_TIME });
    this.#index(object, "set");
  }

  /**
   * Remembers the generation of an object that is about to be deleted, so that a new object of its name gets another
   * generation.
   */
  noteLeaving(object: KubernetesObject): void {
    this.#predecessors.note(object);
  }

  /** Hides an object that this process has deleted until an informer has received the deletion. */
  noteDeleted(object: KubernetesObject): void {
    const { uid = "" } = object.metadata;
    if (this.#inInformer(object)?.metadata.uid === uid) this.#deleted.add(uid);
    else this.#index(object, "deleted");
    this.#fleetRoutes.delete(object);
    this.#written.delete(keyOfObject(object));
  }

  /** Starts the informers. Resolves when all objects have been listed. */
  async start(): Promise<void> {
    await this.#findKinds();
    await Promise.all([...this.#observed.values()].map(({ synced }) => synced));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const observed of this.#observed.values()) observed.stop();
  }

  /** Starts informers for those kinds that the cluster has. Without Envoy Gateway, a cluster lacks some of them. */
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
      this.#timer = setTimeout(() => void this.#findKinds(), KIND_CHECK_INTERVAL);
      return;
    }
    // The API server can't be reached, or lacks the Gateway API, without which there is nothing to reconcile.
    await new Promise<void>((resolve) => this.#timer = setTimeout(resolve, FIRST_KIND_CHECK_INTERVAL));
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

  #inInformer(object: KubernetesObject): KubernetesObject | undefined {
    const { namespace = "", name } = object.metadata;
    return this.#observed.get(typeKey(object))?.get(namespace, name);
  }
}

function typeKey({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  return `${apiVersion} ${kind}`;
}

function readKinds(answer: unknown): string[] {
  const resources = isObject(answer) ? answer["resources"] : undefined;
  if (!Array.isArray(resources)) return [];
  return resources.filter(isObject).flatMap(({ kind }) => typeof kind === "string" ? [kind] : []);
}
