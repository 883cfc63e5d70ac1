import { createHash } from "node:crypto";
import { covers } from "../../../lib/cluster/covers.ts";
import { foreignFields, withoutForeignFields } from "../../../lib/cluster/managed_fields.ts";
import { FIELD_MANAGER, GROUP, LABELS } from "../../../lib/cluster/names.ts";
import { keyOfObject, type KubernetesObject } from "../../../lib/cluster/object.ts";
import { restoringPatch } from "../../../lib/cluster/restore.ts";
import { isObject } from "../../../lib/schema/node.ts";
import { type KubeClient, KubeError, type ResourceType } from "../client.ts";
import { OWNED_TYPES } from "./kinds.ts";
import { FINALIZER } from "./status_writer.ts";
import { idOf, type ObservedObjects } from "./observed_objects.ts";

/** The annotation with the hash of what was applied: tells whether fields were taken away since. */
const APPLIED_ANNOTATION = `${GROUP}/applied`;

/** Answers of the API server that stay the same when they are asked for again: bad content, not permitted. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 422]);

/** An object that can't be written, and why; trying again at once is of no use. */
export class Obstacle extends Error {
  override readonly name = "Obstacle";
}

/** The objects that gw has made: as they are, and how a leader writes them. */
export interface OwnedObjects extends Pick<ObservedObjects, "get" | "ofOwner" | "routesOn"> {
  /** Whether an object does what it is to do: its `spec` is as it is to be, whatever its labels and annotations are. */
  doesAsWanted(desired: KubernetesObject): boolean;
  /** Whether others have written into `spec` of an object, since it was last as wanted or before that. */
  isChangedByOthers(object: KubernetesObject): boolean;
  /**
   * Brings an object to what it is to be; writes nothing when it is.
   *
   * @throws {Obstacle} When it is somebody else's, or its kind is unknown in this cluster.
   */
  put(desired: KubernetesObject): Promise<void>;
  remove(object: KubernetesObject): Promise<void>;
}

/** Dependencies of the writes to objects that gw owns. */
export interface OwnedObjectsOptions {
  client: Pick<KubeClient, "get" | "apply" | "patch" | "delete">;
  observed: ObservedObjects;
}

