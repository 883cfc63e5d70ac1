import type { Hints } from "../../../schema/hints.ts";
import { isObject, type JsonObject } from "../../../schema/json/node.ts";
import type { BindingPlan } from "../binding_plan.ts";
import { type Fitted, fitValue } from "./fit_value.ts";
import { typedId } from "./identity.ts";
import type { Item } from "./item.ts";
import { inOrder, textOf, withPart } from "../../../schema/json/parts.ts";
import { valueAt } from "../../../schema/json/pointer.ts";
import { applyPatch, type Patched, patchFormatOf } from "./patches.ts";
import { actionChanges, stateTimes } from "../perform_action.ts";
import { acceptedFields, sentItem } from "./sent_item.ts";
import { stampChanged } from "./stamps.ts";
import type { StateContext } from "../state_context.ts";
import type { StateRequest } from "../state_request.ts";
import { withUnsent } from "./unsent.ts";

/** The new value of an item, or the error of an invalid patch. */
export type Changed =
  | {
    readonly kind: "changed";
    readonly value: JsonObject;
    /** The new id, if the request changes the id. */
    readonly key?: string;
    readonly remarks: readonly string[];
  }
  | Extract<Patched, { kind: "failed" }>;

/** Computes the new value of an item for a request that replaces it, updates it, or acts on it. */
export function changeItem(plan: BindingPlan, context: StateContext, request: StateRequest, item: Item): Changed {
  const { binding: { kind, action }, item: schema } = plan;
  const before = item.value;
  const raw = sentItem(plan, request);
  const sent = acceptedFields(plan, raw);
  const patched = patchItem(plan, request, before, sent);
  if (patched.kind === "failed") return patched;
  const key = newKey(plan, raw);
  let wanted = withKept(plan, patched.value, before, sent, key);
  const now = context.now();
  if (kind === "action") wanted = { ...wanted, ...actionChanges(action ?? "", schema.hints, now) };
  wanted = { ...wanted, ...stateTimes(before, wanted, sent, schema.hints, now) };
  const stamped = inOrder(stampChanged(wanted, before, sent, schema.hints, context), schema.hints);
  const fit = (value: unknown): Fitted => fitValue(value, (index) => index === 0 ? before : undefined, schema);
  let fitted = fit(stamped);
  // If the schema doesn't allow the new parent's id, the item stays with its parent. It must not get a generated one.
  const misplaced = openParents(plan).filter((path) => textAt(fitted.value, path) !== textAt(stamped, path));
  if (misplaced.length > 0) fitted = fit(misplaced.reduce((value, path) => withOld(value, path, before), stamped));
  if (!fitted.isValid || !isObject(fitted.value)) return { kind: "changed", value: before, remarks: [] };
  const remarks = fitted.changed.length === 0
    ? []
    : [`The item's schema doesn't allow all that was sent; changed: ${fitted.changed.join(", ")}.`];
  const value = kind === "replace" ? withUnsent(plan, fitted.value, sent, false) : fitted.value;
  return { kind: "changed", value, remarks, ...(key === undefined ? {} : { key }) };
}

/**
 * Applies the sent fields to the item: a replacement removes the other fields; the format of an update follows from its
 * media type.
 */
function patchItem(plan: BindingPlan, request: StateRequest, before: JsonObject, sent: JsonObject): Patched {
  const { kind } = plan.binding;
  if (kind === "replace") return { kind: "value", value: { ...kept(plan, before, sent), ...sent } };
  if (kind === "action") return { kind: "value", value: { ...before, ...sent } };
  const format = patchFormatOf(request.headers.get("content-type") ?? "");
  return applyPatch(format, before, format === "json-patch" ? request.body : sent);
}

/**
 * The fields that a replacement leaves in the item: those that clients can't send, and those that an item must have,
 * unless they have an initial value ({@linkcode withUnsent}).
 */
function kept({ writable, item: { hints } }: BindingPlan, before: JsonObject, sent: JsonObject): JsonObject {
  if (writable === undefined) return Object.keys(sent).length === 0 ? before : {};
  return Object.fromEntries(
    Object.entries(before).filter(([name]) => !writable.has(name) || hints.required.has(name)),
  );
}

/**
 * Restores the fields that a request can't change: `readOnly` fields, the id, and the ids of the parents in its path.
 * Only a rename (`key`) changes the id. The ids of other parents can change, but not be removed.
 */
function withKept(
  plan: BindingPlan,
  patched: unknown,
  before: JsonObject,
  sent: JsonObject,
  key: string | undefined,
): JsonObject {
  const { binding: { resource: { id, scope } }, readOnly, item: { hints } } = plan;
  let value: unknown = isObject(patched) ? patched : before;
  for (const name of readOnly) {
    if (Object.hasOwn(before, name) && !Object.hasOwn(sent, name)) value = withPart(value, [name], before[name]);
  }
  const open = openParents(plan);
  for (const path of [id, ...scope.flatMap(({ property }) => property === undefined ? [] : [property])]) {
    if (!open.includes(path) || valueAt(value, path) === undefined) value = withOld(value, path, before);
  }
  if (key !== undefined) value = withPart(value, id, typedId(idHints(hints, id), key));
  return isObject(value) ? value : before;
}

/** The properties with the ids of parents that the operation's path doesn't have, such as `userId` for `/orders/{id}`. */
function openParents({ binding: { resource, scopeParameters } }: BindingPlan): (readonly string[])[] {
  return resource.scope.flatMap(({ property }, index) =>
    property === undefined || scopeParameters[index] !== undefined ? [] : [property]
  );
}

function withOld(value: unknown, path: readonly string[], before: JsonObject): unknown {
  const old = path.length === 0 ? undefined : valueAt(before, path);
  return old === undefined ? value : withPart(value, path, old);
}

function textAt(value: unknown, path: readonly string[]): string | undefined {
  return textOf(valueAt(value, path));
}

/** The new id of a request that renames the item, from a field such as `new_name`; else `undefined`. */
function newKey({ binding: { resource: { id } } }: BindingPlan, raw: JsonObject): string | undefined {
  const [name] = id;
  if (name === undefined || id.length > 1) return undefined;
  const renamed = [`new_${name}`, `new${name.charAt(0).toUpperCase()}${name.slice(1)}`];
  const found = renamed.find((field) => Object.hasOwn(raw, field));
  return found === undefined ? undefined : textOf(raw[found]);
}

function idHints(hints: Hints, id: readonly string[]): Hints {
  return id.reduce((at, name) => at.property(name), hints);
}
