import type { Binding } from "../infer/resource.ts";
import type { ScopePattern } from "./item/item.ts";
import { noItemDetail, scopeAbove } from "./item/item_place.ts";
import type { State } from "./store/store.ts";
import { writeJson } from "../../schema/json/json.ts";

/** Limits of the parents that are searched for one with items, and of those that a remark names. */
const MOST_SEARCHED = 20;
const MOST_NAMED = 3;

/**
 * Why a list is empty, if its path names a parent that doesn't exist, with the parents whose lists have items.
 * `undefined` if all parents exist.
 */
export function unknownParentRemark({ resource }: Binding, state: State, scope: ScopePattern): string | undefined {
  for (const [level, { parent }] of resource.scope.entries()) {
    const key = scope[level];
    if (parent === undefined || key === undefined) continue;
    const above = scopeAbove(parent, scope, level);
    if (state.get(parent.name, above, key) !== undefined) continue;
    const named: string[] = [];
    let searched = 0;
    for (const other of state.list(parent.name, above)) {
      if (named.length >= MOST_NAMED || ++searched > MOST_SEARCHED) break;
      const below = scope.map((value, index) => index === level ? other.key : value);
      if (state.list(resource.name, below).size > 0) named.push(writeJson(other.key));
    }
    const others = named.length === 0 ? "" : ` There are some below ${named.join(", ")}.`;
    return `${noItemDetail(parent, key)} So the list is empty.${others}`;
  }
  return undefined;
}
