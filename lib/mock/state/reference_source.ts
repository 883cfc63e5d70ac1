import type { Item } from "./item.ts";
import type { ReferenceSource } from "./relations.ts";
import type { StateContext } from "./state_context.ts";

/** The most items among which the targets of generated references are chosen. */
const MOST_FIRST = 20;

/** Finds the items to which references lead. Their scope is the beginning of the referring item's scope. */
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
