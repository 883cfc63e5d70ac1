import { idOf, type KubernetesObject, type ObjectId } from "../../../lib/cluster/object.ts";
import { FINALIZER } from "../../../lib/cluster/names.ts";
import {
  hasDesiredSpec,
  isAsDesired,
  isChangedByOthers,
  isOwned,
  isRecordRight,
  nextState,
  stateAtFirst,
  withRightRecord,
} from "../../../lib/cluster/owned_object.ts";
import type { FleetRef } from "../../../lib/gateway/route.ts";
import { type KubeClient, KubeError, type ResourceType } from "../client.ts";
import type { FleetRouteSet } from "./fleet_routes.ts";
import { OWNED_TYPES } from "./kinds.ts";
import type { ObservedObjects } from "./observed_objects.ts";

/** Statuses that the API server would repeat: the content is invalid, or the write isn't allowed. */
const PERMANENT: ReadonlySet<number> = new Set([400, 403, 422]);

/** The most times that a write is tried if other clients write the object at the same time. */
const MAX_TRIES = 4;

/** The error for an object that can't be written. Trying again helps only after its cause is removed. */
export class Obstacle extends Error {
  override readonly name = "Obstacle";
}

/** Dependencies of the writes to objects that gw owns. */
export interface OwnedObjectsOptions {
  client: Pick<KubeClient, "get" | "create" | "replace" | "patch" | "delete">;
  observed: ObservedObjects;
}

/** Reads and writes the objects that gw owns. */
export class OwnedObjects {
  readonly #client: OwnedObjectsOptions["client"];
  readonly #observed: ObservedObjects;

  constructor({ client, observed }: OwnedObjectsOptions) {
    this.#client = client;
    this.#observed = observed;
  }

  get(id: ObjectId): KubernetesObject | undefined {
    return this.#observed.get(id);
  }

  ofOwner(owner: string): readonly KubernetesObject[] {
    return this.#observed.ofOwner(owner);
  }

  routesOn(fleet: FleetRef): FleetRouteSet {
    return this.#observed.routesOn(fleet);
  }

  /** Tells whether an object exists and has the desired `spec`. Labels and annotations don't matter. */
  hasSpec(desired: KubernetesObject): boolean {
    const present = this.get(idOf(desired));
    return present !== undefined && !isTerminating(present) && hasDesiredSpec(present, desired);
  }

  /**
   * Writes an object, unless the object in the cluster is as desired already.
   *
   * @throws {Obstacle} When gw doesn't own the object, the API server refuses it, or the cluster lacks its kind.
   */
  async put(desired: KubernetesObject): Promise<void> {
    const type = this.#typeOf(desired);
    let present = this.get(idOf(desired));
    if (present !== undefined && isTerminating(present)) present = await this.#finishDeletion(type, present);
    else if (present !== undefined && isAsDesired(present, desired)) return;
    try {
      const written = present === undefined
        ? await this.#create(type, desired)
        : await this.#replace(type, present, desired);
      this.#observed.noteWritten(written);
    } catch (error) {
      if (!(error instanceof KubeError) || !PERMANENT.has(error.status)) throw error;
      const { namespace = "", name } = desired.metadata;
      throw new Obstacle(`The API server refuses the ${type.kind} ${namespace}/${name}: ${error.message}`, {
        cause: error,
      });
    }
  }

  /** Deletes an object. Another object that has since been created with this name stays. */
  async remove(object: KubernetesObject): Promise<void> {
    const { namespace = "", name, uid = "" } = object.metadata;
    const type = this.#typeOf(object);
    this.#observed.noteLeaving(this.get(idOf(object)) ?? object);
    await this.#removeFinalizer(type, object);
    try {
      await this.#client.delete(type, namespace, name, uid === "" ? {} : { preconditions: { uid } });
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    this.#observed.noteDeleted(object);
  }

  async #create(type: ResourceType, desired: KubernetesObject): Promise<KubernetesObject> {
    const [first = desired, ...states] = this.#observed.statesOf(desired);
    let object: KubernetesObject;
    try {
      object = await this.#client.create(type, stateAtFirst(first));
    } catch (error) {
      if (!isConflict(error)) throw error;
      return await this.#takeOver(type, desired, error);
    }
    for (const state of states) object = await this.#replace(type, object, state);
    return object;
  }

