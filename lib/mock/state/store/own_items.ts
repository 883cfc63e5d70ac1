import type { Usage } from "./account.ts";
import type { Collection } from "./collection.ts";
import { fitsScope, isWhole, scopeKey, type ScopePattern } from "../item/item.ts";

/** What a session has changed in one resource, relative to the initial state. */
export interface OwnItems {
  /** The collections that the session has written to, by `scopeKey`. */
  readonly collections: Map<string, Collection>;
  /**
   * The scopes in which the session has deleted all initial items, by `scopeKey`. A key may also be a prefix of scopes:
   * `["7"]` stands for all scopes of user 7, `[]` for the whole resource. The values are empty collections, so that the
   * memory of an entry is counted.
   */
  readonly cleared: Map<string, Collection>;
  /** The latest deleted items, by {@linkcode itemKey}, the oldest first. Requests for items below them get 404. */
  readonly deleted: Set<string>;
  /** The last number that was used as an id, by scope, so that the id of a deleted item isn't used again. */
  readonly lastNumbers: Map<string, number>;
  /** The number of items added so far, including deleted ones. */
  made: number;
}

/**
 * Limits of the remembered deleted items of a resource, and of the length of their keys. Their
 * memory is small, and isn't counted.
 */
const MOST_DELETED = 1_000;
const LONGEST_DELETED = 300;

function itemKey(scope: readonly string[], key: string): string {
  return scopeKey([...scope, key]);
}

export function rememberDeleted({ deleted }: OwnItems, scope: readonly string[], key: string): void {
  const text = itemKey(scope, key);
  if (text.length > LONGEST_DELETED) return;
  deleted.add(text);
  if (deleted.size <= MOST_DELETED) return;
  for (const oldest of deleted) return void deleted.delete(oldest);
}

/** Forgets that an item was deleted, because a new item has its key. */
export function forgetDeleted({ deleted }: OwnItems, scope: readonly string[], key: string): void {
  if (deleted.size > 0) deleted.delete(itemKey(scope, key));
}

/** Whether an item is among the latest deleted items of the resource, in any of the matching scopes. */
export function isDeleted({ deleted }: OwnItems, scope: ScopePattern, key: string): boolean {
  if (deleted.size === 0) return false;
  if (isWhole(scope)) return deleted.has(itemKey(scope, key));
  const pattern = [...scope, key];
  for (const item of deleted) if (fitsScope(partsOf(item), pattern)) return true;
  return false;
}

/** The parts of which {@linkcode scopeKey} made a key. */
function partsOf(key: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < key.length;) {
    const colon = key.indexOf(":", at);
    const end = colon + 1 + Number(key.slice(at, colon));
    parts.push(key.slice(colon + 1, end));
    at = end;
  }
  return parts;
}

/** What a session has changed relative to the initial state, by the name of the resource. */
export type OwnState = ReadonlyMap<string, OwnItems>;

/** A snapshot of a state. `State.drop` frees its memory. */
export interface Snapshot extends Usage {
  readonly own: OwnState;
  /** Estimated memory of the snapshot beside its collections, in bytes. */
  readonly overhead: number;
}

/** Estimated memory of a snapshot without entries, of a resource's empty maps, and of an entry, in bytes. */
const SNAPSHOT_BYTES = 500;
const RESOURCE_BYTES = 500;
const ENTRY_BYTES = 50;

/** Estimated memory of a snapshot beside its collections, in bytes. */
export function overheadOf(state: OwnState): number {
  let bytes = SNAPSHOT_BYTES;
  for (const { collections, cleared, deleted, lastNumbers } of state.values()) {
    bytes += RESOURCE_BYTES + ENTRY_BYTES * (collections.size + cleared.size + deleted.size + lastNumbers.size);
  }
  return bytes;
}

export function noOwnItems(): OwnItems {
  return { collections: new Map(), cleared: new Map(), deleted: new Set(), lastNumbers: new Map(), made: 0 };
}

export function collectionsOf({ collections, cleared }: OwnItems): Collection[] {
  return [...collections.values(), ...cleared.values()];
}

/** Whether the initial items of a scope were deleted together. */
export function isCleared({ cleared }: OwnItems, scope: readonly string[]): boolean {
  if (cleared.size === 0) return false;
  for (let length = 0; length <= scope.length; length++) {
    if (cleared.has(scopeKey(scope.slice(0, length)))) return true;
  }
  return false;
}

/**
 * Removes the collections whose scope begins with a prefix, and returns them.
 *
 * @param isWhole Whether the prefix is a complete scope, so that at most one collection matches.
 */
export function removeBelow(
  { collections, cleared }: OwnItems,
  prefix: readonly string[],
  isWhole: boolean,
): Collection[] {
  const removed: Collection[] = [];
  for (const held of [collections, cleared]) {
    const whole = held.get(scopeKey(prefix));
    const candidates = isWhole ? whole === undefined ? [] : [whole] : held.values();
    for (const collection of candidates) {
      if (!prefix.every((value, index) => collection.scope[index] === value)) continue;
      removed.push(collection);
      held.delete(scopeKey(collection.scope));
    }
  }
  return removed;
}

/** Shares all collections with one more state or snapshot (copy on write). */
export function shareState(state: OwnState): Map<string, OwnItems> {
  return mapState(state, (collection) => {
    collection.referenceCount++;
    return collection;
  });
}

export function copyState(state: OwnState): Map<string, OwnItems> {
  return mapState(state, (collection) => collection.copy());
}

function mapState(state: OwnState, map: (collection: Collection) => Collection): Map<string, OwnItems> {
  const mapAll = (collections: ReadonlyMap<string, Collection>): Map<string, Collection> => {
    const mapped = new Map<string, Collection>();
    for (const [key, collection] of collections) mapped.set(key, map(collection));
    return mapped;
  };
  return new Map(Array.from(state, ([name, { collections, cleared, deleted, lastNumbers, made }]) => [
    name,
    {
      collections: mapAll(collections),
      cleared: mapAll(cleared),
      deleted: new Set(deleted),
      lastNumbers: new Map(lastNumbers),
      made,
    },
  ]));
}
