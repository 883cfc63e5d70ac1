/**
 * The items of a session: the initial state, which all sessions share, and the session's own copies of the collections
 * that it has written to (copy on write).
 *
 * ```text
 * read  -> the session's collection, if it has one -> else the initial collection
 * write -> check the limits -> copy the collection, if it is shared -> change it
 * ```
 *
 * @module
 */
import { addUsage, NO_USAGE, StateAccount, stateUsage, type Usage } from "./account.ts";
import { Collection } from "./collection.ts";
import {
  createItem,
  fitsScope,
  isWhole,
  type Item,
  type ItemList,
  type NewItem,
  scopeKey,
  type ScopePattern,
  scopePrefix,
} from "../item/item.ts";
import type { InitialState } from "./initial_state.ts";
import type { ItemView } from "./item_view.ts";
import type { StateBudget } from "./limits.ts";
import {
  collectionsOf,
  copyState,
  forgetDeleted,
  isCleared,
  isDeleted,
  noOwnItems,
  overheadOf,
  type OwnItems,
  type OwnState,
  rememberDeleted,
  removeBelow,
  shareState,
  type Snapshot,
} from "./own_items.ts";

/** A deletion of an item, or of the items in scopes that match a pattern. */
export type Deletion =
  | { readonly kind: "item"; readonly resource: string; readonly item: Item }
  | { readonly kind: "clear"; readonly resource: string; readonly pattern: ScopePattern };

