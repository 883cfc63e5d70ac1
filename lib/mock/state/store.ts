/**
 * The items of a session: the initial state, which all sessions share, and the session's own copies of the collections
 * that it has written to (copy on write).
 *
 * ```text
 * read  -> the session's collection, if it has one -> else the initial collection
 * write -> check the bounds -> copy the collection, if it is shared -> change it
 * ```
 *
 * @module
 */
import { addRoom, NO_ROOM, type Room, roomOf, StateAccount } from "./account.ts";
import { Collection } from "./collection.ts";
import {
  createItem,
  fitsScope,
  isWhole,
  type Item,
  type ItemList,
  type NewItem,
  prefixOf,
  scopeKey,
  type ScopePattern,
} from "./item.ts";
import type { InitialState } from "./initial_state.ts";
import type { StateBudget } from "./limits.ts";
import {
  collectionsOf,
  concatLists,
  copyState,
  forgetDeleted,
  isCleared,
  isDeleted,
  noOwnItems,
  type OwnItems,
  type OwnState,
  rememberDeleted,
  removeBelow,
  shareState,
  type Snapshot,
} from "./own_items.ts";

/**
 * The state of a session. A write that would exceed a bound throws {@linkcode StateFullError} and changes nothing.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { EMPTY_STATE } from "./initial_state.ts";
 * import { StateBudget } from "./limits.ts";
 *
 * const state = new State(EMPTY_STATE, new StateBudget());
 * state.put("pets", { key: "1", scope: [], value: { id: 1, name: "Tom" } });
 * const fork = state.fork();
 * fork.delete("pets", [], "1");
 * assert.equal(fork.get("pets", [], "1"), undefined);
 * assert.deepEqual(state.get("pets", [], "1")?.value, { id: 1, name: "Tom" });
 * ```
 */
export class State {
  #initial: InitialState;
  readonly #account: StateAccount;
  #own = new Map<string, OwnItems>();
  /** The number of writes. An item's revision is this number after its write. */
  #revision = 0;

  /** @param budget The bounds of the state and of all states together. */
  constructor(initial: InitialState, budget: StateBudget) {
    this.#initial = initial;
    this.#account = new StateAccount(budget);
  }

  /** The number of writes so far. */
  get revision(): number {
    return this.#revision;
  }

  /** The initial state. */
  get initial(): InitialState {
    return this.#initial;
  }

  /** The items and bytes that the session's own collections take. */
  get used(): Room {
    return this.#account.used;
  }

  /** Prepares a resource: see {@linkcode InitialState.prepare}. */
  prepare(resource: string): Promise<void> | undefined {
    return this.#initial.prepare(resource);
  }

  /** The item with a key. If the scope has an `undefined`, the first item with this key in the scopes that match. */
  get(resource: string, scope: ScopePattern, key: string): Item | undefined {
    if (isWhole(scope)) return this.#collection(resource, scope).get(key);
    for (const collection of this.#collections(resource, scope)) {
      const item = collection.get(key);
      if (item !== undefined) return item;
    }
    return undefined;
  }

  /** The items of a resource in the order of their creation. If several scopes match, one scope after the other. */
  list(resource: string, scope: ScopePattern): ItemList {
    return isWhole(scope) ? this.#collection(resource, scope) : concatLists(this.#collections(resource, scope));
  }

