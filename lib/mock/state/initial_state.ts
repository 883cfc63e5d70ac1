import { type Collection, NO_ITEMS } from "./collection.ts";

/**
 * The items that sessions begin with. Sessions share them, and copy a collection before they write to it. A collection
 * is made when it is first used; the same seed gives the same items.
 */
export interface InitialState {
  /**
   * Prepares a resource, so that its items can be made without waiting. Undefined if nothing is to be prepared. Must be
   * awaited before the resource's collections are used.
   */
  prepare(resource: string): Promise<void> | undefined;
  /** The items with which a resource begins in a scope; empty where it has none. */
  collection(resource: string, scope: readonly string[]): Collection;
  /** The scopes in which a resource begins with items, as far as they can be listed; none before it is prepared. */
  scopes(resource: string): Iterable<readonly string[]>;
  /** Whether a resource may begin with items in scopes that begin with some values. It needn't be prepared. */
  mayHaveItems(resource: string, prefix: readonly string[]): boolean;
}

/** The initial state without items. */
export const EMPTY_STATE: InitialState = {
  prepare: () => undefined,
  collection: () => NO_ITEMS,
  scopes: () => [],
  mayHaveItems: () => false,
};
