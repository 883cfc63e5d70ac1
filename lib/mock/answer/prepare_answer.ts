import { isNullBodyStatus } from "../../http/body.ts";
import type { HeaderList } from "../../http/handler.ts";
import type { Problem } from "../../http/problem.ts";
import type { Operation } from "../../openapi/operation.ts";
import { child, entries, isObject } from "../../schema/json/node.ts";
import { follow, referenceOf } from "../../schema/json/reference.ts";
import { type Answer, type AnswerCriteria, type AnswerRules, createAnswer, withHeaders } from "./answer.ts";
import { type AnswerParts, type BodyContent, buildAnswer, buildProblem } from "./build_answer.ts";
import { listExamples } from "./example.ts";
import { negotiate } from "./negotiate.ts";
import { formatPreferences, NO_PREFERENCES, type Preferences } from "./preferences.ts";
import { brokenPart, noCode, noSuccess, notAcceptable } from "./problems.ts";
import { reviseBody, selectBody } from "./select_body.ts";
import { type SelectedResponse, selectResponse } from "./select_response.ts";

/**
 * Prepares the answer of an operation: selects its response, media type and body, and builds the answer.
 */
export async function prepareAnswer(
  operation: Operation,
  criteria: AnswerCriteria,
  rules: AnswerRules,
): Promise<Answer> {
  const { document } = operation;
  const { accept, preferences, seed, trace } = criteria;
  const { code } = preferences;
  const selected = responseFor(operation, criteria, rules);
  if (trace !== undefined) Object.assign(trace, { selected, seed });
  if (selected.kind === "broken") {
    return buildProblem(operation, brokenPart(operation, selected.part, selected.reference));
  }
  if (selected.kind === "none") {
    return code === undefined
      ? buildProblem(operation, noSuccess(operation, selected.found))
      : await undeclaredAnswer(operation, noCode(operation, code, selected.found), criteria, rules);
  }

  const { status, node: response } = selected;
  const media = entries(follow(document, child(response, "content")));
  if (media.length === 0) return await build({ kind: "empty" }, { ...NO_PREFERENCES, code });
  const offers = media.map(([mediaType]) => mediaType);
  // Of media types that the client accepts alike, one with the example that it asks for comes first.
  const example = preferences.example ?? criteria.choice?.example;
  const hasExample = (index: number): boolean => {
    const at = media[index]?.[1];
    return example !== undefined && at !== undefined && listExamples(document, follow(document, at)).has(example);
  };
  const negotiated = (rules.negotiate ?? negotiate)(accept, offers, hasExample);
  if (trace !== undefined) Object.assign(trace, { offers, negotiated });
  const reference = negotiated && media[negotiated.index]?.[1];
  if (negotiated === undefined || reference === undefined) {
    return buildProblem(operation, notAcceptable(operation, accept ?? "", offers));
  }
  const { mediaType } = negotiated;
  const node = follow(document, reference);
  if (node.value === undefined) {
    return buildProblem(operation, brokenPart(operation, `media type ${mediaType}`, referenceOf(reference)));
  }
  const content = await selectBody(operation, node, status, negotiated, criteria, rules);
  if (content.kind === "problem") return buildProblem(operation, content.problem);
  return await build(await reviseBody(content, node, rules), appliedPreferences(preferences, content), {
    mediaType,
    node,
  });

  function build(content: BodyContent, applied: Preferences, media?: AnswerParts["media"]): Promise<Answer> {
    const headers = appliedHeader(applied);
    const remarks = remarksOn(preferences, applied, isNullBodyStatus(status) ? "empty" : content.kind);
    return buildAnswer({ operation, status, response, media, content, headers, remarks, seed }, rules.generatorOf);
  }
}

/**
 * Selects the response that the client prefers, else the response whose example the request's contents select, else the
 * success response.
 */