/**
 * The state of a session. A write that would exceed a limit throws {@linkcode StateFullError} and changes nothing.
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
  /** The number of writes. An item's revision is this number after the write that made it. */
  #revision = 0;

  /** @param budget The limits, and the totals of all states of the server. */
  constructor(initial: InitialState, budget: StateBudget) {
    this.#initial = initial;
    this.#account = new StateAccount(budget);
  }

  get revision(): number {
    return this.#revision;
  }

  get initial(): InitialState {
    return this.#initial;
  }

  /** The items and bytes of the collections that the session has written to. */
  get used(): Usage {
    return this.#account.used;
  }

  /** Prepares a resource: see {@linkcode InitialState.prepare}. */
  prepare(resource: string): Promise<void> | undefined {
    return this.#initial.prepare(resource);
  }

  /** Generates initial items in slices: see {@linkcode InitialState.fill}. `undefined` if none are needed. */
  fill(resource: string, scope: ScopePattern): Promise<void> | undefined {
    const own = this.#own.get(resource);
    if (own !== undefined && isWhole(scope) && (own.collections.has(scopeKey(scope)) || isCleared(own, scope))) {
      return undefined;
    }
    return this.#initial.fill(resource, scope);
  }

  /** The item with a key. If several scopes match, the first item with this key. */
  get(resource: string, scope: ScopePattern, key: string): Item | undefined {
    return isWhole(scope)
      ? this.#collection(resource, scope).get(key)
      : this.#view(resource, scope.length).get(scope, key);
  }

  /**
   * The items of a resource in creation order. If several scopes match: the initial items first, one scope after the
   * other, then the items that the session added.
   */
  list(resource: string, scope: ScopePattern): ItemList {
    return isWhole(scope) ? this.#collection(resource, scope) : this.#view(resource, scope.length).list(scope);
  }

  /** The items whose property at a path has this text as a string, number or boolean, in the order of `list()`. */
  find(resource: string, scope: ScopePattern, path: readonly string[], text: string): ItemList {
    return isWhole(scope)
      ? this.#collection(resource, scope).find(path, text)
      : this.#view(resource, scope.length).find(scope, path, text);
  }

  /**
   * The last number that was used as an id, by scope. Callers may change the map; snapshots and forks have copies of
   * it.
   */
  lastNumbers(resource: string): Map<string, number> {
    return this.#ownItems(resource).lastNumbers;
  }

  /**
   * The number of items added to a resource since the last reset. Used as a seed, so that the same requests after a
   * reset create the same items.
   */
  madeItems(resource: string): number {
    return this.#own.get(resource)?.made ?? 0;
  }

  /** Adds an item, or replaces the item with its key. Returns it with its revision. */
  put(resource: string, item: NewItem): Item {
    this.#account.checkIds(item);
    const old = this.#collection(resource, item.scope).get(item.key);
    const revision = this.#revision + 1;
    const written = createItem(item, revision, old?.created ?? revision);
    const more = { items: old === undefined ? 1 : 0, bytes: written.bytes - (old?.bytes ?? 0) };
    const collection = this.#ownCollection(resource, item.scope, more);
    this.#account.change(collection, () => collection.put(written));
    this.#ownView(resource)?.put(written);
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
    this.#ownView(resource)?.delete(item);
    rememberDeleted(this.#ownItems(resource), scope, key);
    this.#revision++;
    return true;
  }

  /** Whether an item is among the latest deleted items of the resource. */
  wasDeleted(resource: string, scope: ScopePattern, key: string): boolean {
    const own = this.#own.get(resource);
    return own !== undefined && isDeleted(own, scope, key);
  }

  /**
   * Deletes the items in all matching scopes. If the pattern has a value after an `undefined`, the resource must be
   * prepared, because its scopes must be listed.
   */
  clear(resource: string, pattern: ScopePattern = []): void {
    for (const prefix of this.#prefixesOf(resource, pattern)) {
      this.#clearPrefix(resource, prefix, prefix.length > 0 && prefix.length === pattern.length);
    }
    this.#revision++;
  }

  /**
   * Makes several deletions. Resources that are cleared must be prepared as for {@linkcode clear}. If a limit would be
   * exceeded, nothing changes.
   */
  deleteAll(deletions: readonly Deletion[]): void {
    this.#checkCosts(deletions);
    for (const deletion of deletions) {
      if (deletion.kind === "clear") this.clear(deletion.resource, deletion.pattern);
      else this.delete(deletion.resource, deletion.item.scope, deletion.item.key);
    }
  }

  /**
   * Checks the limits before several deletions, which add copies of shared collections and markers of cleared ones. The
   * sum after each deletion is checked. Collections that are freed aren't subtracted.
   */
  #checkCosts(deletions: readonly Deletion[]): void {
    let [own, all] = [NO_USAGE, NO_USAGE];
    const add = (moreOwn: Usage, moreOfAll: Usage): void => {
      [own, all] = [addUsage(own, moreOwn), addUsage(all, moreOfAll)];
    };
    const copied = new Set<string>();
    for (const deletion of deletions) {
      const { resource } = deletion;
      if (deletion.kind === "clear") {
        for (const prefix of this.#prefixesOf(resource, deletion.pattern)) {
          const marker = this.#markerOf(resource, prefix);
          if (marker !== undefined) add(stateUsage(marker), stateUsage(marker));
        }
      } else {
        const { scope, bytes } = deletion.item;
        const key = scopeKey(scope);
        const known = this.#own.get(resource)?.collections.get(key);
        const isCopied = known?.referenceCount !== 1 && !copied.has(`${resource} ${key}`);
        if (isCopied) add(...costsOfCopy(known, known ?? this.#collection(resource, scope)));
        copied.add(`${resource} ${key}`);
        add({ items: -1, bytes: -bytes }, { items: -1, bytes: -bytes });
      }
      this.#account.check(own, all);
    }
  }

  /** Replaces all items of a resource. If a limit would be exceeded, nothing changes. */
  replace(resource: string, items: Iterable<NewItem>): void {
    this.attempt(() => {
      this.clear(resource);
      for (const item of items) this.put(resource, item);
    });
  }

  /** Calls `write`, which makes several writes. If it throws, nothing changes. */
  attempt(write: () => void): void {
    const before = this.snapshot();
    try {
      write();
    } catch (error) {
      this.restore(before);
      throw error;
    } finally {
      this.drop(before);
    }
  }

  reset(): void {
    for (const resource of [...this.#own.keys()]) this.resetResource(resource);
    this.#revision++;
  }

  resetResource(resource: string): void {
    const own = this.#own.get(resource);
    if (own === undefined) return;
    for (const collection of collectionsOf(own)) this.#account.release(collection);
    this.#own.delete(resource);
    this.#initial.views.drop(this, resource);
    this.#revision++;
  }

  /** Makes a snapshot. Later writes don't change it. */
  snapshot(): Snapshot {
    return { own: shareState(this.#own), overhead: overheadOf(this.#own), ...this.used };
  }

  /** Restores a snapshot. It can be restored again. */
  restore(snapshot: Snapshot): void {
    // Shared collections need a release, and a closed state makes none. It gets copies instead.
    const restored = this.#account.isClosed ? copyState(snapshot.own) : shareState(snapshot.own);
    this.reset();
    this.#own = restored;
    this.#account.share(snapshot);
  }

  /**
   * Replaces the session's collections by saved ones, which no other state shares.
   *
   * @param revision The number of writes when the collections were saved.
   * @throws {StateFullError} If the collections exceed a limit. The session is then in its initial state.
   */
  load(own: OwnState, revision: number): void {
    const collections = [...own.values()].flatMap(collectionsOf);
    this.reset();
    this.#account.check(collections.map(stateUsage).reduce(addUsage, NO_USAGE));
    for (const collection of collections) this.#account.hold(collection);
    this.#own = new Map(own);
    this.#revision = Math.max(this.#revision, revision);
  }

  /** Frees the memory of a snapshot. It can't be restored afterwards. */
  drop({ own }: Snapshot): void {
    for (const items of own.values()) {
      for (const collection of collectionsOf(items)) this.#account.dereference(collection);
    }
  }

  /** Makes another state with the same contents. Writes to either don't change the other. */
  fork(): State {
    const fork = new State(this.initial, this.#account.budget);
    fork.#own = shareState(this.#own);
    fork.#account.share(this.used);
    fork.#account.isClosed = this.#account.isClosed;
    fork.#revision = this.#revision;
    return fork;
  }

  /** Replaces the initial state, after the definitions were reloaded. The session's own collections are kept. */
  rebind(initial: InitialState): void {
    if (initial === this.#initial) return;
    for (const resource of this.#own.keys()) this.#initial.views.drop(this, resource);
    this.#initial = initial;
    this.#revision++;
  }

  /** Frees the memory of an ended session's state. A request in progress may still write; its items aren't counted. */
  close(): void {
    this.reset();
    this.#account.isClosed = true;
  }

  /** The collection of a scope, which may be shared and must not be changed. */
  #collection(resource: string, scope: readonly string[]): Collection {
    const own = this.#own.get(resource);
    if (own === undefined) return this.#initial.collection(resource, scope);
    return own.collections.get(scopeKey(scope)) ??
      (isCleared(own, scope) ? new Collection(scope) : this.#initial.collection(resource, scope));
  }

  /**
   * The collections of all matching scopes: first in the scopes of the initial state, then in other scopes that the
   * session has written to.
   */
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

  /** The view of all scopes of this length. Sessions that have written nothing share the view of the initial state. */
  #view(resource: string, depth: number): ItemView {
    const own = this.#own.get(resource);
    const owner = own !== undefined && own.collections.size + own.cleared.size > 0 ? this : this.#initial;
    const pattern = new Array<undefined>(depth).fill(undefined);
    return this.#initial.views.viewOf(owner, resource, depth, () => this.#collections(resource, pattern));
  }

  /** The view of the session's items, if it was made. Each write updates it. */
  #ownView(resource: string): ItemView | undefined {
    return this.#initial.views.get(this, resource);
  }

  /**
   * The session's own collection of a scope, which may be changed. A shared collection is copied first (copy on write).
   *
   * @param more The items and bytes that the caller will add.
   * @throws {StateFullError} If they would exceed a limit.
   */
  #ownCollection(resource: string, scope: readonly string[], more: Usage): Collection {
    const key = scopeKey(scope);
    const known = this.#own.get(resource)?.collections.get(key);
    if (known !== undefined && known.referenceCount === 1) {
      this.#account.check(more);
      return known;
    }
    const shared = known ?? this.#collection(resource, scope);
    const copy = shared.size === 0 ? new Collection(scope) : shared.copy();
    const [own, all] = costsOfCopy(known, copy);
    this.#account.check(addUsage(own, more), addUsage(all, more));
    const { collections } = this.#ownItems(resource);
    if (known !== undefined) this.#account.release(known);
    collections.set(key, copy);
    this.#account.hold(copy);
    // The initial state may not list this scope. The view then has none of its items yet.
    if (known === undefined) {
      for (const item of copy) this.#ownView(resource)?.put(item);
    }
    return copy;
  }

  /** The prefixes of scopes that match a pattern. */
  #prefixesOf(resource: string, pattern: ScopePattern): (readonly string[])[] {
    const prefix = scopePrefix(pattern);
    return pattern.slice(prefix.length).every((value) => value === undefined)
      ? [prefix]
      : this.#collections(resource, pattern).map(({ scope }) => scope);
  }

  /** The collection that marks the scopes with a prefix as cleared; `undefined` if they have no initial items. */
  #markerOf(resource: string, prefix: readonly string[]): Collection | undefined {
    return this.#initial.mayHaveItems(resource, prefix) ? new Collection(prefix) : undefined;
  }

  #clearPrefix(resource: string, prefix: readonly string[], isWhole: boolean): void {
    const marker = this.#markerOf(resource, prefix);
    if (marker !== undefined) this.#account.check({ items: 0, bytes: marker.bytes });
    const own = this.#ownItems(resource);
    for (const collection of removeBelow(own, prefix, isWhole)) this.#account.release(collection);
    if (prefix.length === 0) this.#initial.views.drop(this, resource);
    else this.#ownView(resource)?.clear(prefix);
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

/**
 * The items and bytes that a copy adds, to the state and to the server's totals.
 *
 * @param known The collection of the state, if it shares one with a snapshot or fork. The account of the state counts it
 * already, so its copy adds only to the totals.
 */
function costsOfCopy(known: Collection | undefined, copy: Collection): [own: Usage, all: Usage] {
  return [known === undefined ? stateUsage(copy) : NO_USAGE, stateUsage(copy)];
}
