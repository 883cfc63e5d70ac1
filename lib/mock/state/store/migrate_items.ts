/**
 * Migrates the items of a saved state to the resources that the definitions have now.
 *
 * @module
 */
import { shortName } from "../../infer/finish_resources.ts";
import { shapeOfPathKey } from "../../infer/path_shape.ts";
import type { Resource } from "../../infer/resource.ts";
import { Collection } from "./collection.ts";
import type { InitialState } from "./initial_state.ts";
import { createItem, scopeKey } from "../item/item.ts";
import { idScope, itemScope } from "../item/item_place.ts";
import { isCleared, noOwnItems, type OwnItems } from "./own_items.ts";

/** Saved items that no operation shows. They are kept, and saved again. */
export interface UnusedItems {
  /** The name of the resource in the saved state. */
  readonly resource: string;
  readonly items: number;
}

/**
 * Moves items to the resources of the present definitions: the items of a resource that was joined with another one,
 * such as `users.orders` with `orders`, and those whose scope has another length now. An item whose id is taken isn't
 * moved.
 *
 * @param own The saved items by the names of their resources; changed in place.
 * @returns The items that no operation shows.
 */
export async function migrateItems(own: Map<string, OwnItems>, initial: InitialState): Promise<UnusedItems[]> {
  const resources = [...initial.resources];
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const joined = new Map(resources.flatMap((resource) => joinedNames(resource).map((name) => [name, resource])));
  const unused: UnusedItems[] = [];
  // Items that have their name still come first, so that they keep their ids.
  const names = [...own.keys()];
  for (const name of [...names.filter((name) => byName.has(name)), ...names.filter((name) => !byName.has(name))]) {
    const items = own.get(name) ?? noOwnItems();
    const known = byName.get(name);
    const resource = known ?? joined.get(name);
    if (resource !== undefined) {
      await initial.prepare(resource.name);
      const { scope: { length } } = resource;
      const isPlaced = known !== undefined &&
        [...items.collections.values()].every((collection) => collection.scope.length === length);
      if (isPlaced) continue;
      const target = known === undefined ? own.get(resource.name) ?? noOwnItems() : items;
      own.set(resource.name, target);
      move(items, target, resource, initial);
    }
    let count = 0;
    for (const { scope, size } of items.collections.values()) {
      if (known === undefined || scope.length !== known.scope.length) count += size;
    }
    if (count > 0) unused.push({ resource: name, items: count });
    else if (known === undefined && resource !== undefined) own.delete(name);
  }
  return unused;
}

/** The names that a resource would have by each of the paths of its items, without its own name. */
function joinedNames({ name, bindings }: Resource): string[] {
  const names = bindings.flatMap(({ idParameter, operation: { path } }) => {
    const segments = idParameter === undefined ? [] : shapeOfPathKey(path)?.segments ?? [];
    const last = segments.at(-1);
    return last !== undefined && "parameter" in last ? [shortName(segments.slice(0, -1))] : [];
  });
  return [...new Set(names)].filter((other) => other !== name);
}

/** Moves the items of collections that aren't collections of the target. */
function move(from: OwnItems, target: OwnItems, resource: Resource, initial: InitialState): void {
  const { length } = resource.scope;
  for (const collection of from.cleared.values()) {
    if (collection.scope.length <= length) target.cleared.set(scopeKey(collection.scope), collection);
  }
  const isPlaced = ({ scope }: Collection): boolean => from === target && scope.length === length;
  const idOf = (scope: readonly string[], key: string): string =>
    scopeKey([...idScope(resource, scope).map((parent) => parent ?? ""), key]);
  const initialScopes = new Map<string, readonly string[]>();
  for (const scope of initial.scopes(resource.name)) {
    for (const { key } of initial.collection(resource.name, scope)) initialScopes.set(idOf(scope, key), scope);
  }
  const taken = new Set<string>();
  for (const collection of target.collections.values()) {
    const { scope } = collection;
    if (scope.length === length) { for (const { key } of collection) taken.add(idOf(scope, key)); }
  }
  for (const collection of [...from.collections.values()].filter((collection) => !isPlaced(collection))) {
    for (const item of [...collection]) {
      const scope = item.scope.length === length ? item.scope : itemScope(resource, [], item.value);
      const id = idOf(scope, item.key);
      if (taken.has(id)) continue;
      taken.add(id);
      collection.delete(item);
      const { key, value, revision, created } = item;
      // A saved item replaces an initial one with its id, which another parent may have.
      const initialScope = initialScopes.get(id);
      const replaced = initialScope && ownCollection(target, initialScope, resource, initial);
      const initialItem = replaced?.get(key);
      if (initialItem?.revision === 0) replaced?.delete(initialItem);
      ownCollection(target, scope, resource, initial).put(createItem({ key, scope, value }, revision, created));
    }
    if (collection.size === 0) from.collections.delete(scopeKey(collection.scope));
  }
}

/** The session's own collection of a scope. It begins with the initial items, unless they were deleted together. */
function ownCollection(
  own: OwnItems,
  scope: readonly string[],
  { name }: Resource,
  initial: InitialState,
): Collection {
  const key = scopeKey(scope);
  const collection = own.collections.get(key) ??
    new Collection(scope, isCleared(own, scope) ? [] : initial.collection(name, scope));
  own.collections.set(key, collection);
  return collection;
}
