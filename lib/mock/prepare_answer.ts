import type { HeaderList } from "../http/handler.ts";
import type { Problem } from "../http/problem.ts";
import { isNullBodyStatus } from "../http/body.ts";
import { child, entries, isObject } from "../schema/node.ts";
import type { Operation } from "../openapi/operation.ts";
import { follow, referenceOf } from "../schema/reference.ts";
import {
  type Answer,
  type AnswerCriteria,
  type AnswerOrigin,
  type AnswerRules,
  createAnswer,
  MOCKED,
  problemAnswer,
  statusAnswer,
} from "./answer.ts";
import { listExamples } from "./example.ts";
import { externalFact, responseHeaders } from "./header.ts";
import { negotiate } from "./negotiate.ts";
import { formatPreferences, NO_PREFERENCES, type Preferences } from "./preferences.ts";
import { brokenPart, noCode, noSuccess, notAcceptable } from "./problems.ts";
import { type BodyContent, encodeContent, reviseBody, selectBody } from "./select_body.ts";
import { type SelectedResponse, selectResponse } from "./select_response.ts";

/**
 * Prepares the answer of an operation: selects its response, media type and body, encodes the body, adds the headers.
 */
export async function prepareAnswer(
  operation: Operation,
  criteria: AnswerCriteria,
  rules: AnswerRules,
): Promise<Answer> {
  const { document } = operation;
  const { accept, preferences } = criteria;
  const { code } = preferences;
  const response = responseFor(operation, criteria, rules);
  if (response.kind === "broken") return problemAnswer(brokenPart(operation, response.part, response.reference));
  if (response.kind === "none") {
    return code === undefined
      ? problemAnswer(noSuccess(operation, response.found))
      : undeclaredAnswer(noCode(operation, code, response.found), code);
  }

  const { status, node } = response;
  const media = entries(follow(document, child(node, "content")));
  if (media.length === 0) {
    return await bodylessAnswer(operation, response, criteria, { ...NO_PREFERENCES, code }, rules);
  }
  const offers = media.map(([mediaType]) => mediaType);
  // Of media types that the client accepts alike, one with the example that it asks for comes first.
  const example = preferences.example ?? criteria.choice?.example;
  const hasExample = (index: number): boolean => {
    const at = media[index]?.[1];
    return example !== undefined && at !== undefined && listExamples(document, follow(document, at)).has(example);
  };
  const negotiated = (rules.negotiate ?? negotiate)(accept, offers, hasExample);
  const reference = negotiated && media[negotiated.index]?.[1];
  if (negotiated === undefined || reference === undefined) {
    return problemAnswer(notAcceptable(operation, accept ?? "", offers));
  }
  const mediaTypeObject = follow(document, reference);
  if (mediaTypeObject.value === undefined) {
    return problemAnswer(brokenPart(operation, `media type ${negotiated.mediaType}`, referenceOf(reference)));
  }
  const content = await selectBody(operation, mediaTypeObject, status, negotiated, criteria, rules);
  if (content.kind === "problem") return problemAnswer(content.problem);
  const applied = appliedPreferences(preferences, content);
  if (content.kind === "empty" || isNullBodyStatus(status)) {
    return await bodylessAnswer(operation, response, criteria, applied, rules);
  }

  const revised = await reviseBody(content, mediaTypeObject, rules);
  const { body, text, contentType } = await encodeContent(operation, mediaTypeObject, negotiated, revised);
  const value = revised.kind === "example" ? revised.example.value : revised.value;
  const origin: AnswerOrigin = {
    response: node,
    media: { mediaType: negotiated.mediaType, node: mediaTypeObject },
    ...(content.kind === "example" ? { example: content.example } : {}),
  };
  return createAnswer({
    status,
    body,
    text,
    mediaType: contentType,
    source: content.kind === "example" ? content.example.source : "generated",
    origin,
    ...externalFact(document, node, content.kind === "example" ? content.example : undefined),
    headers: [
      ["content-type", contentType],
      ...await headersFor(operation, response, contentType, value, criteria, rules),
      ...appliedHeader(applied),
    ],
    ...remarksOn(preferences, applied, body === null ? "empty" : content.kind),
  });
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

async function bodylessAnswer(
  operation: Operation,
  response: SelectedResponse & { kind: "response" },
  criteria: AnswerCriteria,
  applied: Preferences,
  rules: AnswerRules,
): Promise<Answer> {
  const headers = await headersFor(operation, response, "", undefined, criteria, rules);
  return createAnswer({
    status: response.status,
    body: null,
    mediaType: "",
    source: "status",
    origin: { response: response.node },
    ...externalFact(operation.document, response.node),
    headers: [...headers, ...appliedHeader(applied)],
    ...remarksOn(criteria.preferences, applied, "empty"),
  });
}

/** The headers of an answer besides `content-type`: gw's own, and those that the response declares. */
async function headersFor(
  operation: Operation,
  { node, status }: SelectedResponse & { kind: "response" },
  mediaType: string,
  body: unknown,
  { seed }: AnswerCriteria,
  { generatorOf }: AnswerRules,
): Promise<HeaderList> {
  const declared = await responseHeaders(node, { operation, status, mediaType, body, seed }, generatorOf);
  return [MOCKED, ...deprecation(operation), ...declared];
}

/** The problem for a preferred status that the operation doesn't declare. It is sent with this status. */
function undeclaredAnswer(problem: Problem, code: number): Answer {
  const { detail, ...answer } = problemAnswer(problem);
  const plain = isNullBodyStatus(code) ? statusAnswer(code, []) : answer;
  return createAnswer({
    ...plain,
    headers: [...plain.headers, ...appliedHeader({ ...NO_PREFERENCES, code })],
    ...(detail === undefined ? {} : { remarks: [detail] }),
  });
}

/** The preferences that changed the answer. */
function appliedPreferences(
  { code, example, dynamic, seed, arraySize }: Preferences,
  content: BodyContent,
): Preferences {
  const applied = { ...NO_PREFERENCES, code };
  switch (content.kind) {
    case "example":
      return { ...applied, example };
    case "generated":
      return { ...applied, dynamic, seed, arraySize: hasArrayOf(content.value, arraySize) ? arraySize : undefined };
    case "empty":
    case "problem":
      return applied;
  }
}

/** Whether an outermost array of a body has the preferred length. The schema may forbid that length. */
function hasArrayOf(value: unknown, size: number | undefined): boolean {
  if (Array.isArray(value)) return value.length === size;
  return isObject(value) && Object.values(value).some((part) => hasArrayOf(part, size));
}

function appliedHeader(applied: Preferences): HeaderList {
  const value = formatPreferences(applied);
  return value === "" ? [] : [["preference-applied", value]];
}

/** Remarks on preferences that had no effect because of the definition. */
function remarksOn(preferences: Preferences, applied: Preferences, kind: BodyContent["kind"]): Pick<Answer, "remarks"> {
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
  return remarks.length === 0 ? {} : { remarks };
}

/**
 * `Deprecation: true` for deprecated operations. RFC 9745 requires the date of the deprecation instead, which a
 * definition doesn't have.
 */
export function deprecation({ node }: Operation): HeaderList {
  return child(node, "deprecated").value === true ? [["deprecation", "true"]] : [];
}
