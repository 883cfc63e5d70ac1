import type { Item } from "./item.ts";
import type { ReferenceSource } from "./relations.ts";
import type { StateContext } from "./state_context.ts";

/** How many items generated references are spread over. */
const MOST_FIRST = 20;

/** The items that the references of an item lead to: of its own scope, or of none. */
export function referenceSource({ state }: Pick<StateContext, "state">, scope: readonly string[]): ReferenceSource {
  return {
    first: (target) => {
      const items: Item[] = [];
      for (const item of state.list(target.name, scope.slice(0, target.scope.length))) {
        if (items.push(item) >= MOST_FIRST) break;
      }
      return items;
    },
    get: (target, id) => state.get(target.name, scope.slice(0, target.scope.length), id),
  };
}
