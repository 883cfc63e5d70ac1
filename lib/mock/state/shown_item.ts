import type { JsonObject } from "../../schema/json/node.ts";
import type { BindingPlan } from "./binding_plan.ts";
import type { MediaPlan } from "./response_plan.ts";
import type { Item } from "./item/item.ts";
import { referenceSource } from "./item/reference_source.ts";
import { expandObjects, type UsedItem } from "./item/relations.ts";
import type { StateContext } from "./state_context.ts";

/**
 * An item as a response shows it: without fields that the response's schema lacks, and with current embedded objects
 * (`customer: {id: …}`).
 *
 * @param used Receives the results of the searches for embedded items.
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
    : expandObjects(value, references, referenceSource(context, scope, used));
  if (shown === undefined) return expanded;
  return Object.fromEntries(Object.entries(expanded).filter(([name]) => shown.has(name)));
}
