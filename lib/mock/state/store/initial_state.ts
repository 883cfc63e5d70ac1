import type { Resource } from "../../infer/resource.ts";
import { type Collection, NO_ITEMS } from "./collection.ts";
import type { ScopePattern } from "../item/item.ts";
import { ViewCache } from "./view_cache.ts";

/**
 * The items with which every session of a seed begins. Sessions share its collections, and copy a collection before
 * they write to it (copy on write). A collection is generated at its first use; the same seed gives the same items.
 */
export interface InitialState {
  /** The views of the initial states of all seeds, and of the sessions with one of them. */
  readonly views: ViewCache;
  /** The resources of all definitions. */
  readonly resources: Iterable<Resource>;
  /**
   * Prepares a resource, so that its collections can be generated synchronously. `undefined` if it is prepared already.
   */
  prepare(resource: string): Promise<void> | undefined;
  /**
   * Generates the initial items of a resource in the matching scopes, and those to which they refer, in slices between which other
   * work can run. `undefined` if they are there. The resource must be prepared.
   */
  fill(resource: string, scope: ScopePattern): Promise<void> | undefined;
  /**
   * The initial items of a resource in a scope; may be empty.
   *
   * @throws {Error} If the resource isn't prepared.
   */
  collection(resource: string, scope: readonly string[]): Collection;
  /**
   * The scopes in which a resource has initial items, as far as they can be listed.
   *
   * @throws {Error} If the resource isn't prepared.
   */
  scopes(resource: string): Iterable<readonly string[]>;
  /**
   * Whether a resource may have initial items in a scope that begins with these values. Works before the resource is
   * prepared, and then may return true wrongly.
   */
  mayHaveItems(resource: string, prefix: readonly string[]): boolean;
}

export const EMPTY_STATE: InitialState = {
  views: new ViewCache(),
  resources: [],
  prepare: () => undefined,
  fill: () => undefined,
  collection: () => NO_ITEMS,
  scopes: () => [],
  mayHaveItems: () => false,
};
