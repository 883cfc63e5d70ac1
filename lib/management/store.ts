import { type AnyResource, keyOf, type Kind, type Resource } from "../gateway/resource.ts";
import { StoreError } from "../gateway/store_error.ts";

/** A resource as a store keeps it. */
export type Stored<K extends Kind = Kind> = Resource<K> & {
  /** Changes with every change of the resource; no other state of any resource of the store ever had or gets it. */
  readonly version: string;
  /** When it was created (RFC 3339, UTC). */
  readonly created: string;
};

/** A stored resource of any kind; `kind` tells which. */
export type StoredResource = { [K in Kind]: Stored<K> }[Kind];

/** What a list is about. */
export interface ListQuery {
  /** Only this namespace. Default: all. */
  namespace?: string;
  /** The most items of one page. Default: all of them. */
  limit?: number;
  /** Goes on after an earlier page, whose `continue` this is. */
  continue?: string;
}

/** Items in the order of namespace and name, compared by code unit. */
export interface Page<K extends Kind = Kind> {
  items: Stored<K>[];
  /** Where the next page starts; absent on the last. A page that starts there sees what has changed since. */
  continue?: string;
}

/** One change; `ifVersion` is the version that the resource must have for it. */
export type Change =
  | { kind: "create"; resource: AnyResource }
  | { kind: "update"; resource: AnyResource; ifVersion?: string }
  | { kind: "delete"; resource: Pick<AnyResource, "kind" | "namespace" | "name">; ifVersion?: string };

/**
 * Where deployed resources are kept. Namespace and name tell the resources of a kind apart. Every method rejects with a
 * {@linkcode StoreError} when it can't do what it should.
 */
export interface Store {
  /** Another number after each change, whoever made it. */
  readonly revision: number;
  list<K extends Kind>(kind: K, query?: ListQuery): Promise<Page<K>>;
  get<K extends Kind>(kind: K, namespace: string, name: string): Promise<Stored<K> | undefined>;
  /**
   * Makes changes, in their order: all of them, or none. What was changed is there to stay when this resolves.
   *
   * @returns The resource of each change as it is now; that of a deletion as it was.
   */
  apply(changes: readonly Change[], options?: { dryRun?: boolean }): Promise<StoredResource[]>;
  /** The namespaces, sorted: at least those that hold a resource. */
  namespaces(): Promise<string[]>;
  /**
   * Whether a resource says what it said in an earlier version, so that whoever means that one means this one too: where
   * something beside the resource changes its version. Default: each version says something else.
   */
  isUnchanged?(resource: StoredResource, version: string): boolean;
  /** How many resources of a kind there are, without a look into them. Default: as many as a list has. */
  count?(kind: Kind): Promise<number>;
}

/**
 * Takes the page of a list that a query asks for.
 *
 * @param shelf All resources of the kind, by {@linkcode keyOf}.
 */
export function pageOf<K extends Kind>(shelf: ReadonlyMap<string, Stored<K>>, query: ListQuery = {}): Page<K> {
  const after = query.continue === undefined ? undefined : readToken(query.continue);
  const keys = [...shelf.keys()].sort().filter((key) => after === undefined || key > after);
  const items = keys.flatMap((key) => shelf.get(key) ?? [])
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
