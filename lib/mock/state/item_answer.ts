import type { HeaderList } from "../../http/handler.ts";
import { isObject } from "../../schema/node.ts";
import type { Answer } from "../answer.ts";
import type { BindingPlan } from "./binding_plan.ts";
import { bodyAnswer, inEnvelope } from "./body_answer.ts";
import { etagOf } from "./etag.ts";
import type { Item } from "./item.ts";
import type { StateContext } from "./state_context.ts";

/** The answer that shows an item: alone, or in the envelope of the response. */
export function itemAnswer(
  plan: BindingPlan,
  context: StateContext,
  accept: string | null,
  item: Item,
  { headers = [], remarks = [] }: { headers?: HeaderList; remarks?: readonly string[] } = {},
): Promise<Answer> {
  const { envelope } = plan.binding;
  return bodyAnswer(plan, context, accept, {
    body: (base) => envelope === undefined ? base : inEnvelope(base, envelope, shownItem(plan, item)),
    headers,
    declared: [["etag", etagOf(item)]],
    remarks,
  });
}

/** The item as responses show it. */
export function shownItem(_plan: BindingPlan, { value }: Item): unknown {
  return isObject(value) ? value : {};
}
