import { isNullBodyStatus } from "../../http/body.ts";
import type { HeaderList } from "../../http/handler.ts";
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import type { Answer } from "../answer/answer.ts";
import { buildAnswer, buildProblem } from "../answer/build_answer.ts";
import { impossibleBody, notAcceptable } from "../answer/problems.ts";
import type { BindingPlan } from "./binding_plan.ts";
import type { MediaPlan, ResponsePlan } from "./response_plan.ts";
import { fitValue } from "./item/fit_value.ts";
import { withPart } from "../../schema/json/parts.ts";
import type { StateContext } from "./state_context.ts";

/** The parts of an answer that depend on the state: its body, headers and remarks. */
export interface BodyAnswerParts {
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
  { binding: { operation, envelope, resource } }: BindingPlan,
  { status, offers, node, mediaFor }: ResponsePlan,
  { answers: { handlers }, seed }: StateContext,
  accept: string | null,
  { headers = [], declared = [], remarks = [], ...parts }: BodyAnswerParts,
): Promise<Answer> {
  const facts = { resource: resource.name };
  const common = { operation, status, response: node, headers, ifDeclared: declared, source: "state", facts, seed };
  if (offers.length === 0 || isNullBodyStatus(status)) {
    return await buildAnswer({ ...common, content: { kind: "empty" }, remarks }, handlers.generatorOf);
  }
  const media = mediaFor(accept);
  if (media === undefined) return buildProblem(operation, notAcceptable(operation, accept ?? "", offers));
  const fitted = fitBody(media, parts, envelope);
  if (fitted === undefined) {
    const reason = { reason: "none was found for the state", pointer: media.node.pointer, proven: false };
    return buildProblem(operation, impossibleBody(operation, reason));
  }
  return await buildAnswer({
    ...common,
    media: { mediaType: media.negotiated.mediaType, node: media.node },
    content: { kind: "generated", value: fitted.value },
    remarks: [...remarks, ...fitted.remarks],
  }, handlers.generatorOf);
}

/** The body from the state, made valid with the fewest changes; `undefined` if no valid body was found. */
function fitBody(
  media: MediaPlan,
  parts: Pick<BodyAnswerParts, "body">,
  envelope: readonly string[] = [],
): { value: unknown; remarks: readonly string[] } | undefined {
  const { schema } = media;
  const wanted = parts.body(schema.base(0), media);
  // Each generated body may use another branch of a `oneOf`, so several of them are tried as a base.
  const fitted = fitValue(wanted, (index) => schema.base(index), schema, envelope);
  if (fitted.isValid && fitted.changed.length === 0) return { value: fitted.value, remarks: [] };
  const whole = wholeBody(media, parts, envelope);
  if (whole !== undefined) return { value: whole, remarks: [] };
  if (!fitted.isValid) return undefined;
  return { value: fitted.value, remarks: [changedRemark(fitted.changed)] };
}

/** Limit of the generated bodies in which the contents of the state are tried. */
const MOST_BASES = 4;

/**
 * A valid body with the contents of the state as they are, from a base of another branch of a `oneOf`: the example may
 * show a list, where the answer has one item. `undefined` if none is found.
 */
function wholeBody(
  media: MediaPlan,
  parts: Pick<BodyAnswerParts, "body">,
  [outermost]: readonly string[],
): unknown {
  const { schema } = media;
  const branches = outermost === undefined
    ? []
    : schema.hints.branches.filter(({ propertyNames }) => propertyNames.has(outermost));
  if (branches.length === 0) return undefined;
  for (let index = 0; index < MOST_BASES; index++) {
    const base = schema.base(index);
    if (base === undefined) break;
    const bases = isObject(base) ? branches.map((branch) => onlyOf(base, branch.propertyNames)) : [];
    for (const candidate of [base, ...bases]) {
      const body = parts.body(candidate, media);
      if (schema.check(body).length === 0) return body;
    }
  }
  return undefined;
}

function onlyOf(object: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.has(name)));
}

function changedRemark(changed: readonly string[]): string {
  const named = changed.slice(0, MOST_NAMED).map((pointer) => pointer === "" ? "the body" : pointer).join(", ");
  const others = changed.length > MOST_NAMED ? ` and ${changed.length - MOST_NAMED} more` : "";
  return `The response's schema doesn't allow these parts as they are in the state; they were changed: ${named}${others}.`;
}

export function inEnvelope(base: unknown, envelope: readonly string[], value: unknown): unknown {
  if (envelope.length === 0) return value;
  return withPart(isObject(base) ? base : {}, envelope, value);
}
