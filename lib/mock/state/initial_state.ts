import { type Collection, NO_ITEMS } from "./collection.ts";

/**
 * The initial state: the items of sessions that haven't changed them. Sessions share its collections, and copy a
 * collection before they write to it. A collection is made when it is first needed; the same seed gives the same items.
 */
export interface InitialState {
  /**
   * Prepares a resource, so that its collections can be made synchronously. Await it before you use these. `undefined`
   * if the resource is prepared already.
   */
  prepare(resource: string): Promise<void> | undefined;
  /** The initial items of a resource in a scope; may be empty. The resource must be prepared. */
  collection(resource: string, scope: readonly string[]): Collection;
  /**
   * The scopes in which a resource has initial items, as far as they are known. Empty if the resource isn't prepared.
   */
  scopes(resource: string): Iterable<readonly string[]>;
  /**
   * Whether a resource may have initial items in a scope that begins with these values. The resource needn't be
   * prepared.
   */
  mayHaveItems(resource: string, prefix: readonly string[]): boolean;
}

/** The initial state without any items. */
export const EMPTY_STATE: InitialState = {
  prepare: () => undefined,
  collection: () => NO_ITEMS,
  scopes: () => [],
  mayHaveItems: () => false,
};
