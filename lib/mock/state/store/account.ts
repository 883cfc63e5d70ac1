import type { Collection } from "./collection.ts";
import type { NewItem } from "../item/item.ts";
import { type StateBudget, StateFullError } from "./limits.ts";

/**
 * Counts the stored items and bytes of one state, and adds them to the totals of the server. A collection that several
 * states and snapshots share (copy on write) counts once for each state, and once in the totals.
 */
export class StateAccount {
  readonly budget: StateBudget;
  #items = 0;
  #bytes = 0;
  /** Whether the session of the state has ended. A closed state no longer adds to the server's totals. */
  isClosed = false;

  /** @param budget The limits, and the totals of all states of the server. */
  constructor(budget: StateBudget) {
    this.budget = budget;
  }

  get used(): { readonly items: number; readonly bytes: number } {
    return { items: this.#items, bytes: this.#bytes };
  }

  /**
   * Checks the limits before items are stored.
   *
   * @param more The items and bytes to add to this state.
   * @param moreOfAll The items and bytes to add to the server's totals. Default: `more`.
   * @throws {StateFullError} If a limit would be exceeded.
   */
  check(more: Usage, moreOfAll: Usage = more): void {
    const { items, bytes } = this.budget.limits;
    if (more.items > 0 && this.#items + more.items > items) throw new StateFullError("items", items);
    if (more.bytes > 0 && this.#bytes + more.bytes > bytes) throw new StateFullError("bytes", bytes);
    if (!this.isClosed) this.budget.check(moreOfAll.items, moreOfAll.bytes);
  }

  /**
   * Checks the length of an item's id and of the ids of its parents. Without a limit, a map of ids could take quadratic
   * time: V8 hashes strings of more than 16,383 characters by their length alone.
   *
   * @throws {StateFullError} If an id is too long.
   */
  checkIds({ key, scope }: Pick<NewItem, "key" | "scope">): void {
    const { idLength } = this.budget.limits;
    if (key.length > idLength || scope.some((id) => id.length > idLength)) {
      throw new StateFullError("idLength", idLength);
    }
  }

  /** Counts a new collection, which no other state or snapshot shares, for this state and in the server's totals. */
  hold({ size, bytes }: Collection): void {
    this.#count(size, bytes);
    if (!this.isClosed) this.budget.add(size, bytes);
  }

  /**
   * Counts collections that another state or a snapshot shares (copy on write). The server's totals contain them
   * already.
   */
  share({ items, bytes }: Usage): void {
    this.#count(items, bytes);
  }

  /** Subtracts a collection that the state no longer contains. */
  release(collection: Collection): void {
    this.#count(-collection.size, -collection.bytes);
    this.dereference(collection);
  }

  /** Decrements the reference count of a collection. At 0, subtracts it from the server's totals. */
  dereference(collection: Collection): void {
    collection.referenceCount--;
    if (collection.referenceCount === 0 && !this.isClosed) this.budget.add(-collection.size, -collection.bytes);
  }

  /** Calls `change`, which changes an unshared collection, and counts the difference in items and bytes. */
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

/** Amount of stored items, and their estimated memory in bytes. */
export interface Usage {
  readonly items: number;
  readonly bytes: number;
}

export const NO_USAGE: Usage = { items: 0, bytes: 0 };

export function stateUsage({ size, bytes }: Collection): Usage {
  return { items: size, bytes };
}

export function addUsage(one: Usage, other: Usage): Usage {
  return { items: one.items + other.items, bytes: one.bytes + other.bytes };
}
