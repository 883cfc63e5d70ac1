import type { Collection } from "./collection.ts";
import { type StateBudget, StateFullError } from "./limits.ts";

/**
 * Counts what one state stores, for itself and for all states together. A collection that several states and snapshots
 * hold counts for each of the states, and once for all together.
 */
export class StateAccount {
  readonly budget: StateBudget;
  #items = 0;
  #bytes = 0;
  /** Whether the state's session was dropped: then it doesn't count for all together. */
  isClosed = false;

  /** @param budget The bounds, and what all states store. */
  constructor(budget: StateBudget) {
    this.budget = budget;
  }

  /** What the state stores. */
  get used(): { readonly items: number; readonly bytes: number } {
    return { items: this.#items, bytes: this.#bytes };
  }

  /**
   * Checks the bounds for items that the state is to store.
   *
   * @param more What the state has more than before.
   * @param moreOfAll What all states have more than before. Default: the same.
   * @throws {StateFullError} If there is no room.
   */
  check(more: Room, moreOfAll: Room = more): void {
    const { items, bytes } = this.budget.limits;
    if (more.items > 0 && this.#items + more.items > items) throw new StateFullError("items", items);
    if (more.bytes > 0 && this.#bytes + more.bytes > bytes) throw new StateFullError("bytes", bytes);
    if (!this.isClosed) this.budget.check(moreOfAll.items, moreOfAll.bytes);
  }

  /** Counts a new collection, which only this state holds. */
  hold({ size, bytes }: Collection): void {
    this.#count(size, bytes);
    if (!this.isClosed) this.budget.add(size, bytes);
  }

  /** Counts collections that others hold, too. */
  share({ items, bytes }: Room): void {
    this.#count(items, bytes);
  }

  /** Counts a collection that the state no longer has. */
  release(collection: Collection): void {
    this.#count(-collection.size, -collection.bytes);
    this.unhold(collection);
  }

  /** Frees the room of a collection, if nobody else holds it. */
  unhold(collection: Collection): void {
    collection.holders--;
    if (collection.holders === 0 && !this.isClosed) this.budget.add(-collection.size, -collection.bytes);
  }

  /** Changes a collection that only this state holds, and counts the difference. */
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

/** Room for items: their number, and their memory in bytes. */
export interface Room {
  readonly items: number;
  readonly bytes: number;
}

/** No room. */
export const NO_ROOM: Room = { items: 0, bytes: 0 };

/** The room of a collection. */
export function roomOf({ size, bytes }: Collection): Room {
  return { items: size, bytes };
}

/** The room of both together. */
export function addRoom(one: Room, other: Room): Room {
  return { items: one.items + other.items, bytes: one.bytes + other.bytes };
}
