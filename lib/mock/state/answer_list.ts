import type { JsonObject } from "../../schema/json/node.ts";
import type { Answer } from "../answer/answer.ts";
import type { ShownPage } from "./answer_cache.ts";
import { withPart } from "../../schema/json/parts.ts";
import type { AnsweredPlan } from "./binding_plan.ts";
import { deletedParent } from "./answer_read.ts";
import { bodyAnswer, inEnvelope } from "./body_answer.ts";
import { errorAnswer } from "./error_answer.ts";
import { shownItem } from "./shown_item.ts";
import { requestScope } from "./item/item_place.ts";
import { fillEnvelope, listItems } from "./list/list_items.ts";
import type { ListPlan } from "./list/list_plan.ts";
import type { Item } from "./item/item.ts";
import type { ListPage } from "./list/listing.ts";
import { unknownParentRemark } from "./parent_remark.ts";
import type { UsedItem } from "./item/relations.ts";
import type { MediaPlan } from "./response_plan.ts";
import type { StateContext } from "./state_context.ts";
import type { StateRequest } from "./state_request.ts";

/**
 * Answers an operation that lists or counts items: puts the items that the query selects into the envelope of the response. Returns
 * synchronously if an answer with the same page is cached.
 */
export function answerList(
  plan: AnsweredPlan,
  context: StateContext,
  request: StateRequest,
): Answer | Promise<Answer | undefined> {
  const { binding, list, response } = plan;
  if (list === undefined || binding.envelope === undefined) return Promise.resolve(undefined);
  const missing = deletedParent(plan, context, request);
  if (missing !== undefined) return missing;
  const { state, seed } = context;
  const { name } = binding.resource;
  const scope = requestScope(binding, request);
  const all = state.list(name, scope);
  const { url, headers, path, query, pathParameters, body, arraySize } = request;
  const page = listItems(
    list,
    {
      all: () => all,
      size: all.size,
      get: (key) => state.get(name, scope, key),
      find: (keys, text) => state.find(name, scope, keys, text),
      cached: (key, select) => plan.selections.get(state, key, select),
    },
    { url, headers, target: { path, query, pathParameters }, body, size: arraySize },
  );
  if (page.kind === "refused") return errorAnswer(plan, context, request, page.status, page.detail);
  const accept = headers.get("accept");
  if (binding.kind === "count") return answerCount(plan, binding.envelope, context, accept, page);
  const remark = all.size === 0 ? unknownParentRemark(binding, state, scope) : undefined;
  const remarks = remark === undefined ? page.remarks : [...page.remarks, remark];
  const shown = { ...page, remarks, media: response.mediaFor(accept), seed };
  return plan.pages.get(shown, state) ?? answerPage(plan, list, context, accept, shown);
}

/** Answers with the number of items that the request selects. */
function answerCount(
  plan: AnsweredPlan,
  envelope: readonly string[],
  context: StateContext,
  accept: string | null,
  { total, remarks }: Pick<ListPage<Item>, "total" | "remarks">,
): Promise<Answer> {
  return bodyAnswer(plan, plan.response, context, accept, {
    body: (base) => inEnvelope(base, envelope, total),
    remarks,
  });
}

/** Answers with a page, and caches the answer. */
async function answerPage(
  plan: AnsweredPlan,
  list: ListPlan,
  context: StateContext,
  accept: string | null,
  page: ShownPage,
): Promise<Answer> {
  const { binding, response } = plan;
  const used: UsedItem[] = [];
  const answer = await bodyAnswer(plan, response, context, accept, {
    body: (base, media) => {
      const elements = page.items.map((item) => {
        const shown = shownItem(plan, media, context, item, used);
        return withPart(undefined, binding.element, selectFields(shown, page.fields, media));
      });
      return fillEnvelope(base, list, page, elements);
    },
    headers: page.headers,
    remarks: page.remarks,
  });
  if (answer.source === "state") plan.pages.set(page, answer, used);
  return answer;
}

/** The fields that a request wants to see, with those that the response's schema requires. */
function selectFields(item: JsonObject, fields: ListPage<Item>["fields"], { required }: MediaPlan): JsonObject {
  if (fields === undefined) return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => fields.has(name) || required.has(name)));
}
