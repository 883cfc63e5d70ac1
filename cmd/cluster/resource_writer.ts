import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { mergeCustomResource, toCustomResource } from "../../lib/cluster/convert.ts";
import { CUSTOM_RESOURCES } from "../../lib/cluster/custom_resource.ts";
import type { AnyResource, GatewayResourceKind } from "../../lib/gateway/resource.ts";
import type { Change, StoredResource } from "../../lib/management/store.ts";
import { StoreError } from "../../lib/gateway/store_error.ts";
import { isEqual } from "../../lib/schema/json/equal.ts";
import { isObject } from "../../lib/schema/json/node.ts";
import { type KubeClient, KubeError } from "./client.ts";
import type { Informer } from "./informer.ts";
import { isNotTerminating, type ResourceCaches } from "./resource_cache.ts";
import { SpecVersions } from "./resource_version.ts";
import { waitForDeletion, waitForFreeName, waitForWrite } from "./wait_for_informer.ts";

/** Kind, namespace and name of a resource. */
type Named = Change["resource"];

/**
 * A `resourceVersion` that no object has. With it, server-side apply creates an object, and is refused if the object
 * exists. The API has no other way to require that an applied object is new.
 */
const NO_VERSION = "1";

/** Statuses by which the API server tells that the request is at fault. */
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 405, 409, 413, 415, 422]);

/** The most times that a change is tried if other clients write the object at the same time. */
const MOST_TRIES = 5;

/**
 * The longest time for which the creation of an object waits until a deleted object of its name is gone, in
 * milliseconds.
 */
const DELETION_TIMEOUT = 5_000;

/** Writes resources of the management API to custom resources in a cluster. */
export class ResourceWriter {
  readonly #client: Pick<KubeClient, "get" | "apply" | "replace" | "delete">;
  readonly #informers: Readonly<Record<GatewayResourceKind, Informer>>;
  readonly #caches: ResourceCaches;
  readonly #specVersions: SpecVersions;

  constructor(
    client: Pick<KubeClient, "get" | "apply" | "replace" | "delete">,
    informers: Readonly<Record<GatewayResourceKind, Informer>>,
    caches: ResourceCaches,
  ) {
    this.#client = client;
    this.#informers = informers;
    this.#caches = caches;
    this.#specVersions = new SpecVersions(Object.values(informers));
  }

  /** Makes a change. Resolves when the informers have received it. */
  make(change: Change): Promise<StoredResource> {
    return this.#write(change, false);
  }

  /** Tells whether a resource has the `spec` that it had in an earlier version. */
  isUnchanged({ kind, namespace, name }: StoredResource, version: string): boolean {
    const object = this.#informers[kind].get(namespace, name);
    return object !== undefined && isNotTerminating(object) && this.#specVersions.isSame(version, object);
  }

  /**
   * Tries whether changes can be made one after the other, and makes none of them. Only the first change of a resource
   * is tried by a dry run of the API server, because a dry run stores nothing on which the next change could be tried.
   */
  async tryAll(changes: readonly Change[]): Promise<StoredResource[]> {
    const later = new Map<string, StoredResource | undefined>();
    const tried: StoredResource[] = [];
    for (const change of changes) {
      const name = nameOf(change.resource);
      const result = later.has(name) ? predictResult(change, later.get(name)) : await this.#write(change, true);
      later.set(name, change.kind === "delete" ? undefined : result);
      tried.push(result);
    }
    return tried;
  }

