import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { mergeCustomResource, toCustomResource } from "../../lib/cluster/convert.ts";
import { CUSTOM_RESOURCES } from "../../lib/cluster/custom_resource.ts";
import type { Kind } from "../../lib/gateway/resource.ts";
import type { AnyResource } from "../../lib/gateway/resource.ts";
import type { Change, StoredResource } from "../../lib/management/store.ts";
import { StoreError } from "../../lib/gateway/store_error.ts";
import { isEqual } from "../../lib/schema/equal.ts";
import { isObject } from "../../lib/schema/node.ts";
import { type KubeClient, KubeError } from "./client.ts";
import type { Informer } from "./informer.ts";
import { untilDeleted, untilFree, untilSeen } from "./seen.ts";
import { isStaying, type Shelves } from "./shelf.ts";
import { createSpecVersions } from "./spec_versions.ts";
import { storeErrorOf } from "./store_refusal.ts";

/** Writes resources into a cluster. */
export interface ResourceWriter {
  /** Makes a change; resolves when the informers have seen it. */
  make(change: Change): Promise<StoredResource>;
  /** Finds out whether changes could be made, in their order; makes none. */
  tryAll(changes: readonly Change[]): Promise<StoredResource[]>;
  /** Whether an object says what it said in an earlier version. */
  isUnchanged(resource: StoredResource, version: string): boolean;
}

/** What a resource is called. */
type Named = Change["resource"];

/**
 * Applying an object of a version that none has makes it where there is none, and is refused where there is one:
 * server-side apply has no other way to say that it is to be new.
 */
const NO_VERSION = "1";

/** How often a change is tried again when another one came in between that it doesn't mind. */
const MOST_TRIES = 5;

/** Longest that a new object waits for one of the same name to be deleted to the end, in milliseconds. */
const DELETION_PATIENCE = 5_000;

/** Makes what writes resources. */
export function createResourceWriter(
  client: Pick<KubeClient, "get" | "apply" | "replace" | "delete">,
  informers: Readonly<Record<Kind, Informer>>,
  shelves: Shelves,
): ResourceWriter {
  const specVersions = createSpecVersions(Object.values(informers));
  return { make: (change) => write(change, false), tryAll, isUnchanged };

  function isUnchanged({ kind, namespace, name }: StoredResource, version: string): boolean {
    const object = informers[kind].get(namespace, name);
    return object !== undefined && isStaying(object) && specVersions.isSame(version, object);
  }

  /** Only the first change of a resource is tried on the server, which knows nothing of those before it. */
  async function tryAll(changes: readonly Change[]): Promise<StoredResource[]> {
    const later = new Map<string, StoredResource | undefined>();
    const tried: StoredResource[] = [];
    for (const change of changes) {
      const name = nameOf(change.resource);
      const result = later.has(name) ? imagine(change, later.get(name)) : await write(change, true);
      later.set(name, change.kind === "delete" ? undefined : result);
      tried.push(result);
    }
    return tried;
  }

  async function write(change: Change, dryRun: boolean): Promise<StoredResource> {
    try {
      switch (change.kind) {
        case "create":
          return await create(change.resource, dryRun);
        case "update":
          return await update(change.resource, change.ifVersion, dryRun);
        case "delete":
          return await remove(change.resource, change.ifVersion, dryRun);
      }
    } catch (error) {
      throw storeErrorOf(error);
    }
  }

  async function create(resource: AnyResource, dryRun: boolean): Promise<StoredResource> {
    const type = CUSTOM_RESOURCES[resource.kind];
    const wanted = await toCustomResource(resource);
    const object = { ...wanted, metadata: { ...wanted.metadata, resourceVersion: NO_VERSION } };
    for (let tries = 1;; tries++) {
      try {
        return await take(resource, wanted, await client.apply(type, object, { dryRun }), dryRun);
      } catch (error) {
        if (!isConflict(error)) throw error;
        const present = await getLive(resource);
        if (tries < MOST_TRIES && (present === undefined || await isLeaving(resource, present))) continue;
        const what = present === undefined || isStaying(present) ? "already" : "still, while it is being deleted,";
        throw new StoreError("exists", `There is ${what} ${nameOf(resource)}.`, withRefusal(error));
      }
    }
  }

  async function isLeaving({ kind, namespace, name }: Named, present: KubernetesObject): Promise<boolean> {
    return !isStaying(present) && await untilFree(informers[kind], namespace, name, DELETION_PATIENCE);
  }

  async function update(
    resource: AnyResource,
    ifVersion: string | undefined,
    dryRun: boolean,
  ): Promise<StoredResource> {
    const type = CUSTOM_RESOURCES[resource.kind];
    const wanted = await toCustomResource(resource);
    return await onPresent(resource, ifVersion, async (present) => {
      const { uid, resourceVersion } = present.metadata;
      const merged = mergeCustomResource(present, wanted);
      const identity = uid === undefined || resourceVersion === undefined ? {} : { uid, resourceVersion };
      // Applying leaves what others own. Where that would stay beside what takes its place, all of it is replaced.
      const written = covers(merged.spec, present.spec)
        ? await client.apply(type, { ...wanted, metadata: { ...wanted.metadata, ...identity } }, { dryRun })
        : await client.replace(type, merged, { dryRun });
      return await take(resource, wanted, written, dryRun);
    });
  }

  async function remove(resource: Named, ifVersion: string | undefined, dryRun: boolean): Promise<StoredResource> {
    const { kind, namespace, name } = resource;
    return await onPresent(resource, ifVersion, async (present) => {
      const { uid, resourceVersion } = present.metadata;
      const preconditions = uid === undefined || resourceVersion === undefined ? {} : { uid, resourceVersion };
      const deleted = await shelves[kind].read(present);
      const wasThere = await client.delete(CUSTOM_RESOURCES[kind], namespace, name, { dryRun, preconditions });
      if (!wasThere) throw missing(resource);
      if (!dryRun) await untilDeleted(informers[kind], present);
      return deleted;
    });
  }

  /** Reads what the server has made of a resource, once the informer has it, too. */
  async function take(
    resource: AnyResource,
    wanted: KubernetesObject,
    written: KubernetesObject,
    dryRun: boolean,
  ): Promise<StoredResource> {
    // Where it says what was wanted, its definition needn't be read to know that.
    const known = isEqual(written.spec, wanted.spec) ? resource : undefined;
    if (!dryRun) {
      if (known?.kind === "api") shelves.api.expect(written, known.spec);
      if (known?.kind === "staticroute") shelves.staticroute.expect(written, known.spec);
      await untilSeen(informers[resource.kind], written);
    }
    switch (known?.kind) {
      case "api":
        return await shelves.api.read(written, known.spec);
      case "staticroute":
        return await shelves.staticroute.read(written, known.spec);
      default:
        return await shelves[resource.kind].read(written);
    }
  }

  /** Changes an object as it is: as the informer knows it, and, should that be behind, as the server does. */
  async function onPresent(
    resource: Named,
    ifVersion: string | undefined,
    change: (present: KubernetesObject) => Promise<StoredResource>,
  ): Promise<StoredResource> {
    const { kind, namespace, name } = resource;
    const isMeant = (object: KubernetesObject | undefined): boolean =>
      object !== undefined && isStaying(object) &&
      (ifVersion === undefined || specVersions.isSame(ifVersion, object));
    const known = informers[kind].get(namespace, name);
    let present = isMeant(known) ? known : await getLive(resource);
    for (let tries = 1;; tries++) {
      if (present === undefined || !isStaying(present)) throw missing(resource);
      if (!isMeant(present)) throw stale(resource);
      try {
        return await change(present);
      } catch (error) {
        if (!isConflict(error)) throw error;
        if (tries === MOST_TRIES) throw stale(resource, error);
        present = await getLive(resource);
      }
    }
  }

  function getLive({ kind, namespace, name }: Named): Promise<KubernetesObject | undefined> {
    return client.get(CUSTOM_RESOURCES[kind], namespace, name);
  }
}

