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

/** Limit of the length of a cache key. Lists with a longer URL and `Accept` header aren't cached. */
const MOST_KEY = 1_000;

/** The cached answer of a list operation, if the session has written nothing since. */
export function cachedList({ lists }: BindingPlan, { state }: StateContext, request: StateRequest): Answer | undefined {
  return lists.get(state, cacheKey(request));
}

function cacheKey({ url, headers }: StateRequest): string {
  const accept = headers.get("accept");
  return accept === null ? url : `${accept}\n${url}`;
}

/** Answers a list operation: puts the items that the query selects into the envelope of the response. */
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
  // During the `await` for the encoded answer, another request may have written. The list is then outdated, and isn't
  // cached.
  const key = cacheKey(request);
  const isCurrent = state.revision === revision && answer.source === "state";
  if (isCurrent && key.length <= MOST_KEY) plan.lists.set(state, key, answer);
  return answer;
}
