/**
 * The items of a session: an initial state that all sessions share, and copies of the collections that the session has
 * written to.
 *
 * ```text
 * read  -> the session's collection, if it has one -> else the initial collection
 * write -> check the bounds -> copy a collection that others share -> change it
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
  concatLists,
  copyState,
  forgetDeleted,
  heldBy,
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
  /** Grows with each write; items get it as their revision. */
  #revision = 0;

  /** @param budget The bounds of the state and of all states together. */
  constructor(initial: InitialState, budget: StateBudget) {
    this.#initial = initial;
    this.#account = new StateAccount(budget);
  }

  /** The number of the last write. */
  get revision(): number {
    return this.#revision;
  }

  /** The items that the state begins with. */
  get initial(): InitialState {
    return this.#initial;
  }

  /** What the session stores of its own. */
  get used(): Room {
    return this.#account.used;
  }

  /** Prepares a resource: see {@linkcode InitialState.prepare}. */
  prepare(resource: string): Promise<void> | undefined {
    return this.#initial.prepare(resource);
  }

  /** The item with a key. Where the scope isn't whole, the first of the items with that key. */
  get(resource: string, scope: ScopePattern, key: string): Item | undefined {
    if (isWhole(scope)) return this.#collection(resource, scope).get(key);
    for (const collection of this.#collections(resource, scope)) {
      const item = collection.get(key);
      if (item !== undefined) return item;
    }
    return undefined;
  }

  /** The items of a resource: of a scope in the order of creation; of several scopes one scope after the other. */
  list(resource: string, scope: ScopePattern): ItemList {
    return isWhole(scope) ? this.#collection(resource, scope) : concatLists(this.#collections(resource, scope));
  }

  /** The items with a text, number or boolean at a path of properties; `text` is the value as a string. */
  find(resource: string, scope: ScopePattern, path: readonly string[], text: string): ItemList {
    return isWhole(scope)
      ? this.#collection(resource, scope).find(path, text)
      : concatLists(this.#collections(resource, scope).map((collection) => collection.find(path, text)));
  }

  /** The numbers that a resource gave last as ids, by scope. Snapshots and forks have copies. */
  lastNumbers(resource: string): Map<string, number> {
    return this.#ownItems(resource).lastNumbers;
  }

  /** The number of items that were added to a resource; it is the same again after a reset, and of use as a seed. */
  madeItems(resource: string): number {
    return this.#own.get(resource)?.made ?? 0;
  }

  /** Writes an item, in the place of the one with its key, and returns it with its revision. */
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

  /** Deletes an item. Returns whether there was one. */
  delete(resource: string, scope: readonly string[], key: string): boolean {
    const item = this.#collection(resource, scope).get(key);
    if (item === undefined) return false;
    const own = this.#ownCollection(resource, scope, { items: -1, bytes: -item.bytes });
    this.#account.change(own, () => own.delete(item));
    rememberDeleted(this.#ownItems(resource), scope, key);
    this.#revision++;
    return true;
  }

  /** Whether an item is one of those that were deleted last. */
  wasDeleted(resource: string, scope: readonly string[], key: string): boolean {
    const own = this.#own.get(resource);
    return own !== undefined && isDeleted(own, scope, key);
  }

  /** Deletes the items of the scopes that a pattern names. Only a gap in the pattern needs a prepared resource. */
  clear(resource: string, pattern: ScopePattern = []): void {
    const prefix = prefixOf(pattern);
    if (pattern.slice(prefix.length).some((value) => value !== undefined)) {
      for (const { scope } of this.#collections(resource, pattern)) this.#clearPrefix(resource, scope, true);
    } else this.#clearPrefix(resource, prefix, prefix.length > 0 && prefix.length === pattern.length);
    this.#revision++;
  }

  /** Puts items in the place of all that a resource has. If they exceed a bound, nothing changes. */
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

  /** Takes the session back to the initial state. */
  reset(): void {
    for (const resource of [...this.#own.keys()]) this.resetResource(resource);
    this.#revision++;
  }

  /** Takes a resource back to the initial state. */
  resetResource(resource: string): void {
    const own = this.#own.get(resource);
    if (own === undefined) return;
    for (const collection of heldBy(own)) this.#account.release(collection);
    this.#own.delete(resource);
    this.#revision++;
  }

  /** The contents as they are now. Later writes don't change them. */
  snapshot(): Snapshot {
    return { own: shareState(this.#own), ...this.used };
  }

  /** Puts the contents of a snapshot in the place of the session's own. The snapshot stays. */
  restore(snapshot: Snapshot): void {
    // A closed state has copies: nobody would free its share of the originals.
    const restored = this.#account.isClosed ? copyState(snapshot.own) : shareState(snapshot.own);
    this.reset();
    this.#own = restored;
    this.#account.share(snapshot);
  }

  /**
   * Puts collections that nobody else holds in the place of the session's own.
   *
   * @param revision The revision of the last write to the collections.
   */
  load(own: OwnState, revision: number): void {
    const collections = [...own.values()].flatMap(heldBy);
    this.reset();
    this.#account.check(collections.map(roomOf).reduce(addRoom, NO_ROOM));
    for (const collection of collections) this.#account.hold(collection);
    this.#own = new Map(own);
    this.#revision = Math.max(this.#revision, revision);
  }

  /** Frees the room of a snapshot, which can't be restored afterwards. */
  drop({ own }: Snapshot): void {
    for (const items of own.values()) for (const collection of heldBy(items)) this.#account.unhold(collection);
  }

  /** Makes another state with the same contents. Each can be written without the other. */
  fork(): State {
    const fork = new State(this.initial, this.#account.budget);
    fork.#own = shareState(this.#own);
    fork.#account.share(this.used);
    fork.#account.isClosed = this.#account.isClosed;
    fork.#revision = this.#revision;
    return fork;
  }

  /** Exchanges the initial state, as after a reload. Collections that the session has written to stay as they are. */
  rebind(initial: InitialState): void {
    if (initial !== this.#initial) this.#revision++;
    this.#initial = initial;
  }

  /**
   * Frees the room of a session that is dropped. A request that is still being answered may go on to use the state:
   * what it writes doesn't count any more.
   */
  close(): void {
    this.reset();
    this.#account.isClosed = true;
  }

  /** The collection of a whole scope, to be read. */
  #collection(resource: string, scope: readonly string[]): Collection {
    const own = this.#own.get(resource);
    if (own === undefined) return this.#initial.collection(resource, scope);
    return own.collections.get(scopeKey(scope)) ??
      (isCleared(own, scope) ? new Collection(scope) : this.#initial.collection(resource, scope));
  }

  /** The collections of all scopes that a pattern names: the initial ones, and then those that the session added. */
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
   * The collection of a scope, to be written: one that only this session has.
   *
   * @param more What the write adds; the bounds are checked for it.
   */
  #ownCollection(resource: string, scope: readonly string[], more: Room): Collection {
    const key = scopeKey(scope);
    const known = this.#own.get(resource)?.collections.get(key);
    if (known !== undefined && known.holders === 1) {
      this.#account.check(more);
      return known;
    }
    const shared = known ?? this.#collection(resource, scope);
    // A collection that the session had counts for it already; the copy is new for all sessions together.
    const begun = known === undefined ? roomOf(shared) : NO_ROOM;
    const copy = shared.size === 0 ? new Collection(scope) : shared.copy();
    this.#account.check(addRoom(begun, more), addRoom(roomOf(copy), more));
    const { collections } = this.#ownItems(resource);
    if (known !== undefined) this.#account.release(known);
    collections.set(key, copy);
    this.#account.hold(copy);
    return copy;
  }

  /** Makes the collections empty whose scope begins with some values. */
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
