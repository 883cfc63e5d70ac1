import type { HeaderList } from "../http/handler.ts";
import type { Problem } from "../http/problem.ts";
import { isNullBodyStatus } from "../http/body.ts";
import type { Document } from "../openapi/document.ts";
import { child, entries, isObject, type Node } from "../schema/node.ts";
import type { Operation } from "../openapi/operation.ts";
import { follow, referenceOf } from "../schema/reference.ts";
import { encodeBody, type EncodedBody } from "../wire/encode.ts";
import { type Answer, type AnswerOrigin, createAnswer, MOCKED, problemAnswer, statusAnswer } from "./answer.ts";
import { defaultExample, type Example, listExamples } from "./example.ts";
import type { BodyGenerator, GenerateOptions } from "./generate/generate.ts";
import { responseHeaders } from "./header.ts";
import type { ExampleChoice } from "./example_matcher.ts";
import { negotiate, type Negotiated } from "./negotiate.ts";
import { formatPreferences, NO_PREFERENCES, type Preferences } from "./preferences.ts";
import { brokenPart, impossibleBody, noCode, noExample, noSuccess, notAcceptable } from "./problems.ts";
import { type SelectedResponse, selectResponse } from "./select_response.ts";

/** The parts of a request that its answer depends on. */
export interface AnswerCriteria {
  /** The `Accept` header. */
  readonly accept: string | null;
  readonly preferences: Preferences;
  /** The example that the contents of the request select; preferences go before it. */
  readonly choice?: ExampleChoice | undefined;
  /** Whether the body is generated although there is an example. */
  readonly dynamic: boolean;
  /** Seed of generated values. */
  readonly seed: number;
}

/** How a server makes its answers. */
export interface AnswerRules {
  /** Whether `2XX` and `default` are mocked where there is no exact 2xx code. */
  readonly anyStatus: boolean;
  /** Whether bodies are generated from schemas where there is no example. */
  readonly generate: boolean;
  /** The generator of a document's bodies. */
  readonly generatorOf: (document: Document) => Promise<BodyGenerator>;
  /** Changes a body before it is encoded, as its schema allows. Default: the body stays as it is. */
  readonly revise?: (body: unknown, schema: Node) => Promise<unknown>;
}

/** How many items a generated sequence has. */
const SEQUENCE_ITEMS = 3;

/** The body of an answer, before it is encoded. */
type Content =
  | { kind: "example"; example: Example }
  | { kind: "generated"; value: unknown }
  | { kind: "empty" }
  | { kind: "problem"; problem: Problem };

/** Prepares the answer of an operation: selects its response, media type and body, encodes the body, adds the headers. */
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
  const negotiated = negotiate(accept, offers);
  const reference = negotiated && media[negotiated.index]?.[1];
  if (negotiated === undefined || reference === undefined) {
    return problemAnswer(notAcceptable(operation, accept ?? "", offers));
  }
  const mediaTypeObject = follow(document, reference);
  if (mediaTypeObject.value === undefined) {
    return problemAnswer(brokenPart(operation, `media type ${negotiated.mediaType}`, referenceOf(reference)));
  }
  const content = await contentOf(operation, mediaTypeObject, status, negotiated, criteria, rules);
  if (content.kind === "problem") return problemAnswer(content.problem);
  const applied = appliedPreferences(preferences, content);
  if (content.kind === "empty" || isNullBodyStatus(status)) {
    return await bodylessAnswer(operation, response, criteria, applied, rules);
  }

  const revised = await revise(content, mediaTypeObject, rules);
  const { body, contentType } = await encode(operation, mediaTypeObject, negotiated, revised);
  const value = revised.kind === "example" ? revised.example.value : revised.value;
  const origin: AnswerOrigin = {
    response: node,
    media: { mediaType: negotiated.mediaType, node: mediaTypeObject },
    ...(content.kind === "example" ? { example: content.example } : {}),
  };
  return createAnswer({
    status,
    body,
    mediaType: contentType,
    source: content.kind === "example" ? content.example.source : "generated",
    origin,
    headers: [
      ["content-type", contentType],
      ...await headersFor(operation, response, contentType, value, criteria, rules),
      ...appliedHeader(applied),
    ],
    ...remarksOn(preferences, applied, body === null ? "empty" : content.kind),
  });
}

/** Selects the response that the client prefers, else that which the contents of the request select, else the first. */
function responseFor(
  operation: Operation,
  { preferences, choice }: AnswerCriteria,
  { anyStatus }: AnswerRules,
): SelectedResponse {
  const code = preferences.code ?? (preferences.example === undefined ? choice?.code : undefined);
  return selectResponse(operation, code === undefined ? { anyStatus } : { code });
}

/** The answer of a response without content, or whose status allows no body. */
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

