import { isEqual } from "../../../schema/json/equal.ts";
import type { Hints } from "../../../schema/hints.ts";
import { isObject, type JsonObject } from "../../../schema/json/node.ts";
import { wordsOf } from "../../../names/words.ts";
import type { BindingPlan } from "../binding_plan.ts";
import { firstState } from "../store/first_state.ts";
import { limitedCheck } from "./fit_value.ts";
import { setOwn } from "../../../schema/json/own_property.ts";
import { inOrder } from "../../../schema/json/parts.ts";
import { isStateName } from "../perform_action.ts";
import { listedValues } from "../list/query_input.ts";
import { acceptedFields } from "./sent_item.ts";
import { stampOf } from "./stamps.ts";

/** Limit of the values that are tried one by one, with a validation for each. */
const MOST_TRIED = 60;

/**
 * Sets the properties that a client didn't send when it created or replaced an item: to their `default`, else to
 * `null`, else to an empty array, as far as the schema allows it. Other properties stay as they are.
 *
 * @param value A valid item.
 * @param sent The fields that the client sent; they stay.
 * @param isNew Whether the item is new. A replacement also keeps all that clients can't send.
 */
export function withUnsent(plan: BindingPlan, value: JsonObject, sent: JsonObject, isNew: boolean): JsonObject {
  const { item: { hints }, writable, writeOnly } = plan;
  const defaults = acceptedFields(plan, plan.sentDefaults);
  const unsent: { readonly name: string; readonly values: readonly unknown[] }[] = [];
  const others = isNew ? plan.otherFields.keys() : [];
  for (const name of new Set([...ownNames(hints, value), ...Object.keys(defaults), ...others])) {
    if (Object.hasOwn(sent, name) || writeOnly.has(name)) continue;
    const isKept = isSetByServer(plan, name, value[name]) || (!isNew && writable?.has(name) !== true);
    if (isKept && Object.hasOwn(value, name)) continue;
    const field = plan.otherFields.get(name) ?? hints.property(name);
    // The server sets the state of a new item, unless clients may.
    const state = isNew && writable?.has(name) !== true && isState(name) ? firstState(field) : undefined;
    const values = [
      ...Object.hasOwn(defaults, name) ? [defaults[name]] : [],
      ...state === undefined ? [] : [state],
      ...unsentValues(field),
    ];
    if (values.length > 0) unsent.push({ name, values });
  }
  const check = limitedCheck(plan.item.check, value);
  const whole = { ...value };
  for (const { name, values } of unsent) setOwn(whole, name, values[0]);
  if (check(whole).length === 0) return inOrder(whole, hints);
  let valid = value;
  let tried = 0;
  for (const { name, values } of unsent) {
    for (const candidate of values) {
      if (++tried > MOST_TRIED) return inOrder(valid, hints);
      const next = { ...valid };
      setOwn(next, name, candidate);
      if (check(next).length > 0) continue;
      valid = next;
      break;
    }
  }
  return inOrder(valid, hints);
}

/** Limit of the nesting of objects that get the values of properties which weren't sent. */
const MOST_LEVELS = 3;

/**
 * The values that a property may have before it was ever sent, the preferred one first: its default, `null`, an empty
 * array, or an object of such values. A schema of anything allows `null`.
 */
function unsentValues(field: Hints, level = 0): unknown[] {
  const { schemas, types, propertyNames, required } = field;
  const values: unknown[] = [];
  const initial = schemas.find((schema) => schema.default !== undefined)?.default;
  if (initial !== undefined) values.push(initial.value);
  if (types.has("null") || types.size === 0) values.push(null);
  else if (types.has("array")) values.push([]);
  else if (types.has("object") && types.size === 1 && required.size === 0 && level < MOST_LEVELS) {
    const members = [...propertyNames].map((name) => ({ name, values: unsentValues(field.property(name), level + 1) }));
    if (members.every(({ values }) => values.length > 0)) {
      const object = {};
      for (const { name, values: [value] } of members) setOwn(object, name, value);
      values.push(object);
    }
  }
  return values;
}

/** Whether the server gives a property its value: an id, the id of a parent, a time, a state, or an initial value. */
function isSetByServer(
  { binding: { resource }, initialValues, sentDefaults }: BindingPlan,
  name: string,
  present: unknown,
): boolean {
  return name === resource.id[0] || resource.scope.some(({ property }) => property?.[0] === name) ||
    Object.hasOwn(initialValues, name) || stampOf(name) !== undefined ||
    (isState(name) && !Object.hasOwn(sentDefaults, name)) ||
    (isObject(present) && Object.keys(present).some((inner) => stampOf(inner) !== undefined));
}

function isState(name: string): boolean {
  return isStateName(wordsOf(name).join(" "));
}

/**
 * The names of the properties of an item, without those that only other branches of `oneOf` or `anyOf` have. A limit of
 * the number of properties leaves room for those that clients send later.
 */
function ownNames(hints: Hints, value: JsonObject): Iterable<string> {
  const { propertyNames, branches, schemas } = hints;
  const names = schemas.some(({ maxProperties = Infinity }) => maxProperties < propertyNames.size)
    ? [...propertyNames].filter((name) => Object.hasOwn(value, name))
    : [...propertyNames];
  if (branches.length === 0) return names;
  const fitting = branches.filter((branch) => fitsBranch(branch, value));
  const possible = fitting.length === 0 ? branches : fitting;
  return names.filter((name) => possible.every((branch) => branch.propertyNames.has(name)));
}

/** Whether an item has what a branch requires, and no value that the branch's enumerations lack. */
function fitsBranch(branch: Hints, value: JsonObject): boolean {
  for (const name of branch.required) if (!Object.hasOwn(value, name)) return false;
  for (const name of branch.propertyNames) {
    if (!Object.hasOwn(value, name)) continue;
    const listed = Array.isArray(value[name]) ? undefined : listedValues(branch.property(name).schemas);
    if (listed !== undefined && !listed.some((member) => isEqual(member, value[name]))) return false;
  }
  return true;
}
