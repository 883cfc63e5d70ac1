import { type AnyResource, keyOf, type Kind, type Resource } from "../gateway/resource.ts";
import { StoreError } from "../gateway/store_error.ts";

/** A resource in a store, with its version and the time of its creation. */
export type Stored<K extends Kind = Kind> = Resource<K> & {
  /** Changes with every change of the resource; no two states of resources in the store ever have the same version. */
  readonly version: string;
  /** When it was created (RFC 3339, UTC). */
  readonly created: string;
};

/** A stored resource of any kind; `kind` tells which. */
export type StoredResource = { [K in Kind]: Stored<K> }[Kind];

/** Selects the resources of a list. */
export interface ListQuery {
  /** Only this namespace. Default: all. */
  namespace?: string;
  /** The most items of one page. Default: all of them. */
  limit?: number;
  /** The `continue` of an earlier page: the list goes on after that page. */
  continue?: string;
}

/** Items in the order of namespace and name, compared by code unit. */
export interface Page<K extends Kind = Kind> {
  items: Stored<K>[];
  /** The token of the next page; absent on the last page. The next page shows changes made after this page was read. */
  continue?: string;
}

/** One change. It fails if the resource hasn't the version `ifVersion`. Default: any version. */
export type Change =
  | { kind: "create"; resource: AnyResource }
  | { kind: "update"; resource: AnyResource; ifVersion?: string }
  | { kind: "delete"; resource: Pick<AnyResource, "kind" | "namespace" | "name">; ifVersion?: string };

/**
 * Stores the deployed resources. Kind, namespace and name identify a resource. Each method rejects with a
 * {@linkcode StoreError} if it fails.
 */
export interface Store {
  /** Changes with each change of the store, by this process or by another. */
  readonly revision: number;
  list<K extends Kind>(kind: K, query?: ListQuery): Promise<Page<K>>;
  get<K extends Kind>(kind: K, namespace: string, name: string): Promise<Stored<K> | undefined>;
  /**
   * Makes changes, in their order: all of them, or none. The changes are durable when this resolves.
   *
   * @returns For each change, the resource after the change; for a deletion, the resource before.
   */
  apply(changes: readonly Change[], options?: { dryRun?: boolean }): Promise<StoredResource[]>;
  /** The namespaces, sorted: at least those that hold a resource. */
  namespaces(): Promise<string[]>;
  /**
   * Tells whether a resource still has the content that it had in an earlier version: then `If-Match` may name that
   * version. In a cluster, a change of `status` makes a new version without a change of content. Default: each version
   * has other content.
   */
  isUnchanged?(resource: StoredResource, version: string): boolean;
  /**
   * Counts the resources of a kind without reading them. Without this method, callers list the resources to count them.
   */
  count?(kind: Kind): Promise<number>;
}

/**
 * Takes the page of a list that a query asks for.
 *
 * @param resources All resources of the kind, by {@linkcode keyOf}.
 */
export function pageOf<K extends Kind>(resources: ReadonlyMap<string, Stored<K>>, query: ListQuery = {}): Page<K> {
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