  /** The items with a string, number or boolean at a path; `text` is this value as text. */
  find(resource: string, scope: ScopePattern, path: readonly string[], text: string): ItemList {
    return isWhole(scope)
      ? this.#collection(resource, scope).find(path, text)
      : concatLists(this.#collections(resource, scope).map((collection) => collection.find(path, text)));
  }

  /** The last number that was used as an id, by scope. The map can be changed; snapshots and forks have copies. */
  lastNumbers(resource: string): Map<string, number> {
    return this.#ownItems(resource).lastNumbers;
  }

  /**
   * The number of items added to a resource since the last reset. It serves as a seed: the same requests after a reset
   * make the same items.
   */
  madeItems(resource: string): number {
    return this.#own.get(resource)?.made ?? 0;
  }

  /** Adds an item, or replaces the item with its key. Returns it with its revision. */
  put(resource: string, item: NewItem): Item {
    const old = this.#collection(resource, item.scope).get(item.key);
    const revision = this.#revision + 1;
    const written = createItem(item, revision, old?.created ?? revision);
    const more = { items: old === undefined ? 1 : 0, bytes: written.bytes - (old?.bytes ?? 0) };
    const collection = this.#ownCollection(resource, item.scope, more);
    this.#account.change(collection, () => collection.put(written));
    const own = this.#ownItems(resource);
    if (old === undefined) own.made++;
    forgetDeleted(own, item.scope, item.key);
    this.#revision = revision;
    return written;
  }

  /** Deletes an item. Returns whether it existed. */
  delete(resource: string, scope: readonly string[], key: string): boolean {
    const item = this.#collection(resource, scope).get(key);
    if (item === undefined) return false;
    const own = this.#ownCollection(resource, scope, { items: -1, bytes: -item.bytes });
    this.#account.change(own, () => own.delete(item));
    rememberDeleted(this.#ownItems(resource), scope, key);
    this.#revision++;
    return true;
  }

  /** Whether an item is among those that were deleted last. */
  wasDeleted(resource: string, scope: readonly string[], key: string): boolean {
    const own = this.#own.get(resource);
    return own !== undefined && isDeleted(own, scope, key);
  }

  /**
   * Deletes the items in all matching scopes. The resource must be prepared if the pattern has a value after an
   * `undefined`.
   */
  clear(resource: string, pattern: ScopePattern = []): void {
    const prefix = prefixOf(pattern);
    if (pattern.slice(prefix.length).some((value) => value !== undefined)) {
      for (const { scope } of this.#collections(resource, pattern)) this.#clearPrefix(resource, scope, true);
    } else this.#clearPrefix(resource, prefix, prefix.length > 0 && prefix.length === pattern.length);
    this.#revision++;
  }

  /** Replaces all items of a resource. If a bound would be exceeded, nothing changes. */
  replace(resource: string, items: Iterable<NewItem>): void {
    const before = this.snapshot();
    try {
      this.clear(resource);
      for (const item of items) this.put(resource, item);
    } catch (error) {
      this.restore(before);
      throw error;
    } finally {
      this.drop(before);
    }
  }

  /** Resets all resources to the initial state. */
  reset(): void {
    for (const resource of [...this.#own.keys()]) this.resetResource(resource);
    this.#revision++;
  }

  /** Resets a resource to the initial state. */
  resetResource(resource: string): void {
    const own = this.#own.get(resource);
    if (own === undefined) return;
    for (const collection of collectionsOf(own)) this.#account.release(collection);
    this.#own.delete(resource);
    this.#revision++;
  }

  /** Makes a snapshot, which later writes don't change. */
  snapshot(): Snapshot {
    return { own: shareState(this.#own), ...this.used };
  }

  /** Restores a snapshot, which remains usable. */
  restore(snapshot: Snapshot): void {
    // A closed state gets copies: nothing would release its share of the snapshot's collections.
    const restored = this.#account.isClosed ? copyState(snapshot.own) : shareState(snapshot.own);
    this.reset();
    this.#own = restored;
    this.#account.share(snapshot);
  }

  /**
   * Replaces the session's own collections by others, which no other state shares.
   *
   * @param revision The number of writes when the collections were saved.
   * @throws {StateFullError} If the collections exceed a bound. The state is then the initial one.
   */
  load(own: OwnState, revision: number): void {
    const collections = [...own.values()].flatMap(collectionsOf);
    this.reset();
    this.#account.check(collections.map(roomOf).reduce(addRoom, NO_ROOM));
    for (const collection of collections) this.#account.hold(collection);
    this.#own = new Map(own);
    this.#revision = Math.max(this.#revision, revision);
  }

  /** Frees the memory of a snapshot, which can't be restored afterwards. */
  drop({ own }: Snapshot): void {
    for (const items of own.values()) for (const collection of collectionsOf(items)) this.#account.unhold(collection);
  }

  /** Makes another state with the same contents. Writes to one don't change the other. */
  fork(): State {
    const fork = new State(this.initial, this.#account.budget);
    fork.#own = shareState(this.#own);
    fork.#account.share(this.used);
    fork.#account.isClosed = this.#account.isClosed;
    fork.#revision = this.#revision;
    return fork;
  }

  /** Replaces the initial state, after a reload. Collections that the session has written to are kept. */
  rebind(initial: InitialState): void {
    if (initial !== this.#initial) this.#revision++;
    this.#initial = initial;
  }

  /**
   * Frees the memory of the state, because its session has ended. A request that is still being answered may write to
   * the state; this no longer counts.
   */
  close(): void {
    this.reset();
    this.#account.isClosed = true;
  }

  /** The collection of a scope. Must not be changed. */
  #collection(resource: string, scope: readonly string[]): Collection {
    const own = this.#own.get(resource);
    if (own === undefined) return this.#initial.collection(resource, scope);
    return own.collections.get(scopeKey(scope)) ??
      (isCleared(own, scope) ? new Collection(scope) : this.#initial.collection(resource, scope));
  }

  /** The collections of all matching scopes: the initial ones, then those that the session added. */
  #collections(resource: string, pattern: ScopePattern): Collection[] {
    const own = this.#own.get(resource);
    const collections = new Map<string, Collection>();
    if (own?.cleared.has(scopeKey([])) !== true) {
      for (const scope of this.#initial.scopes(resource)) {
        if (fitsScope(scope, pattern)) collections.set(scopeKey(scope), this.#collection(resource, scope));
      }
    }
    for (const [key, collection] of own?.collections ?? []) {
      if (fitsScope(collection.scope, pattern)) collections.set(key, collection);
    }
    return [...collections.values()];
  }

  /**
   * The collection of a scope, owned by this session alone, so that it may be changed. A shared collection is copied.
   *
   * @param more The growth by the coming write. The bounds are checked for it.
   */
  #ownCollection(resource: string, scope: readonly string[], more: Room): Collection {
    const key = scopeKey(scope);
    const known = this.#own.get(resource)?.collections.get(key);
    if (known !== undefined && known.holders === 1) {
      this.#account.check(more);
      return known;
    }
    const shared = known ?? this.#collection(resource, scope);
    // A collection that snapshots or forks share counts for this state already. Its copy is new only for all states
    // together.
    const begun = known === undefined ? roomOf(shared) : NO_ROOM;
    const copy = shared.size === 0 ? new Collection(scope) : shared.copy();
    this.#account.check(addRoom(begun, more), addRoom(roomOf(copy), more));
    const { collections } = this.#ownItems(resource);
    if (known !== undefined) this.#account.release(known);
    collections.set(key, copy);
    this.#account.hold(copy);
    return copy;
  }

  /** Deletes the items of all collections whose scope begins with some values. */
  #clearPrefix(resource: string, prefix: readonly string[], isWhole: boolean): void {
    const marker = this.#initial.mayHaveItems(resource, prefix) ? new Collection(prefix) : undefined;
    if (marker !== undefined) this.#account.check({ items: 0, bytes: marker.bytes });
    const own = this.#ownItems(resource);
    for (const collection of removeBelow(own, prefix, isWhole)) this.#account.release(collection);
    if (marker === undefined) return;
    own.cleared.set(scopeKey(prefix), marker);
    this.#account.hold(marker);
  }

  #ownItems(resource: string): OwnItems {
    const own = this.#own.get(resource) ?? noOwnItems();
    this.#own.set(resource, own);
    return own;
  }
}