/** The answer with a status that a client prefers and the operation doesn't declare. */
function undeclaredAnswer(problem: Problem, code: number): Answer {
  const { detail, ...answer } = problemAnswer(problem);
  const plain = isNullBodyStatus(code) ? statusAnswer(code, []) : answer;
  return createAnswer({
    ...plain,
    headers: [...plain.headers, ...appliedHeader({ ...NO_PREFERENCES, code })],
    ...(detail === undefined ? {} : { remarks: [detail] }),
  });
}

/**
 * Finds the body. In this order: the example that the client prefers; a generated body, if the client or the server
 * wants one; the example that the contents of the request select; the first example; a generated body.
 */
async function contentOf(
  operation: Operation,
  media: Node,
  status: number,
  { mediaType }: Negotiated,
  { preferences, choice, dynamic, seed }: AnswerCriteria,
  rules: AnswerRules,
): Promise<Content> {
  const { document } = operation;
  const examples = listExamples(document, media);
  if (preferences.example !== undefined) {
    const example = examples.get(preferences.example);
    if (example !== undefined) return { kind: "example", example };
    const names = [...examples.keys()].filter((name) => name !== "");
    return { kind: "problem", problem: noExample(operation, mediaType, preferences.example, names) };
  }

  const chosen = (choice === undefined ? undefined : examples.get(choice.example)) ?? defaultExample(examples);
  const isGenerated = dynamic && child(media, "schema").value !== undefined;
  if (chosen !== undefined && !isGenerated) return { kind: "example", example: chosen };
  if (!rules.generate) return { kind: "empty" };
  const { arraySize } = preferences;
  const options = {
    seed,
    ...(arraySize === undefined ? {} : { arraySize }),
    ...(status >= 400 ? { status } : {}),
  };
  return generateContent(operation, media, options, await rules.generatorOf(document));
}

function generateContent(
  operation: Operation,
  media: Node,
  options: GenerateOptions & { seed: number },
  { generate }: BodyGenerator,
): Content {
  const schema = child(media, "schema");
  const itemSchema = child(media, "itemSchema");
  // A media type that is a sequence may describe its items alone (OpenAPI 3.2, section 4.14.3).
  if (schema.value === undefined && itemSchema.value !== undefined) {
    const items: unknown[] = [];
    for (let index = 0; index < (options.arraySize ?? SEQUENCE_ITEMS); index++) {
      const item = generate(itemSchema, { seed: options.seed + index });
      if (item.kind === "impossible") return { kind: "problem", problem: impossibleBody(operation, item) };
      items.push(item.value);
    }
    return { kind: "generated", value: items };
  }
  if (schema.value === undefined) return { kind: "generated", value: undefined };
  const body = generate(schema, options);
  return body.kind === "impossible"
    ? { kind: "problem", problem: impossibleBody(operation, body) }
    : { kind: "generated", value: body.value };
}

function encode(
  operation: Operation,
  media: Node,
  { mediaType }: Negotiated,
  content: Content & { kind: "example" | "generated" },
): Promise<EncodedBody> {
  const context = { document: operation.document, schema: child(media, "schema"), mediaTypeObject: media };
  return content.kind === "generated"
    ? encodeBody(content.value, mediaType, context, "data")
    : encodeBody(content.example.value, mediaType, context, content.example.form);
}

/** The content as the rules revise it. A serialized example is the body itself, and stays as it is. */
async function revise(
  content: Content & { kind: "example" | "generated" },
  media: Node,
  { revise }: AnswerRules,
): Promise<typeof content> {
  if (revise === undefined) return content;
  const schema = child(media, "schema");
  if (content.kind === "generated") return { ...content, value: await revise(content.value, schema) };
  const { example } = content;
  if (example.form === "serialized") return content;
  return { ...content, example: { ...example, value: await revise(example.value, schema) } };
}

/** The preferences that made a difference to the answer. */
function appliedPreferences({ code, example, dynamic, seed, arraySize }: Preferences, content: Content): Preferences {
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

/** Whether the outermost arrays of a value are as long as a client wants them: their schemas may have said otherwise. */
function hasArrayOf(value: unknown, size: number | undefined): boolean {
  if (Array.isArray(value)) return value.length === size;
  return isObject(value) && Object.values(value).some((part) => hasArrayOf(part, size));
}

/** `Preference-Applied`, where a preference made a difference. */
function appliedHeader(applied: Preferences): HeaderList {
  const value = formatPreferences(applied);
  return value === "" ? [] : [["preference-applied", value]];
}

/** Remarks on preferences that the definition leaves no room for. */
function remarksOn(preferences: Preferences, applied: Preferences, kind: Content["kind"]): Pick<Answer, "remarks"> {
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

/** RFC 9745, in the form that clients knew before it: the date of the deprecation isn't in a definition. */
function deprecation({ node }: Operation): HeaderList {
  return child(node, "deprecated").value === true ? [["deprecation", "true"]] : [];
}
