import { type AnyResource, type GatewayResource, type GatewayResourceKind, keyOf } from "../gateway/resource.ts";
import { StoreError } from "../gateway/store_error.ts";

/** A resource in a store, with its version and the time of its creation. */
export type Stored<K extends GatewayResourceKind = GatewayResourceKind> = GatewayResource<K> & {
  /**
   * The version of the resource, which changes with every change of it. No two states of any resources in a store have
   * an equal version.
   */
  readonly version: string;
  /** The time of creation (RFC 3339, UTC). */
  readonly created: string;
};

/** A stored resource; `kind` tells which kind. */
export type StoredResource = { [K in GatewayResourceKind]: Stored<K> }[GatewayResourceKind];

/** The part of a list to read. */
export interface ListQuery {
  /** The namespace whose resources to list. Default: all namespaces. */
  namespace?: string;
  /** The most items of the page. Default: no limit. */
  limit?: number;
  /** The token `continue` of the previous page. */
  continue?: string;
}

/** A page of a list. Its items are sorted by namespace and name, compared by UTF-16 code unit. */
export interface Page<K extends GatewayResourceKind = GatewayResourceKind> {
  items: Stored<K>[];
  /**
   * The token of the next page; absent on the last page. The next page is not from a snapshot: it shows changes made
   * after this page was read.
   */
  continue?: string;
}

/**
 * A change of one resource. It fails if the stored resource has another version than `ifVersion`. Default: any version.
 */
export type Change =
  | { kind: "create"; resource: AnyResource }
  | { kind: "update"; resource: AnyResource; ifVersion?: string }
  | { kind: "delete"; resource: Pick<AnyResource, "kind" | "namespace" | "name">; ifVersion?: string };

/**
 * Stores the deployed resources. A resource is identified by kind, namespace and name. Each method rejects with a
 * {@linkcode StoreError} if it fails.
 */
export interface Store {
  /** A number that changes with each change of the store, by this process or by another. */
  readonly revision: number;
  list<K extends GatewayResourceKind>(kind: K, query?: ListQuery): Promise<Page<K>>;
  get<K extends GatewayResourceKind>(kind: K, namespace: string, name: string): Promise<Stored<K> | undefined>;
  /**
   * Applies changes in their order: all of them, or none. The changes are durable when the promise resolves.
   *
   * @returns For each change, the resource after the change; for a deletion, the resource before.
   */
  apply(changes: readonly Change[], options?: { dryRun?: boolean }): Promise<StoredResource[]>;
  /** Lists the namespaces, sorted: at least those that have a resource. */
  namespaces(): Promise<string[]>;
  /**
   * Tells whether a resource has still the content of an earlier version, so that `If-Match` with that version is met.
   * In a cluster, a change of `status` makes a new version with unchanged content. Default: no two versions have equal
   * content.
   */
  isUnchanged?(resource: StoredResource, version: string): boolean;
  /** Counts the resources of a kind without reading them. Without this method, a caller counts the items of `list`. */
  count?(kind: GatewayResourceKind): Promise<number>;
}

/**
 * Selects the page of a list that a query asks for.
 *
 * @param resources All resources of the kind, by {@linkcode keyOf}.
 */
export function pageOf<K extends GatewayResourceKind>(
  resources: ReadonlyMap<string, Stored<K>>,
  query: ListQuery = {},
): Page<K> {
  const after = query.continue === undefined ? undefined : readToken(query.continue);
  const keys = [...resources.keys()].sort().filter((key) => after === undefined || key > after);
  const items = keys.flatMap((key) => resources.get(key) ?? [])
    .filter(({ namespace }) => query.namespace === undefined || namespace === query.namespace);
  const { limit = items.length } = query;
  const last = items[limit - 1];
  return items.length > limit && last !== undefined
    ? { items: items.slice(0, limit), continue: `${last.namespace}/${last.name}` }
    : { items };
}

function readToken(token: string): string {
  const [namespace, name, ...more] = token.split("/");
  if (namespace === undefined || name === undefined || more.length > 0) {
    throw new StoreError("bad-continue", `No list has given ${JSON.stringify(token)} to continue from.`);
  }
  return keyOf({ namespace, name });
}