  /** Replaces an object of gw that exists in the cluster but in no informer: it is new, or has lost gw's label. */
  async #takeOver(type: ResourceType, desired: KubernetesObject, conflict: unknown): Promise<KubernetesObject> {
    const { namespace = "", name } = desired.metadata;
    const present = await this.#client.get(type, namespace, name);
    if (present === undefined || isTerminating(present)) throw conflict;
    if (isOwned(present)) return await this.#replace(type, present, desired);
    throw new Obstacle(
      `There is already the ${type.kind} ${namespace}/${name}, which gw has not made. Rename or delete it, or rename this.`,
    );
  }

  async #replace(
    type: ResourceType,
    present: KubernetesObject,
    desired: KubernetesObject,
    tries = 1,
  ): Promise<KubernetesObject> {
    try {
      const written = await this.#client.replace(type, nextState(present, desired));
      // The annotation of the write predicted the new generation. The prediction was wrong if the API server found no
      // change, because of defaults or of listeners that other clients have added.
      return isRecordRight(written) ? written : await this.#client.replace(type, withRightRecord(written, desired));
    } catch (error) {
      if (!isConflict(error) || tries === MAX_TRIES) throw error;
      const { namespace = "", name, uid } = present.metadata;
      const newer = await this.#client.get(type, namespace, name);
      if (newer === undefined || newer.metadata.uid !== uid || isTerminating(newer)) throw error;
      return await this.#replace(type, newer, desired, tries + 1);
    }
  }

  /**
   * Removes gw's finalizer from an object that is being deleted. Resolves when the object is gone, so that its name is
   * free. Rejects if finalizers of other clients delay the deletion.
   */
  async #finishDeletion(type: ResourceType, present: KubernetesObject): Promise<undefined> {
    this.#observed.noteLeaving(present);
    await this.#removeFinalizer(type, present);
    const { namespace = "", name, uid } = present.metadata;
    const left = await this.#client.get(type, namespace, name);
    if (left?.metadata.uid !== uid) return undefined;
    const holders = left?.metadata.finalizers?.join(", ") ?? "";
    throw new Obstacle(`The ${type.kind} ${namespace}/${name} is being deleted, and finalizers keep it: ${holders}.`);
  }

  async #removeFinalizer(type: ResourceType, { metadata }: KubernetesObject): Promise<void> {
    const { namespace = "", name, resourceVersion, finalizers = [] } = metadata;
    if (!finalizers.includes(FINALIZER)) return;
    const patch = { metadata: { resourceVersion, finalizers: finalizers.filter((one) => one !== FINALIZER) } };
    try {
      await this.#client.patch(type, namespace, name, patch);
    } catch (error) {
      if (!(error instanceof KubeError) || error.status !== 404) throw error;
    }
  }

  #typeOf({ apiVersion, kind }: KubernetesObject): ResourceType {
    const type = OWNED_TYPES.find((type) => type.apiVersion === apiVersion && type.kind === kind);
    if (type === undefined) throw new Error(`The controller makes no objects of ${apiVersion} ${kind}.`);
    if (!this.#observed.hasKind(type)) {
      throw new Obstacle(
        `This cluster has no ${kind} (${apiVersion}). Install Envoy Gateway, or use the profile portable.`,
      );
    }
    return type;
  }
}

/** Tells whether an object is being deleted, but still exists because of finalizers. */
export function isTerminating({ metadata: { deletionTimestamp } }: KubernetesObject): boolean {
  return deletionTimestamp !== undefined;
}

/** Tells whether another client has deleted an object, or has changed its `spec`. */
export function isBrokenObject(object: KubernetesObject): boolean {
  return isTerminating(object) || isChangedByOthers(object);
}

function isConflict(error: unknown): boolean {
  return error instanceof KubeError && error.status === 409;
}
