import { type Change, pageOf, type Store, type Stored, type StoredResource } from "./store.ts";
import { type AnyResource, type GatewayResourceKind, keyOf } from "../gateway/resource.ts";
import { StoreError } from "../gateway/store_error.ts";

/** Resources of each kind, by {@linkcode keyOf}. */
type ResourcesByKind = { [K in GatewayResourceKind]: Map<string, Stored<K>> };

/** The persistence behind a store in memory, such as a database. */
export interface Backing {
  /** The resources that were persisted before. */
  readonly resources: readonly StoredResource[];
  /** The revision of the store that was persisted with the resources. */
  readonly revision: number;
  /**
   * Persists changes, in their order: all of them, or none. The store has the changes only after this returns.
   *
   * @param revision The store's revision after the changes.
   * @throws {StoreError} If the changes can't be persisted; the store stays as it is.
   */
  persist(changes: readonly PersistedChange[], revision: number): void;
}

/** A change of a resource, with its new state; for a deletion, with its last state. */
export interface PersistedChange {
  readonly kind: Change["kind"];
  readonly resource: StoredResource;
}

/**
 * Creates a store in memory. With a backing, the resources are persisted, too.
 *
 * @param now The time, in milliseconds since 1970; resources get it as their `created`.
 * @param backing The persistence of the store. Default: none.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const store = createMemoryStore(() => 0);
 * const spec = { serviceType: "ClusterIP" as const, ports: [] };
 * await store.apply([{ kind: "create", resource: { kind: "fleet", namespace: "default", name: "edge", spec } }]);
 * assert.equal((await store.get("fleet", "default", "edge"))?.created, "1970-01-01T00:00:00.000Z");
 * assert.deepEqual(await store.namespaces(), ["default"]);
 * ```
 */
export function createMemoryStore(now: () => number, backing?: Backing): Store {
  let resources: ResourcesByKind = { api: new Map(), fleet: new Map(), staticroute: new Map() };
  let revision = backing?.revision ?? 0;
  for (const resource of backing?.resources ?? []) put(resources, resource, resource.version, resource.created);

  return {
    get revision() {
      return revision;
    },
    list: (kind, query) => attempt(() => pageOf(resources[kind], query)),
    get: (kind, namespace, name) => attempt(() => resources[kind].get(keyOf({ namespace, name }))),
    apply: (changes, options) => attempt(() => apply(changes, options?.dryRun === true)),
    namespaces: () => attempt(namespaces),
  };

  function apply(changes: readonly Change[], dryRun: boolean): StoredResource[] {
    const copy: ResourcesByKind = {
      api: new Map(resources.api),
      fleet: new Map(resources.fleet),
      staticroute: new Map(resources.staticroute),
    };
    const created = new Date(now()).toISOString();
    let version = revision;
    const kept = changes.map((change): PersistedChange => ({
      kind: change.kind,
      resource: makeChange(copy, change, String(++version), created),
    }));
    if (!dryRun) {
      backing?.persist(kept, version);
      resources = copy;
      revision = version;
    }
    return kept.map(({ resource }) => resource);
  }

  function namespaces(): string[] {
    const all = [...resources.api.values(), ...resources.fleet.values(), ...resources.staticroute.values()];
    return [...new Set(all.map(({ namespace }) => namespace))].sort();
  }
}

function makeChange(resources: ResourcesByKind, change: Change, version: string, created: string): StoredResource {
  const known = resources[change.resource.kind].get(keyOf(change.resource));
  switch (change.kind) {
    case "create":
      if (known !== undefined) throw new StoreError("exists", `There is already ${nameOf(change.resource)}.`);
      return put(resources, change.resource, version, created);
    case "update":
      return put(resources, change.resource, version, expect(known, change).created);
    case "delete": {
      const deleted = expect(known, change);
      resources[deleted.kind].delete(keyOf(deleted));
      return deleted;
    }
  }
}

function expect(
  known: StoredResource | undefined,
  { resource, ifVersion }: Exclude<Change, { kind: "create" }>,
): StoredResource {
  if (known === undefined) throw new StoreError("missing", `There is no ${nameOf(resource)}.`);
  if (ifVersion !== undefined && ifVersion !== known.version) {
    throw new StoreError("stale", `The ${nameOf(resource)} was changed in the meantime.`);
  }
  return known;
}

function put(resources: ResourcesByKind, resource: AnyResource, version: string, created: string): StoredResource {
  const key = keyOf(resource);
  switch (resource.kind) {
    case "api":
      return setIn(resources.api, key, { ...resource, version, created });
    case "fleet":
      return setIn(resources.fleet, key, { ...resource, version, created });
    case "staticroute":
      return setIn(resources.staticroute, key, { ...resource, version, created });
  }
}

function setIn<Item>(map: Map<string, Item>, key: string, item: Item): Item {
  map.set(key, item);
  return item;
}

function nameOf({ kind, namespace, name }: { kind: GatewayResourceKind; namespace: string; name: string }): string {
  return `${kind} ${namespace}/${name}`;
}

/** Calls a function. Returns its result, or the error that it throws, as a promise. */
function attempt<Result>(work: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(work()));
}
