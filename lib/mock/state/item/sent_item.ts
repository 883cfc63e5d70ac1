import { isObject, type JsonObject } from "../../../schema/json/node.ts";
import type { BindingPlan } from "../binding_plan.ts";
import { respelled } from "./field_names.ts";
import { valueAt } from "../../../schema/json/pointer.ts";
import type { StateRequest } from "../state_request.ts";

/**
 * The item in the body of a request or, for an operation without a request body, in its query, with its properties as
 * the item spells them. Empty if there is none.
 */
export function sentItem(
  { binding: { requestEnvelope }, queryFields, spellings }: BindingPlan,
  request: StateRequest,
): JsonObject {
  if (requestEnvelope === undefined) return queryFields(request);
  const sent = valueAt(request.body, requestEnvelope);
  return isObject(sent) ? respelled(sent, spellings) : {};
}

/**
 * The sent fields that an item takes over. Fields that are `readOnly`, `writeOnly` or unknown to the item's schema are
 * ignored, unless another response shows them.
 */
export function acceptedFields(
  { item: { hints }, otherFields, readOnly, writeOnly, writable }: BindingPlan,
  sent: JsonObject,
): JsonObject {
  const { propertyNames } = hints;
  const isOpen = hints.describesOthers || propertyNames.size === 0;
  return Object.fromEntries(
    Object.entries(sent).filter(([name]) =>
      (isOpen || propertyNames.has(name) || otherFields.has(name)) && !writeOnly.has(name) &&
      (!readOnly.has(name) || writable?.has(name) === true)
    ),
  );
}
