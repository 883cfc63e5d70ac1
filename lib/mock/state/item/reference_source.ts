import type { Item, ScopePattern } from "./item.ts";
import { scopeAbove } from "./item_place.ts";
import type { ReferenceSource, ReferenceTarget, UsedItem } from "./relations.ts";
import type { StateContext } from "../state_context.ts";

/** Limit of the items among which a generated reference chooses its target. */
const MOST_FIRST = 20;

/**
 * Finds the target items of references.
 *
 * @param scope The scope of the referring item.
 * @param used Receives the result of each search by id.
 */
export function referenceSource(
  { state }: Pick<StateContext, "state">,
  scope: readonly string[],
  used: UsedItem[] = [],
): ReferenceSource {
  const scopeIn = ({ target, shared }: ReferenceTarget): ScopePattern => scopeAbove(target, scope, shared);
  return {
    first: (reference) => {
      const items: Item[] = [];
      for (const item of state.list(reference.target.name, scopeIn(reference))) {
        if (items.push(item) >= MOST_FIRST) break;
      }
      return items;
    },
    get: (reference, key) => {
      const { name: resource } = reference.target;
      const targetScope = scopeIn(reference);
      const item = state.get(resource, targetScope, key);
      used.push({ resource, scope: targetScope, key, item });
      return item;
    },
  };
}
