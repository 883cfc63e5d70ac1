import type { JsonObject } from "../../schema/node.ts";
import type { BindingPlan } from "./binding_plan.ts";
import type { MediaPlan } from "./response_plan.ts";
import type { Item } from "./item.ts";
import { referenceSource } from "./reference_source.ts";
import { expandObjects, type UsedItem } from "./relations.ts";
import type { StateContext } from "./state_context.ts";

/**
 * An item as a response shows it: with the fields that the response's schema has, and with current objects for
 * references.
 *
 * @param used An array to which the items are added that are shown inside the item.
 */
export function shownItem(
  { references }: Pick<BindingPlan, "references">,
  { shown }: MediaPlan,
  context: StateContext,
  { value, scope }: Item,
  used: UsedItem[],
): JsonObject {
  const expanded = references.length === 0
    ? value
    : expandObjects(value, references, referenceSource(context, scope), used);
  if (shown === undefined) return expanded;
  return Object.fromEntries(Object.entries(expanded).filter(([name]) => shown.has(name)));
}
