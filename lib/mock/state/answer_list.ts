import type { Answer } from "../answer.ts";
import { withPart } from "./parts.ts";
import type { AnsweredPlan, BindingPlan } from "./binding_plan.ts";
import { deletedParent } from "./answer_read.ts";
import { bodyAnswer } from "./body_answer.ts";
import { errorAnswer } from "./error_answer.ts";
import { shownItem } from "./shown_item.ts";
import { scopeOf } from "./item_place.ts";
import { fillEnvelope, listItems } from "./list_items.ts";
import type { StateContext } from "./state_context.ts";
import type { StateRequest } from "./state_request.ts";

/** The longest cache key: URL and `Accept` header. */
const MOST_KEY = 1_000;

/** The cached answer of a list operation, if the session has written nothing since. */
export function cachedList({ lists }: BindingPlan, { state }: StateContext, request: StateRequest): Answer | undefined {
  return lists.get(state, cacheKey(request));
}

/** The parts of a request that its list depends on. */
function cacheKey({ url, headers }: StateRequest): string {
  const accept = headers.get("accept");
  return accept === null ? url : `${accept}\n${url}`;
}

/** Answers a list operation: the items that the query selects, in the response's envelope. */
export async function answerList(
  plan: AnsweredPlan,
  context: StateContext,
  request: StateRequest,
): Promise<Answer | undefined> {
  const { binding, list } = plan;
  if (list === undefined || binding.envelope === undefined) return undefined;
  const missing = deletedParent(plan, context, request);
  if (missing !== undefined) return await missing;
  const { state } = context;
  const { revision } = state;
  const { name } = binding.resource;
  const scope = scopeOf(binding, request);
  const all = state.list(name, scope);
  const { url, headers, path, query, pathParameters } = request;
  const page = listItems(
    list,
    {
      all: () => all,
      size: all.size,
      get: (key) => state.get(name, scope, key),
      find: (keys, text) => state.find(name, scope, keys, text),
    },
    { url, headers, target: { path, query, pathParameters } },
  );
  if (page.kind === "refused") return await errorAnswer(plan, context, request, page.status, page.detail);
  const answer = await bodyAnswer(plan, plan.response, context, headers.get("accept"), {
    body: (base, media) => {
      const elements = page.items.map((item) =>
        withPart(undefined, binding.element, shownItem(plan, media, context, item, []))
      );
      return fillEnvelope(base, list, page, elements);
    },
    headers: page.headers,
    remarks: page.remarks,
  });
  // Another request may have written while the answer was encoded. Then the list is outdated, and isn't cached.
  const key = cacheKey(request);
  const isCurrent = state.revision === revision && answer.source === "state";
  if (isCurrent && key.length <= MOST_KEY) plan.lists.set(state, key, answer);
  return answer;
}
