import type { Room } from "./account.ts";
import type { Collection } from "./collection.ts";
import { type ItemList, scopeKey } from "./item.ts";

/** What a session or a snapshot has of a resource, where it differs from the initial state. */
export interface OwnItems {
  /** The collections that were written to, by `scopeKey`. */
  readonly collections: Map<string, Collection>;
  /**
   * The first values of scopes that were cleared, by `scopeKey`: collections that begin with them are empty, unless
   * `collections` has them. The empty scope stands for the whole resource. Each value is a collection without items,
   * so that its memory is counted.
   */
  readonly cleared: Map<string, Collection>;
  /** The items that were deleted last, by {@linkcode itemKey}, the oldest first: nothing is below them. */
  readonly deleted: Set<string>;
  /** The numbers that were given last as ids, by scope. The id of a deleted item isn't given again. */
  readonly lastNumbers: Map<string, number>;
  /** The number of items that were added, also of those that were deleted since. */
  made: number;
}

/** The most deleted items of a resource that are remembered, and their longest key: they don't count as memory. */
const MOST_DELETED = 1_000;
const LONGEST_DELETED = 300;

/** One text for an item of a resource. */
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

/** Forgets that an item was deleted: there is another one with its key. */
export function forgetDeleted({ deleted }: OwnItems, scope: readonly string[], key: string): void {
  if (deleted.size > 0) deleted.delete(itemKey(scope, key));
}

/** Whether an item is one of those that were deleted last. */
export function isDeleted({ deleted }: OwnItems, scope: readonly string[], key: string): boolean {
  return deleted.size > 0 && deleted.has(itemKey(scope, key));
}

/** What a session or a snapshot has, by the name of the resource. */
export type OwnState = ReadonlyMap<string, OwnItems>;

/** The contents of a state at one time. Drop it with `State.drop`, so that its room is free again. */
export interface Snapshot extends Room {
  readonly own: OwnState;
}

/** Makes the record of a resource that was neither written to nor cleared. */
export function noOwnItems(): OwnItems {
  return { collections: new Map(), cleared: new Map(), deleted: new Set(), lastNumbers: new Map(), made: 0 };
}

/** All collections that a record holds. */
export function heldBy({ collections, cleared }: OwnItems): Collection[] {
  return [...collections.values(), ...cleared.values()];
}

/** Whether the collection of a scope was cleared, so that it has no initial items. */
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
 * @param isWhole Whether the values are a whole scope: then there is one collection, found without a search.
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

/** The same collections for one more holder. */
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

/** One list of the items of several. */
export function concatLists(lists: readonly ItemList[]): ItemList {
  return {
    size: lists.reduce((size, list) => size + list.size, 0),
    *[Symbol.iterator]() {
      for (const list of lists) yield* list;
    },
  };
}
