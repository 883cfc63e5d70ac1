import { createHash } from "node:crypto";
import { covers } from "../../../../lib/gateway/kubernetes/covers.ts";
import { foreignFields, withoutForeignFields } from "../../../../lib/gateway/kubernetes/managed_fields.ts";
import { FIELD_MANAGER, GROUP, LABELS } from "../../../../lib/gateway/kubernetes/names.ts";
import {
  keyOfId,
  keyOfObject,
  type KubernetesObject,
  type ObjectId,
} from "../../../../lib/gateway/kubernetes/object.ts";
import { keyOfOwner, ownerOf } from "../../../../lib/gateway/kubernetes/owner.ts";
import { restoringPatch } from "../../../../lib/gateway/kubernetes/restore.ts";
import { isObject } from "../../../../lib/openapi/node.ts";
import { type KubeClient, KubeError, type ResourceType } from "../client.ts";
import { isOlder } from "../resource_version.ts";
import type { Observe, Observed } from "./contract.ts";
import { MADE_TYPES } from "./kinds.ts";
import { FINALIZER } from "./object_writer.ts";
import { createPredecessors } from "./predecessors.ts";

/** The annotation with the hash of what was applied: tells whether fields were taken away since. */
const APPLIED_ANNOTATION = `${GROUP}/applied`;

/** How long an object that was written is remembered while its change isn't observed, in milliseconds. */
const MEMORY = 10_000;

/** How often it is looked whether kinds are there now that weren't, in milliseconds. */
const LOOK_AGAIN = 30_000;

/** Answers of the API server that stay the same when they are asked for again: bad content, not permitted. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 422]);

/** An object that can't be written, and why; trying again at once is of no use. */
export class Obstacle extends Error {
  override readonly name = "Obstacle";
}

/** The objects that gw has made: as they are, and how they are written. */
export interface MadeObjects {
  get(id: ObjectId): KubernetesObject | undefined;
  /** All objects that are for an owner. */
  ofOwner(owner: string): readonly KubernetesObject[];
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
  /** Owners of objects. */
  owners(): readonly string[];
  /** Forgets when objects were as wanted: another replica has led since, and what it has written isn't somebody's. */
  forget(): void;
  /** Begins to observe; resolves when everything is known. */
  start(): Promise<void>;
  stop(): void;
}

/** What is needed to keep objects. */
export interface MadeObjectsOptions {
  client: KubeClient;
  observe: Observe;
  /** Told of each owner whose objects have changed. */
  onChange: (owner: string) => void;
  onError: (error: unknown) => void;
}

/** Keeps the objects that gw has made, all that carry its label. */
export function createMadeObjects({ client, observe, onChange, onError }: MadeObjectsOptions): MadeObjects {
  const observed = new Map<string, Observed>();
  const byOwner = new Map<string, Map<string, KubernetesObject>>();
  /** Written, and not yet observed. */
  const written = new Map<string, { object: KubernetesObject; until: number }>();
  /** Unique ids of objects that were deleted and are still observed. */
  const removed = new Map<string, number>();
  /** The generation that an object had when it was last as wanted, by unique id: another one is somebody's change. */
  const generations = new Map<string, number | undefined>();
  const predecessors = createPredecessors();
  /** The keys of objects that are being written. */
  const writing = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;

  return {
    get,
    ofOwner(owner) {
      return [...byOwner.get(owner)?.values() ?? []].flatMap((object) => get(idOf(object)) ?? []);
    },
    doesAsWanted,
    isChangedByOthers,
    put,
    remove,
    owners: () => [...byOwner.keys()],
    forget: () => generations.clear(),
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
    const missing = MADE_TYPES.filter((type) => !observed.has(typeKey(type)));
    const versions = [...new Set(missing.map(({ apiVersion }) => apiVersion))];
    try {
      const known = new Set((await Promise.all(versions.map(kindsOf))).flat());
      for (const type of missing) if (known.has(typeKey(type))) follow(type);
    } catch (error) {
      onError(error);
    }
    if (isStopped || observed.size === MADE_TYPES.length) return;
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
    const one = observe(client, type, { labelSelector, ownManager: FIELD_MANAGER, onError });
    observed.set(typeKey(type), one);
    for (const object of one.list()) see(object, "set");
    one.onChange(see);
  }

  function see(object: KubernetesObject, kind: "set" | "deleted"): void {
    const key = keyOfObject(object);
    const { uid = "" } = object.metadata;
    if (kind === "deleted") {
      removed.delete(uid);
      generations.delete(uid);
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
    const ownerKey = keyOfOwner(owner);
    const objects = byOwner.get(ownerKey) ?? new Map<string, KubernetesObject>();
    if (kind === "set") objects.set(keyOfObject(object), object);
    else objects.delete(keyOfObject(object));
    if (objects.size === 0) byOwner.delete(ownerKey);
    else byOwner.set(ownerKey, objects);
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
      const states = present === undefined ? predecessors.statesOf(wanted) : [wanted];
      for (const state of states.slice(0, -1)) await apply(type, state);
      take(type, await write(type, wanted, wasChanged));
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
  function take(type: ResourceType, object: KubernetesObject): void {
    generations.set(object.metadata.uid ?? "", object.metadata.generation);
    const seen = observed.get(typeKey(type))?.get(object.metadata.namespace ?? "", object.metadata.name);
    if (seen === undefined || isOlder(seen, object)) {
      written.set(keyOfObject(object), { object, until: performance.now() + MEMORY });
      keep(object, "set");
    }
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
    predecessors.note(get(idOf(object)) ?? object);
    await release(type, object);
    try {
      await client.delete(type, namespace, name, uid === "" ? {} : { preconditions: { uid } });
    } catch (error) {
      // There is another one under this name by now: what was to go is gone.
      if (!(error instanceof KubeError) || error.status !== 409) throw error;
    }
    const seen = observed.get(typeKey(type))?.get(namespace, name);
    if (seen?.metadata.uid === uid) removed.set(uid, performance.now());
    else keep(object, "deleted");
    written.delete(keyOfObject(object));
  }

  function typeOf({ apiVersion, kind }: { apiVersion: string; kind: string }): ResourceType {
    const type = MADE_TYPES.find((type) => type.apiVersion === apiVersion && type.kind === kind);
    if (type === undefined) throw new Error(`The controller makes no objects of ${apiVersion} ${kind}.`);
    if (!observed.has(typeKey(type))) {
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

function typeKey({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  return `${apiVersion} ${kind}`;
}

/** The identity of an object. */
export function idOf({ apiVersion, kind, metadata: { namespace = "", name } }: KubernetesObject): ObjectId {
  return { apiVersion, kind, namespace, name };
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
