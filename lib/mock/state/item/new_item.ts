import type { Hints } from "../../../schema/hints.ts";
import { isObject, type JsonObject } from "../../../schema/json/node.ts";
import { hashWith } from "../../generate/random.ts";
import type { ScopeParameter } from "../../infer/resource.ts";
import { hintsAt } from "../../../observe/record/secret_rules.ts";
import type { BindingPlan } from "../binding_plan.ts";
import { fitValue } from "./fit_value.ts";
import { freeId, typedId } from "./identity.ts";
import { inOrder, textOf, withPart } from "../../../schema/json/parts.ts";
import { valueAt } from "../../../schema/json/pointer.ts";
import type { StateContext } from "../state_context.ts";
import { asNew } from "./as_new.ts";
import { referenceSource } from "./reference_source.ts";
import { withReferences } from "./relations.ts";
import { acceptedFields } from "./sent_item.ts";
import { stampNew } from "./stamps.ts";
import { withUnsent } from "./unsent.ts";

/** An item before it is stored. */
export interface DraftItem {
  readonly key: string;
  readonly value: JsonObject;
  /** JSON Pointers of the parts that were changed because the client's values violate the schema. */
  readonly changed: readonly string[];
}

/**
 * Makes the item that a client creates, from the fields that it sent, an id, timestamps, initial values, and generated
 * values for missing fields that are required or that only the server sets.
 *
 * @param sent The item in the request's body.
 * @param scope The ids of the parents; empty where the request names none.
 * @param key The id in the request's path; `undefined` if the server chooses it.
 * @returns `undefined` if the schema of the items allows no object.
 */
export function draftItem(
  plan: BindingPlan,
  context: StateContext,
  sent: JsonObject,
  scope: readonly string[],
  key?: string,
): DraftItem | undefined {
  const { resource } = plan.binding;
  const seed = hashWith(hashWith(context.seed, resource.name), context.state.madeItems(resource.name));
  const fresh = plan.item.fresh(seed);
  if (!isObject(fresh)) return undefined;
  const accepted = acceptedFields(plan, sent);
  const unsent = asNew(withoutUnsent(plan, fresh, accepted), plan.item.hints);
  const filled = { ...unsent, ...plan.initialValues, ...accepted };
  let value: unknown = withReferences(filled, accepted, plan.references, referenceSource(context, scope), seed);
  for (const [index, entry] of resource.scope.entries()) {
    const { property } = entry;
    const isMissing = scope[index] === "";
    // A generated id of a parent must be the id of one.
    if (property === undefined || (isMissing && textOf(valueAt(value, property)) === undefined)) continue;
    const parent = isMissing ? firstParent(entry, context, scope.slice(0, index)) : scope[index];
    if (parent === undefined) continue;
    value = withPart(value, property, typedId(hintsAt(plan.item.hints, property), parent));
  }
  value = stampNew(value, accepted, plan.item.hints, context);
  if (resource.id.length > 0) {
    const idHints = hintsAt(plan.item.hints, resource.id);
    const wanted = key ?? textOf(valueAt(accepted, resource.id));
    const id = wanted === undefined
      ? freeId(plan, context, scope, valueAt(fresh, resource.id))
      : typedId(idHints, wanted);
    value = withPart(value, resource.id, id);
  }
  value = inOrder(value, plan.item.hints);
  const fitted = fitValue(value, (index) => withIds(plan, plan.item.base(index), value), plan.item);
  if (!fitted.isValid || !isObject(fitted.value)) return undefined;
  const whole = withUnsent(plan, fitted.value, accepted, true);
  const own = key ?? textOf(valueAt(whole, resource.id)) ?? "";
  return { key: own, value: whole, changed: fitted.changed };
}

/** The id of the first parent in a scope; `undefined` if there is none. */
function firstParent(
  { parent }: ScopeParameter,
  { state }: StateContext,
  scope: readonly string[],
): string | undefined {
  if (parent === undefined || parent.scope.length !== scope.length) return undefined;
  for (const { key } of state.list(parent.name, scope)) return key;
  return undefined;
}

/**
 * Removes the generated values of fields that the client could have sent but didn't. A required field becomes `null` or
 * empty, if its schema allows that.
 */
function withoutUnsent({ item: { hints }, writable }: BindingPlan, fresh: JsonObject, sent: JsonObject): JsonObject {
  if (writable === undefined) return fresh;
  return Object.fromEntries(
    Object.entries(fresh).flatMap(([name, value]) => {
      if (Object.hasOwn(sent, name) || !writable.has(name)) return [[name, value]];
      return hints.required.has(name) ? [[name, emptyValue(hints.property(name), value)]] : [];
    }),
  );
}

/**
 * `null` or an empty array or object for a required field that the client didn't send. If that is invalid, the field is
 * generated later.
 */
function emptyValue({ types, propertyNames }: Hints, generated: unknown): unknown {
  if (types.has("null")) return null;
  if (Array.isArray(generated)) return [];
  return isObject(generated) && propertyNames.size === 0 ? {} : generated;
}

/** Puts the id of the wanted item into another valid item. */
function withIds({ binding: { resource } }: BindingPlan, base: unknown, wanted: unknown): unknown {
  const id = valueAt(wanted, resource.id);
  return resource.id.length === 0 || id === undefined || !isObject(base) ? base : withPart(base, resource.id, id);
}