  async #write(change: Change, dryRun: boolean): Promise<StoredResource> {
    try {
      switch (change.kind) {
        case "create":
          return await this.#create(change.resource, dryRun);
        case "update":
          return await this.#update(change.resource, change.ifVersion, dryRun);
        case "delete":
          return await this.#remove(change.resource, change.ifVersion, dryRun);
      }
    } catch (error) {
      throw toStoreError(error);
    }
  }

  async #create(resource: AnyResource, dryRun: boolean): Promise<StoredResource> {
    const type = CUSTOM_RESOURCES[resource.kind];
    const wanted = await toCustomResource(resource);
    const object = { ...wanted, metadata: { ...wanted.metadata, resourceVersion: NO_VERSION } };
    for (let tries = 1;; tries++) {
      try {
        return await this.#take(resource, wanted, await this.#client.apply(type, object, { dryRun }), dryRun);
      } catch (error) {
        if (!isConflict(error)) throw error;
        const present = await this.#getLive(resource);
        if (tries < MOST_TRIES && (present === undefined || await this.#isLeaving(resource, present))) continue;
        const what = present === undefined || isNotTerminating(present)
          ? "already"
          : "still, while it is being deleted,";
        throw new StoreError("exists", `There is ${what} ${nameOf(resource)}.`, withRefusal(error));
      }
    }
  }

  async #isLeaving({ kind, namespace, name }: Named, present: KubernetesObject): Promise<boolean> {
    return !isNotTerminating(present) &&
      await waitForFreeName(this.#informers[kind], namespace, name, DELETION_TIMEOUT);
  }

  async #update(
    resource: AnyResource,
    ifVersion: string | undefined,
    dryRun: boolean,
  ): Promise<StoredResource> {
    const type = CUSTOM_RESOURCES[resource.kind];
    const wanted = await toCustomResource(resource);
    return await this.#onPresent(resource, ifVersion, async (present) => {
      const { uid, resourceVersion } = present.metadata;
      const merged = mergeCustomResource(present, wanted);
      const identity = uid === undefined || resourceVersion === undefined ? {} : { uid, resourceVersion };
      // Server-side apply removes no fields of other managers. If the change removes such fields, the object is
      // replaced instead.
      const written = covers(merged.spec, present.spec)
        ? await this.#client.apply(type, { ...wanted, metadata: { ...wanted.metadata, ...identity } }, { dryRun })
        : await this.#client.replace(type, merged, { dryRun });
      return await this.#take(resource, wanted, written, dryRun);
    });
  }

  async #remove(resource: Named, ifVersion: string | undefined, dryRun: boolean): Promise<StoredResource> {
    const { kind, namespace, name } = resource;
    return await this.#onPresent(resource, ifVersion, async (present) => {
      const { uid, resourceVersion } = present.metadata;
      const preconditions = uid === undefined || resourceVersion === undefined ? {} : { uid, resourceVersion };
      const deleted = await this.#caches[kind].read(present);
      const wasThere = await this.#client.delete(CUSTOM_RESOURCES[kind], namespace, name, { dryRun, preconditions });
      if (!wasThere) throw missing(resource);
      if (!dryRun) await waitForDeletion(this.#informers[kind], present);
      return deleted;
    });
  }

  /** Converts the API server's response to a write, after the informer has received the write. */
  async #take(
    resource: AnyResource,
    wanted: KubernetesObject,
    written: KubernetesObject,
    dryRun: boolean,
  ): Promise<StoredResource> {
    // If the API server has stored the object as wanted, its definition was read before and isn't read again.
    const known = isEqual(written.spec, wanted.spec) ? resource : undefined;
    if (!dryRun) {
      if (known?.kind === "api") this.#caches.api.expect(written, known.spec);
      if (known?.kind === "staticroute") this.#caches.staticroute.expect(written, known.spec);
      await waitForWrite(this.#informers[resource.kind], written);
    }
    switch (known?.kind) {
      case "api":
        return await this.#caches.api.read(written, known.spec);
      case "staticroute":
        return await this.#caches.staticroute.read(written, known.spec);
      default:
        return await this.#caches[resource.kind].read(written);
    }
  }

  /**
   * Applies a change to the present object. The object comes from the informer first; if the API server reports a
   * conflict, from the API server.
   */
  async #onPresent(
    resource: Named,
    ifVersion: string | undefined,
    change: (present: KubernetesObject) => Promise<StoredResource>,
  ): Promise<StoredResource> {
    const { kind, namespace, name } = resource;
    const isMeant = (object: KubernetesObject | undefined): boolean =>
      object !== undefined && isNotTerminating(object) &&
      (ifVersion === undefined || this.#specVersions.isSame(ifVersion, object));
    const known = this.#informers[kind].get(namespace, name);
    let present = isMeant(known) ? known : await this.#getLive(resource);
    for (let tries = 1;; tries++) {
      if (present === undefined || !isNotTerminating(present)) throw missing(resource);
      if (!isMeant(present)) throw stale(resource);
      try {
        return await change(present);
      } catch (error) {
        if (!isConflict(error)) throw error;
        if (tries === MOST_TRIES) throw stale(resource, error);
        present = await this.#getLive(resource);
      }
    }
  }

  #getLive({ kind, namespace, name }: Named): Promise<KubernetesObject | undefined> {
    return this.#client.get(CUSTOM_RESOURCES[kind], namespace, name);
  }
}

/** Computes the result of a change, without storing it, for changes that a dry run of the API server can't try. */
function predictResult(change: Change, before: StoredResource | undefined): StoredResource {
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

/**
 * Tells whether a value has all keys of another value, at each level. Lists must be equal, because server-side apply
 * merges the items of some.
 */
function covers(after: unknown, before: unknown): boolean {
  if (Array.isArray(before)) return isEqual(after, before);
  if (!isObject(before)) return true;
  return isObject(after) && Object.keys(before).every((key) => key in after && covers(after[key], before[key]));
}

/** Converts an error of the API server to an error of the store. Other errors stay as they are. */
function toStoreError(error: unknown): unknown {
  if (!(error instanceof KubeError)) return error;
  const { status, reason, message, retryAfter } = error;
  const kubernetes = { code: status, reason };
  const more = { cause: error, kubernetes, ...(retryAfter === undefined ? {} : { retryAfter }) };
  if (status === 401) {
    return new StoreError("unavailable", `The API server doesn't accept gw's own credentials: ${message}`, more);
  }
  if (status === 403) {
    return new StoreError(
      "refused",
      `gw itself may not do this in the cluster, or it is forbidden there: ${message}`,
      more,
    );
  }
  if (REFUSALS.has(status)) return new StoreError("refused", `The cluster refuses this: ${message}`, more);
  return new StoreError("unavailable", message, more);
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