function responseFor(
  operation: Operation,
  { preferences, choice }: AnswerCriteria,
  { anyStatus }: AnswerRules,
): SelectedResponse {
  const code = preferences.code ?? (preferences.example === undefined ? choice?.code : undefined);
  return selectResponse(operation, code === undefined ? { anyStatus } : { code });
}

/** The problem for a preferred status that the operation doesn't declare. It is sent with this status. */
async function undeclaredAnswer(
  operation: Operation,
  problem: Problem,
  { seed }: AnswerCriteria,
  { generatorOf }: AnswerRules,
): Promise<Answer> {
  const { status, detail } = problem;
  const headers = appliedHeader({ ...NO_PREFERENCES, code: status });
  // The detail is a remark: the client has asked for this problem.
  const remarks = detail === undefined ? [] : [detail];
  if (isNullBodyStatus(status)) {
    return await buildAnswer({ operation, status, content: { kind: "empty" }, headers, remarks, seed }, generatorOf);
  }
  return { ...buildProblem(operation, problem, { headers, remarks }), detail: undefined };
}

/** The preferences that changed the answer. */
function appliedPreferences(
  { code, example, dynamic, seed, arraySize }: Preferences,
  content: BodyContent,
): Preferences {
  const applied = { ...NO_PREFERENCES, code };
  switch (content.kind) {
    case "example":
      return {
        ...applied,
        example,
        arraySize: example === undefined ? sizeOf(content.example.value, arraySize) : undefined,
      };
    case "generated":
      return { ...applied, dynamic, seed, arraySize: sizeOf(content.value, arraySize) };
    case "empty":
    case "problem":
      return applied;
  }
}

/** The preferred size of arrays, if the body has an array of this size. */
function sizeOf(body: unknown, size: number | undefined): number | undefined {
  // The bytes of a file would be visited one by one.
  return size !== undefined && !(body instanceof Uint8Array) && hasArrayOf(body, size) ? size : undefined;
}

/** Whether an outermost array of a body has the preferred length. The schema may forbid that length. */
function hasArrayOf(value: unknown, size: number): boolean {
  if (Array.isArray(value)) return value.length === size;
  return isObject(value) && Object.values(value).some((part) => hasArrayOf(part, size));
}

/**
 * An answer from the state, with the header for the preferences that it honours, and a remark on the others.
 *
 * @param isList Whether the answer is a list, whose size a client may prefer.
 */
export function withApplied(answer: Answer, preferences: Preferences, isList: boolean): Answer {
  if (preferences === NO_PREFERENCES || answer.source !== "state") return answer;
  const { arraySize, seed } = preferences;
  const own = withHeaders(answer, appliedHeader({ ...NO_PREFERENCES, arraySize: isList ? arraySize : undefined }));
  const unapplied = formatPreferences({ ...NO_PREFERENCES, seed, arraySize: isList ? undefined : arraySize });
  if (unapplied === "") return own;
  const remark = `The preference ${unapplied} is not honoured: the answer is from the state.`;
  return createAnswer({ ...own, remarks: [...own.remarks ?? [], remark] });
}

function appliedHeader(applied: Preferences): HeaderList {
  const value = formatPreferences(applied);
  return value === "" ? [] : [["preference-applied", value]];
}

/** Remarks on preferences that had no effect because of the definition. */
function remarksOn(preferences: Preferences, applied: Preferences, kind: BodyContent["kind"]): readonly string[] {
  const remarks: string[] = [];
  if (preferences.example !== undefined && kind === "empty") {
    remarks.push(`The preference example=${preferences.example} is not honoured: the response has no body.`);
  }
  if (preferences.arraySize !== undefined && applied.arraySize === undefined) {
    const reason = kind === "empty"
      ? "the response has no body"
      : kind === "generated"
      ? "the schema has no array that may be so long"
      : "the body is an example; the preference dynamic=true has one generated";
    remarks.push(`The preference array-size=${preferences.arraySize} is not honoured: ${reason}.`);
  }
  return remarks;
}
