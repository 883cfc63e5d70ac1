import type { Room } from "./account.ts";
import type { Collection } from "./collection.ts";
import { type ItemList, scopeKey } from "./item.ts";

/** The items of a resource in a session or snapshot, as far as they differ from the initial state. */
export interface OwnItems {
  /** The collections that were written to, by `scopeKey`. */
  readonly collections: Map<string, Collection>;
  /**
   * The scopes that were cleared, or the first values of several scopes, by `scopeKey`. Initial collections in them
   * count as empty. The empty scope stands for the whole resource. Each value is an empty collection, so that its
   * memory is counted.
   */
  readonly cleared: Map<string, Collection>;
  /**
   * The items that were deleted last, by {@linkcode itemKey}, the oldest first. Requests for items below them get 404.
   */
  readonly deleted: Set<string>;
  /** The last number that was used as an id in each scope, so that the id of a deleted item isn't used again. */
  readonly lastNumbers: Map<string, number>;
  /** The number of items that were added, including those that were deleted since. */
  made: number;
}

/**
 * The most deleted items of a resource that are remembered. Below: the longest key. They are few, so their memory isn't
 * counted.
 */
const MOST_DELETED = 1_000;
const LONGEST_DELETED = 300;

/** One text for each item of a resource. */
function itemKey(scope: readonly string[], key: string): string {
  return scopeKey([...scope, key]);
}

/** Remembers that an item was deleted. */
export function rememberDeleted({ deleted }: OwnItems, scope: readonly string[], key: string): void {
  const text = itemKey(scope, key);
  if (text.length > LONGEST_DELETED) return;
  deleted.add(text);
  if (deleted.size <= MOST_DELETED) return;
  for (const oldest of deleted) return void deleted.delete(oldest);
}

/** Forgets that an item was deleted, because a new one has its key. */
export function forgetDeleted({ deleted }: OwnItems, scope: readonly string[], key: string): void {
  if (deleted.size > 0) deleted.delete(itemKey(scope, key));
}

/** Whether an item is among those that were deleted last. */
export function isDeleted({ deleted }: OwnItems, scope: readonly string[], key: string): boolean {
  return deleted.size > 0 && deleted.has(itemKey(scope, key));
}

/** The items of a session or snapshot that differ from the initial state, by the name of their resource. */
export type OwnState = ReadonlyMap<string, OwnItems>;

/** A snapshot of a state. Free its memory by `State.drop`. */
export interface Snapshot extends Room {
  readonly own: OwnState;
}

/** The empty record of a resource, which equals the initial state. */
export function noOwnItems(): OwnItems {
  return { collections: new Map(), cleared: new Map(), deleted: new Set(), lastNumbers: new Map(), made: 0 };
}

/** All collections in a record. */
export function collectionsOf({ collections, cleared }: OwnItems): Collection[] {
  return [...collections.values(), ...cleared.values()];
}

/** Whether a scope was cleared, so that its initial items don't count. */
export function isCleared({ cleared }: OwnItems, scope: readonly string[]): boolean {
  if (cleared.size === 0) return false;
  for (let length = 0; length <= scope.length; length++) {
    if (cleared.has(scopeKey(scope.slice(0, length)))) return true;
  }
  return false;
}

/**
 * Removes the collections whose scope begins with some values, and returns them.
 *
 * @param isWhole Whether the values are a complete scope. Then there is at most one collection, which needn't be
 * searched for.
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

/** The same collections, shared by one more session or snapshot (copy on write). */
export function shareState(state: OwnState): Map<string, OwnItems> {
  return mapState(state, (collection) => {
    collection.holders++;
    return collection;
  });
}

/** Copies of all collections. */
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

/** Concatenates lists of items. */
export function concatLists(lists: readonly ItemList[]): ItemList {
  return {
    size: lists.reduce((size, list) => size + list.size, 0),
    *[Symbol.iterator]() {
      for (const list of lists) yield* list;
    },
  };
}
