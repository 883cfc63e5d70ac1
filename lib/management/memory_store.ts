import { pageOf } from "./store.ts";
import { keyOf, type Kind } from "../gateway/resource.ts";
import type { AnyResource } from "../gateway/resource.ts";
import type { Change, Store, Stored, StoredResource } from "./store.ts";
import { StoreError } from "../gateway/store_error.ts";

/** Resources by namespace and name. */
type Shelves = { [K in Kind]: Map<string, Stored<K>> };

/** Where a store that outlives the process keeps what it holds. */
export interface Backing {
  /** What was kept before. */
  readonly resources: readonly StoredResource[];
  /** The revision that was kept with them. */
  readonly revision: number;
  /**
   * Keeps changes, in their order: all of them, or none. Nobody sees them before this returns.
   *
   * @param revision The store's revision after them.
   * @throws {StoreError} When they can't be kept, so that they aren't made.
   */
  keep(changes: readonly KeptChange[], revision: number): void;
}

/** A change, and the resource after it; of a deletion as it was. */
export interface KeptChange {
  readonly kind: Change["kind"];
  readonly resource: StoredResource;
}

/**
 * Makes a store in memory. It forgets everything with the process, unless something is behind it that doesn't.
 *
 * @param now The time, in milliseconds since 1970; resources get it as their `created`.
 * @param backing What it begins with and where its changes are kept. Default: nothing and nowhere.
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
  let shelves: Shelves = { api: new Map(), fleet: new Map(), staticroute: new Map() };
  let revision = backing?.revision ?? 0;
  for (const resource of backing?.resources ?? []) put(shelves, resource, resource.version, resource.created);

  return {
    get revision() {
      return revision;
    },
    list: (kind, query) => attempt(() => pageOf(shelves[kind], query)),
    get: (kind, namespace, name) => attempt(() => shelves[kind].get(keyOf({ namespace, name }))),
    apply: (changes, options) => attempt(() => apply(changes, options?.dryRun === true)),
    namespaces: () => attempt(namespaces),
  };

  function apply(changes: readonly Change[], dryRun: boolean): StoredResource[] {
    const copy: Shelves = {
      api: new Map(shelves.api),
      fleet: new Map(shelves.fleet),
      staticroute: new Map(shelves.staticroute),
    };
    const created = new Date(now()).toISOString();
    let version = revision;
    const kept = changes.map((change): KeptChange => ({
      kind: change.kind,
      resource: makeChange(copy, change, String(++version), created),
    }));
    if (!dryRun) {
      backing?.keep(kept, version);
      shelves = copy;
      revision = version;
    }
    return kept.map(({ resource }) => resource);
  }

  function namespaces(): string[] {
    const all = [...shelves.api.values(), ...shelves.fleet.values(), ...shelves.staticroute.values()];
    return [...new Set(all.map(({ namespace }) => namespace))].sort();
  }
}

function makeChange(shelves: Shelves, change: Change, version: string, created: string): StoredResource {
  const known = shelves[change.resource.kind].get(keyOf(change.resource));
  switch (change.kind) {
    case "create":
      if (known !== undefined) throw new StoreError("exists", `There is already ${nameOf(change.resource)}.`);
      return put(shelves, change.resource, version, created);
    case "update":
      return put(shelves, change.resource, version, expect(known, change).created);
    case "delete": {
      const deleted = expect(known, change);
      shelves[deleted.kind].delete(keyOf(deleted));
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

function put(shelves: Shelves, resource: AnyResource, version: string, created: string): StoredResource {
  const key = keyOf(resource);
  switch (resource.kind) {
    case "api":
      return shelve(shelves.api, key, { ...resource, version, created });
    case "fleet":
      return shelve(shelves.fleet, key, { ...resource, version, created });
    case "staticroute":
      return shelve(shelves.staticroute, key, { ...resource, version, created });
  }
}

function shelve<Item>(shelf: Map<string, Item>, key: string, item: Item): Item {
  shelf.set(key, item);
  return item;
}

function nameOf({ kind, namespace, name }: { kind: Kind; namespace: string; name: string }): string {
  return `${kind} ${namespace}/${name}`;
}

/** A result or a thrown error as a promise. */
function attempt<Result>(work: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(work()));
}
