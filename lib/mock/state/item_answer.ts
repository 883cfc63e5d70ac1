import type { HeaderList } from "../../http/handler.ts";
import type { Answer } from "../answer/answer.ts";
import type { AnsweredPlan } from "./binding_plan.ts";
import { bodyAnswer, inEnvelope } from "./body_answer.ts";
import { etagOf } from "./etag.ts";
import type { Item } from "./item/item.ts";
import type { UsedItem } from "./item/relations.ts";
import type { ResponsePlan } from "./response_plan.ts";
import { shownItem } from "./shown_item.ts";
import type { StateContext } from "./state_context.ts";

interface Besides {
  readonly headers?: HeaderList;
  readonly remarks?: readonly string[];
  /** Receives the results of the searches for embedded items. */
  readonly used?: UsedItem[];
  /** The response to use. Default: the response of the binding's status. */
  readonly response?: ResponsePlan | undefined;
}

/** The answer that shows an item, in the envelope of the response. */
export function itemAnswer(
  plan: AnsweredPlan,
  context: StateContext,
  accept: string | null,
  item: Item,
  { headers = [], remarks = [], used = [], response = plan.response }: Besides = {},
): Promise<Answer> {
  const { envelope } = plan.binding;
  return bodyAnswer(plan, response, context, accept, {
    body: (base, media) =>
      envelope === undefined ? base : inEnvelope(base, envelope, shownItem(plan, media, context, item, used)),
    headers,
    declared: [["etag", etagOf(item)]],
    remarks,
  });
}
