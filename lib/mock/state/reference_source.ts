import type { Item } from "./item.ts";
import type { ReferenceSource, UsedItem } from "./relations.ts";
import type { StateContext } from "./state_context.ts";

/** Limit of the items among which a generated reference chooses its target. */
const MOST_FIRST = 20;

/**
 * Finds the target items of references. Their scope must be a prefix of the referring item's scope.
 *
 * @param used Receives the result of each search by id.
 */
export function referenceSource(
  { state }: Pick<StateContext, "state">,
  scope: readonly string[],
  used: UsedItem[] = [],
): ReferenceSource {
  return {
    first: (target) => {
      const items: Item[] = [];
      for (const item of state.list(target.name, scope.slice(0, target.scope.length))) {
        if (items.push(item) >= MOST_FIRST) break;
      }
      return items;
    },
    get: ({ name: resource, scope: levels }, key) => {
      const targetScope = scope.slice(0, levels.length);
      const item = state.get(resource, targetScope, key);
      used.push({ resource, scope: targetScope, key, item });
      return item;
    },
  };
}