/** Makes what writes gw's objects during one term of leadership. */
export function createOwnedObjects({ client, observed }: OwnedObjectsOptions): OwnedObjects {
  const { get, ofOwner, routesOn } = observed;
  /**
   * The generation that an object had when it was last as wanted, by unique id: another one is somebody's change. Of an
   * earlier term nothing is known: another leader may have written since.
   */
  const generations = new Map<string, number | undefined>();
  /** The keys of objects that are being written. */
  const writing = new Set<string>();

  return { get, ofOwner, routesOn, doesAsWanted, isChangedByOthers, put, remove };

  function isAsWanted(wanted: KubernetesObject): boolean {
    return doesAsWanted(wanted) && covers(get(idOf(wanted)), wanted);
  }

  function doesAsWanted(wanted: KubernetesObject): boolean {
    const object = get(idOf(wanted));
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return false;
    return covers(object.spec, wanted.spec) && !isChangedByOthers(object);
  }

  async function put(desired: KubernetesObject): Promise<void> {
    const type = typeOf(desired);
    const wanted = withHash(desired);
    if (isAsWanted(wanted)) {
      const { uid = "", generation } = get(idOf(wanted))?.metadata ?? {};
      generations.set(uid, generation);
      return;
    }
    const present = get(idOf(wanted));
    if (present === undefined) await checkOwner(type, wanted);
    // What is being deleted has to be gone before there is a new one.
    else if (present.metadata.deletionTimestamp !== undefined) await release(type, present);
    const key = keyOfObject(wanted);
    const wasChanged = present !== undefined && isChangedByOthers(present);
    writing.add(key);
    try {
      const states = present === undefined ? observed.statesOf(wanted) : [wanted];
      for (const state of states.slice(0, -1)) await apply(type, state);
      take(await write(type, wanted, wasChanged));
    } finally {
      writing.delete(key);
    }
  }

  /** Writes an object; where others have changed it, nothing of that stays. */
  async function write(type: ResourceType, wanted: KubernetesObject, wasChanged: boolean): Promise<KubernetesObject> {
    const applied = await apply(type, wanted);
    const isChanged = wasChanged || foreignOf(applied).length > 0;
    const object = isChanged ? await restore(type, applied, wanted) : applied;
    const foreign = foreignOf(object);
    if (foreign.length === 0) return object;
    const { namespace = "", name } = object.metadata;
    throw new Obstacle(`Somebody else keeps ${foreign.join(", ")} in the ${type.kind} ${namespace}/${name}.`);
  }

  /** Remembers an object as it was written. */
  function take(object: KubernetesObject): void {
    generations.set(object.metadata.uid ?? "", object.metadata.generation);
    observed.noteWritten(object);
  }

  async function apply(type: ResourceType, wanted: KubernetesObject): Promise<KubernetesObject> {
    try {
      return await client.apply(type, wanted);
    } catch (error) {
      if (!(error instanceof KubeError) || !REFUSALS.has(error.status)) throw error;
      const { namespace = "", name } = wanted.metadata;
      throw new Obstacle(`The API server refuses the ${type.kind} ${namespace}/${name}: ${error.message}`, {
        cause: error,
      });
    }
  }

  /** Lets an object go that was kept until nothing depends on it. */
  async function release(type: ResourceType, { metadata }: KubernetesObject): Promise<void> {
    const { namespace = "", name, resourceVersion, finalizers = [] } = metadata;
    if (!finalizers.includes(FINALIZER)) return;
    const patch = { metadata: { resourceVersion, finalizers: finalizers.filter((one) => one !== FINALIZER) } };
    try {
      await client.patch(type, namespace, name, patch);
    } catch (error) {
      if (!(error instanceof KubeError) || error.status !== 404) throw error;
    }
  }

  /** Applying leaves alone what others have added, at whatever depth: it is taken away, and with it whose it was. */
  async function restore(
    type: ResourceType,
    { metadata: { namespace = "", name, resourceVersion, managedFields }, spec }: KubernetesObject,
    { spec: wanted }: KubernetesObject,
  ): Promise<KubernetesObject> {
    const own = managedFields === undefined
      ? {}
      : { managedFields: withoutForeignFields(managedFields, FIELD_MANAGER) };
    return await client.patch(type, namespace, name, {
      metadata: { resourceVersion, ...own },
      spec: isObject(spec) && isObject(wanted) ? restoringPatch(spec, wanted) : wanted,
    });
  }

  function isChangedByOthers(object: KubernetesObject): boolean {
    const { uid = "", generation } = object.metadata;
    // What is being written may be observed before the answer is there.
    const isKnown = !generations.has(uid) || generations.get(uid) === generation || writing.has(keyOfObject(object));
    return !isKnown || foreignOf(object).length > 0;
  }

  /** What somebody else has made under the same name is left alone. */
  async function checkOwner(type: ResourceType, desired: KubernetesObject): Promise<void> {
    const { namespace = "", name } = desired.metadata;
    const present = await client.get(type, namespace, name);
    if (present === undefined || isMade(present)) return;
    throw new Obstacle(
      `There is already the ${type.kind} ${namespace}/${name}, which gw has not made. Rename or delete it, or rename this.`,
    );
  }

  async function remove(object: KubernetesObject): Promise<void> {
    const { namespace = "", name, uid = "" } = object.metadata;
    const type = typeOf(object);
    observed.noteLeaving(get(idOf(object)) ?? object);
    await release(type, object);
    try {
      await client.delete(type, namespace, name, uid === "" ? {} : { preconditions: { uid } });
    } catch (error) {
      // There is another one under this name by now: what was to go is gone.
      if (!(error instanceof KubeError) || error.status !== 409) throw error;
    }
    generations.delete(uid);
    observed.noteDeleted(object);
  }

  function typeOf({ apiVersion, kind }: { apiVersion: string; kind: string }): ResourceType {
    const type = OWNED_TYPES.find((type) => type.apiVersion === apiVersion && type.kind === kind);
    if (type === undefined) throw new Error(`The controller makes no objects of ${apiVersion} ${kind}.`);
    if (!observed.hasKind(type)) {
      throw new Obstacle(
        `This cluster has no ${kind} (${apiVersion}). Install Envoy Gateway, or use the profile portable.`,
      );
    }
    return type;
  }
}

function foreignOf(object: KubernetesObject): string[] {
  return foreignFields(object, FIELD_MANAGER);
}

function withHash(desired: KubernetesObject): KubernetesObject {
  const { metadata } = desired;
  const annotations = { ...metadata.annotations, [APPLIED_ANNOTATION]: hashOf(desired) };
  return { ...desired, metadata: { ...metadata, annotations } };
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);
}

/** Its label may have been taken away. */
function isMade({ metadata: { labels, annotations } }: KubernetesObject): boolean {
  return labels?.[LABELS.managedBy] === FIELD_MANAGER || annotations?.[APPLIED_ANNOTATION] !== undefined;
}
