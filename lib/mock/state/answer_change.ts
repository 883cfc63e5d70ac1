import { isObject, type JsonObject } from "../../schema/node.ts";
import type { Answer } from "../answer.ts";
import { storeNew } from "./answer_create.ts";
import { findItem, refusedPrecondition, unknownItem } from "./answer_read.ts";
import type { AnsweredPlan, BindingPlan } from "./binding_plan.ts";
import { errorAnswer } from "./error_answer.ts";
import { fitValue } from "./fit_value.ts";
import { itemAnswer } from "./item_answer.ts";
import type { Item } from "./item.ts";
import { keyOf, scopeOf } from "./item_place.ts";
import { acceptedFields, defaultOf, draftItem } from "./new_item.ts";
import { inOrder, valueAt, withPart } from "./parts.ts";
import { actionChanges } from "./perform_action.ts";
import { applyPatch, patchFormatOf } from "./patches.ts";
import { sentItem } from "./sent_item.ts";
import { stampChanged } from "./stamps.ts";
import type { StateContext } from "./state_context.ts";
import type { StateRequest } from "./state_request.ts";

/** Answers a replace, an update or an action: changes the item, and shows it. */
export async function answerChange(
  plan: AnsweredPlan,
  context: StateContext,
  request: StateRequest,
): Promise<Answer | undefined> {
  const { binding } = plan;
  // Until the item is written, nothing is awaited: other requests of the session would change it in between.
  const item = findItem(plan, context, request);
  const refused = refusedPrecondition(plan, context, request, item);
  if (refused !== undefined) return await refused;
  if (item === undefined) {
    const key = keyOf(binding, request);
    const scope = scopeOf(binding, request);
    if (!binding.createsMissing || key === undefined) return await unknownItem(plan, context, request);
    const whole = scope.map((value) => value ?? "");
    const draft = draftItem(plan, context, sentItem(plan, request), whole, key);
    return draft && await storeNew(plan, context, request, whole, draft);
  }
  const changed = changeItem(plan, context, request, item);
  if (changed.kind === "failed") {
    return await errorAnswer(plan, context, request, changed.status, changed.detail);
  }
  const { key, scope } = item;
  const stored = context.state.put(binding.resource.name, { key, scope, value: changed.value });
  return await itemAnswer(plan, context, request.headers.get("accept"), stored, { remarks: changed.remarks });
}

type Changed =
  | { readonly kind: "changed"; readonly value: JsonObject; readonly remarks: readonly string[] }
  | { readonly kind: "failed"; readonly status: number; readonly detail: string };

function changeItem(plan: BindingPlan, context: StateContext, request: StateRequest, item: Item): Changed {
  const { binding: { kind, resource, action }, item: { hints } } = plan;
  const before = item.value;
  let wanted: unknown;
  let sent: JsonObject = {};
  const contentType = request.headers.get("content-type") ?? "";
  const format = patchFormatOf(contentType);
  if (kind === "update" && format === "json-patch") {
    const patched = applyPatch(format, before, request.body);
    if (patched.kind === "failed") return patched;
    wanted = patched.value;
  } else {
    sent = acceptedFields(plan, sentItem(plan, request));
    if (kind === "replace") wanted = { ...kept(plan, before, sent), ...sent };
    else if (kind === "action") {
      wanted = { ...before, ...sent };
    } else {
      // A form can't tell a patch from a replacement: the objects in it are merged, as with `metadata[color]=red`.
      const isForm = /^(?:application\/x-www-form-urlencoded|multipart\/)/i.test(contentType);
      const patched = applyPatch(isForm ? "merge-patch" : format, before, sent);
      if (patched.kind === "failed") return patched;
      wanted = patched.value;
    }
  }
  if (!isObject(wanted)) wanted = before;
  // `readOnly` fields, the id and the parents' ids stay.
  for (const name of plan.readOnly) {
    if (Object.hasOwn(before, name) && !Object.hasOwn(sent, name)) wanted = withPart(wanted, [name], before[name]);
  }
  for (
    const path of [
      resource.id,
      ...resource.scope.flatMap(({ property }) => property === undefined ? [] : [property]),
    ]
  ) {
    const old = path.length === 0 ? undefined : valueAt(before, path);
    if (old !== undefined) wanted = withPart(wanted, path, old);
  }
  if (kind === "action" && isObject(wanted)) {
    wanted = { ...wanted, ...actionChanges(action ?? "", hints, context.now()) };
  }
  wanted = inOrder(stampChanged(wanted, before, sent, hints, context), hints);
  const fitted = fitValue(wanted, (index) => index === 0 ? before : undefined, plan.item);
  if (!isObject(fitted.value)) return { kind: "changed", value: before, remarks: [] };
  const remarks = fitted.changed.length === 0
    ? []
    : [`The item's schema doesn't allow all that was sent; changed: ${fitted.changed.join(", ")}.`];
  return { kind: "changed", value: fitted.value, remarks };
}

/** The fields that a replacement keeps: those that clients can't send. The others have their default, if they have one. */
function kept({ writable, item: { hints } }: BindingPlan, before: JsonObject, sent: JsonObject): JsonObject {
  if (writable === undefined) return Object.keys(sent).length === 0 ? before : {};
  return Object.fromEntries(
    Object.entries(before).flatMap(([name, value]) => {
      if (!writable.has(name)) return [[name, value]];
      const initial = defaultOf(hints.property(name));
      return initial === undefined ? [] : [[name, initial.value]];
    }),
  );
}
