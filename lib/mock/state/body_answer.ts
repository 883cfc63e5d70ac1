import { isNullBodyStatus } from "../../http/body.ts";
import type { HeaderList } from "../../http/handler.ts";
import { isObject } from "../../schema/node.ts";
import { type Answer, createAnswer, MOCKED, problemAnswer } from "../answer.ts";
import { deprecation } from "../prepare_answer.ts";
import { externalFact, responseHeaders } from "../header.ts";
import { impossibleBody, notAcceptable } from "../problems.ts";
import { encodeContent } from "../select_body.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { BindingPlan } from "./binding_plan.ts";
import type { MediaPlan, ResponsePlan } from "./response_plan.ts";
import { fitValue } from "./fit_value.ts";
import { withPart } from "./parts.ts";
import type { StateContext } from "./state_context.ts";

/** The parts of an answer that depend on the state: its body, headers and remarks. */
export interface AnswerParts {
  /**
   * Makes the body from the state. `base` is a valid body of the response, for the parts that the state doesn't have.
   * Parts of the result that violate the schema are changed afterwards.
   */
  readonly body: (base: unknown, media: MediaPlan) => unknown;
  /** Headers that replace declared headers of the same name. An empty value removes the header. */
  readonly headers?: HeaderList;
  /** Headers that are sent only if the response declares them. */
  readonly declared?: HeaderList;
  readonly remarks?: readonly string[];
}

/** Limit of the changed parts that a remark lists. */
const MOST_NAMED = 5;

/** Makes the answer of a bound operation. Parts of the body that violate the response's schema are changed. */
export async function bodyAnswer(
  { binding: { operation, envelope } }: BindingPlan,
  response: ResponsePlan,
  context: StateContext,
  accept: string | null,
  parts: AnswerParts,
): Promise<Answer> {
  const { status, offers, node } = response;
  if (offers.length === 0 || isNullBodyStatus(status)) {
    return createAnswer({
      status,
      body: null,
      mediaType: "",
      source: "state",
      headers: await headersOf(operation, response, context, "", undefined, parts),
      origin: { response: node },
      ...externalFact(operation.document, node),
      ...remarksOf(parts.remarks ?? []),
    });
  }
  const media = response.mediaFor(accept);
  if (media === undefined) return problemAnswer(notAcceptable(operation, accept ?? "", offers));
  const fitted = fitBody(media, parts, envelope);
  if (fitted === undefined) {
    const reason = { reason: "none was found for the state", pointer: media.node.pointer, proven: false };
    return problemAnswer(impossibleBody(operation, reason));
  }
  const { value, remarks } = fitted;
  const content = { kind: "generated", value } as const;
  const { body, text, contentType } = await encodeContent(operation, media.node, media.negotiated, content);
  const headers = await headersOf(operation, response, context, contentType, value, parts);
  return createAnswer({
    status,
    body,
    text,
    mediaType: contentType,
    source: "state",
    headers: [["content-type", contentType], ...headers],
    origin: { response: node, media: { mediaType: media.negotiated.mediaType, node: media.node } },
    ...externalFact(operation.document, node),
    ...remarksOf([...parts.remarks ?? [], ...remarks]),
  });
}

/** The body from the state, made valid with the fewest changes; `undefined` if no valid body was found. */
function fitBody(
  media: MediaPlan,
  parts: AnswerParts,
  envelope: readonly string[] = [],
): { value: unknown; remarks: readonly string[] } | undefined {
  const { schema } = media;
  const wanted = parts.body(schema.base(0), media);
  // Each generated body may use another branch of a `oneOf`, so several of them are tried as a base.
  const fitted = fitValue(wanted, (index) => schema.base(index), schema, envelope);
  if (!fitted.isValid) return undefined;
  if (fitted.changed.length === 0) return { value: fitted.value, remarks: [] };
  return { value: fitted.value, remarks: [changedRemark(fitted.changed)] };
}

function changedRemark(changed: readonly string[]): string {
  const named = changed.slice(0, MOST_NAMED).map((pointer) => pointer === "" ? "the body" : pointer).join(", ");
  const others = changed.length > MOST_NAMED ? ` and ${changed.length - MOST_NAMED} more` : "";
  return `The response's schema doesn't allow these parts as they are in the state; they were changed: ${named}${others}.`;
}

function remarksOf(remarks: readonly string[]): Pick<Answer, "remarks"> {
  return remarks.length === 0 ? {} : { remarks };
}

/**
 * All headers except `content-type`: those that every answer has, those from the state, and the other headers that the
 * response declares.
 */
async function headersOf(
  operation: Operation,
  { status, node }: ResponsePlan,
  { answers: { handlers }, seed }: StateContext,
  mediaType: string,
  body: unknown,
  { headers = [], declared = [] }: AnswerParts,
): Promise<HeaderList> {
  const about = { operation, status, mediaType, body, seed };
  const generated = await responseHeaders(node, about, handlers.generatorOf);
  const names = new Set(generated.map(([name]) => name));
  const own = [...headers, ...declared.filter(([name]) => names.has(name))];
  const replaced = new Set(own.map(([name]) => name));
  // A header with an empty value is removed, such as `Link` if there is only one page.
  return [
    MOCKED,
    ...deprecation(operation),
    ...generated.filter(([name]) => !replaced.has(name)),
    ...own.filter(([, value]) => value !== ""),
  ];
}

export function inEnvelope(base: unknown, envelope: readonly string[], value: unknown): unknown {
  if (envelope.length === 0) return value;
  return withPart(isObject(base) ? base : {}, envelope, value);
}
