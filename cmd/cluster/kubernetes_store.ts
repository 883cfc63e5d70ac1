import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { CUSTOM_RESOURCES } from "../../lib/cluster/custom_resource.ts";
import { type Change, pageOf, type Store, type StoredResource } from "../../lib/management/store.ts";
import type { GatewayResourceKind } from "../../lib/gateway/resource.ts";
import { StoreError } from "../../lib/gateway/store_error.ts";
import { PlanCache } from "../io/gateway/plan_cache.ts";
import type { KubeClient } from "./client.ts";
import { createDefaultFleet } from "./default_fleet.ts";
import type { Informer } from "./informer.ts";
import { createResourceCaches, isNotTerminating } from "./resource_cache.ts";
import { ResourceWriter } from "./resource_writer.ts";

/** Options of {@linkcode createKubernetesStore}. */
export interface KubernetesStoreOptions {
  client: Pick<KubeClient, "get" | "apply" | "replace" | "delete">;
  /** The informers of gw's custom resources, in all namespaces. */
  resources: Readonly<Record<GatewayResourceKind, Informer>>;
  /** The informer of the cluster's namespaces. Default: only namespaces with resources are listed. */
  namespaces?: Informer;
  /** The cache of plans, which the controller may share. Default: a new cache. */
  planCache?: PlanCache;
}

const KINDS = ["api", "fleet", "staticroute"] as const satisfies GatewayResourceKind[];

/**
 * Makes a store of custom resources in a cluster.
 *
 * Resources are read from informers, even while the API server can't be reached. A change is acknowledged when the
 * informers have received it.
 *
 * Kubernetes has no transactions. So several changes in one call are first tried by dry runs, and then made one after
 * the other. If one of them fails nonetheless, the changes before it stay, and the error names them.
 *
 * A replacement that equals the present object changes nothing, not even the version.
 */
export function createKubernetesStore(
  { client, resources, namespaces, planCache = new PlanCache() }: KubernetesStoreOptions,
): Store {
  const caches = createResourceCaches({
    informers: resources,
    defaultFleet: createDefaultFleet(resources.fleet),
    planCache,
  });
  const writer = new ResourceWriter(client, resources, caches);
  return {
    get revision() {
      return resources.api.revision + resources.fleet.revision + resources.staticroute.revision;
    },
    async list(kind, query) {
      checkSynced();
      return pageOf(await caches[kind].all(), query);
    },
    async get(kind, namespace, name) {
      checkSynced();
      return await caches[kind].get({ namespace, name });
    },
    async apply(changes, { dryRun = false } = {}) {
      checkSynced();
      return await applyAll(changes, dryRun);
    },
    isUnchanged: (resource, version) => writer.isUnchanged(resource, version),
    count(kind) {
      checkSynced();
      return Promise.resolve(resources[kind].list().filter(isNotTerminating).length);
    },
    namespaces() {
      checkSynced();
      const names = namespaces?.isSynced === true
        ? namespaces.list().map(({ metadata: { name } }) => name)
        : Object.values(resources).flatMap((informer) => informer.list().filter(isNotTerminating).map(namespaceOf));
      return Promise.resolve([...new Set(names)].sort());
    },
  };

  /**
   * Throws as long as the informers haven't listed all objects, because existing resources would seem to be missing.
   */
  function checkSynced(): void {
    const missing = KINDS.filter((kind) => !resources[kind].isSynced);
    if (missing.length === 0) return;
    const names = missing.map((kind) => CUSTOM_RESOURCES[kind].plural).join(", ");
    throw new StoreError("unavailable", `The cluster's ${names} aren't known yet. Try again in a moment.`, {
      retryAfter: 1,
    });
  }

  async function applyAll(changes: readonly Change[], dryRun: boolean): Promise<StoredResource[]> {
    if (dryRun) return await writer.tryAll(changes);
    if (changes.length > 1) await writer.tryAll(changes);
    const made: StoredResource[] = [];
    for (const change of changes) {
      try {
        made.push(await writer.make(change));
      } catch (error) {
        throw made.length === 0 || !(error instanceof StoreError) ? error : partialError(error, made);
      }
    }
    return made;
  }
}

/** Makes the error of a failed change, with the names of the changes that were made before it. */
function partialError(error: StoreError, made: readonly StoredResource[]): StoreError {
  const names = made.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`).join(", ");
  const { reason, message, retryAfter, kubernetes } = error;
  return new StoreError(
    reason,
    `${message} These changes were made before: ${names}. Repeat the request for the rest.`,
    {
      cause: error,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(kubernetes === undefined ? {} : { kubernetes }),
    },
  );
}

function namespaceOf({ metadata: { namespace = "" } }: KubernetesObject): string {
  return namespace;
}