/** A change after others of the same resource that aren't made either. */
function imagine(change: Change, before: StoredResource | undefined): StoredResource {
  switch (change.kind) {
    case "create":
      if (before !== undefined) throw new StoreError("exists", `There is already ${nameOf(change.resource)}.`);
      return { ...change.resource, version: "", created: "" };
    case "update": {
      const { created } = expect(before, change);
      return { ...change.resource, version: "", created };
    }
    case "delete":
      return expect(before, change);
  }
}

function expect(
  before: StoredResource | undefined,
  { resource, ifVersion }: Exclude<Change, { kind: "create" }>,
): StoredResource {
  if (before === undefined) throw missing(resource);
  if (ifVersion !== undefined && ifVersion !== before.version) throw stale(resource);
  return before;
}

/** Whether a value has, at each level, all keys that another one has; of lists, the items of some are merged. */
function covers(after: unknown, before: unknown): boolean {
  if (Array.isArray(before)) return isEqual(after, before);
  if (!isObject(before)) return true;
  return isObject(after) && Object.keys(before).every((key) => key in after && covers(after[key], before[key]));
}

function isConflict(error: unknown): error is KubeError {
  return error instanceof KubeError && error.status === 409;
}

function missing(resource: Named): StoreError {
  return new StoreError("missing", `There is no ${nameOf(resource)}.`);
}

function stale(resource: Named, error?: KubeError): StoreError {
  const message = `The ${nameOf(resource)} was changed in the meantime.`;
  return new StoreError("stale", message, error === undefined ? {} : withRefusal(error));
}

function withRefusal(error: KubeError): { cause: unknown; kubernetes: { code: number; reason: string } } {
  return { cause: error, kubernetes: { code: error.status, reason: error.reason } };
}

function nameOf({ kind, namespace, name }: Named): string {
  return `${kind} ${namespace}/${name}`;
}
