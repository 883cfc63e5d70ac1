import type { Collection } from "./collection.ts";
import { type StateBudget, StateFullError } from "./limits.ts";

/**
 * Counts the items and bytes that a state stores, for the state and for all states together. A collection that several
 * states and snapshots share counts once for each of these states, and once for all states together.
 */
export class StateAccount {
  readonly budget: StateBudget;
  #items = 0;
  #bytes = 0;
  /** Whether the state's session has ended: then the state no longer counts for all states together. */
  isClosed = false;

  /** @param budget The bounds, and the counts of all states together. */
  constructor(budget: StateBudget) {
    this.budget = budget;
  }

  /** The items and bytes that the state stores. */
  get used(): { readonly items: number; readonly bytes: number } {
    return { items: this.#items, bytes: this.#bytes };
  }

  /**
   * Checks the bounds before items are stored.
   *
   * @param more The growth of this state.
   * @param moreOfAll The growth of all states together. Default: the same.
   * @throws {StateFullError} If a bound would be exceeded.
   */
  check(more: Room, moreOfAll: Room = more): void {
    const { items, bytes } = this.budget.limits;
    if (more.items > 0 && this.#items + more.items > items) throw new StateFullError("items", items);
    if (more.bytes > 0 && this.#bytes + more.bytes > bytes) throw new StateFullError("bytes", bytes);
    if (!this.isClosed) this.budget.check(moreOfAll.items, moreOfAll.bytes);
  }

  /** Counts a collection that no other state or snapshot shares: for this state, and for all states together. */
  hold({ size, bytes }: Collection): void {
    this.#count(size, bytes);
    if (!this.isClosed) this.budget.add(size, bytes);
  }

  /** Counts collections that other states or snapshots have as well. */
  share({ items, bytes }: Room): void {
    this.#count(items, bytes);
  }

  /** Subtracts a collection that the state no longer has. */
  release(collection: Collection): void {
    this.#count(-collection.size, -collection.bytes);
    this.unhold(collection);
  }

  /** Subtracts a collection from the count of all states together, if no state or snapshot has it any more. */
  unhold(collection: Collection): void {
    collection.holders--;
    if (collection.holders === 0 && !this.isClosed) this.budget.add(-collection.size, -collection.bytes);
  }

  /** Changes a collection that only this state has, and counts the difference. */
  change(collection: Collection, change: () => void): void {
    const { size, bytes } = collection;
    change();
    this.#count(collection.size - size, collection.bytes - bytes);
    if (!this.isClosed) this.budget.add(collection.size - size, collection.bytes - bytes);
  }

  #count(items: number, bytes: number): void {
    this.#items += items;
    this.#bytes += bytes;
  }
}

/** Numbers of items and of bytes. */
export interface Room {
  readonly items: number;
  readonly bytes: number;
}

export const NO_ROOM: Room = { items: 0, bytes: 0 };

/** The items and bytes of a collection. */
export function roomOf({ size, bytes }: Collection): Room {
  return { items: size, bytes };
}

/** The sum of both. */
export function addRoom(one: Room, other: Room): Room {
  return { items: one.items + other.items, bytes: one.bytes + other.bytes };
}
