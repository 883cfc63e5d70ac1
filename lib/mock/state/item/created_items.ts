/**
 * Creates that make several items: their body is a list, or an item or a list.
 *
 * @module
 */
import type { HeaderList } from "../../../http/handler.ts";
import type { Answer } from "../../answer/answer.ts";
import type { Binding } from "../../infer/resource.ts";
import { hintsAt } from "../../../observe/record/secret_rules.ts";
import type { AnsweredPlan } from "../binding_plan.ts";
import { bodyAnswer, inEnvelope } from "../body_answer.ts";
import { etagOf } from "../etag.ts";
import type { Item } from "./item.ts";
import type { MediaPlan } from "../response_plan.ts";
import { shownItem } from "../shown_item.ts";
import type { StateContext } from "../state_context.ts";

/**
 * The answer that shows the items which a request created: a list for a list, an item for an item, as far as the
 * response's schema has a place for it.
 *
 * @param isList Whether the request's body was a list.
 */
export function createdAnswer(
  plan: AnsweredPlan,
  context: StateContext,
  accept: string | null,
  items: readonly Item[],
  isList: boolean,
  { headers, remarks }: { readonly headers: HeaderList; readonly remarks: readonly string[] },
): Promise<Answer> {
  const [first] = items;
  return bodyAnswer(plan, plan.created ?? plan.response, context, accept, {
    body: (base, media) => {
      const shown = items.map((item) => shownItem(plan, media, context, item, []));
      const bodies = placesIn(plan.binding, media, isList)
        .map(({ at, isList }) => inEnvelope(base, at, isList ? shown : shown[0]));
      const [first = base, ...others] = bodies;
      return others.length === 0 ? first : bodies.find((body) => media.schema.check(body).length === 0) ?? first;
    },
    headers,
    ...isList || first === undefined ? {} : { declared: [["etag", etagOf(first)]] },
    remarks,
  });
}

/** A place for the created items in a response. */
interface Place {
  readonly at: readonly string[];
  readonly isList: boolean;
}

/** The possible places for the created items, the likely one first. */
function placesIn({ envelope, listEnvelope }: Binding, { schema: { hints } }: MediaPlan, isList: boolean): Place[] {
  const mayBe = (at: readonly string[], type: "array" | "object"): boolean => hintsAt(hints, at).types.has(type);
  if (isList) {
    const at = [listEnvelope, envelope].find((at) => at !== undefined && mayBe(at, "array"));
    return at === undefined ? [] : [{ at, isList: true }];
  }
  if (envelope !== undefined && (listEnvelope === undefined || mayBe(envelope, "object"))) {
    return [{ at: envelope, isList: false }];
  }
  // Without a `type`, `items` also allows a single item there.
  return listEnvelope === undefined ? [] : [{ at: listEnvelope, isList: false }, { at: listEnvelope, isList: true }];
}
