import type { Bytes, HeaderList } from "../http/handler.ts";
import { type Problem, PROBLEM_MEDIA_TYPE } from "../http/problem.ts";
import { isNullBodyStatus } from "../http/body.ts";
import type { Document } from "../openapi/document.ts";
import type { Redirect } from "../openapi/extension/settings.ts";
import { child, entries, isObject, type Node } from "../schema/node.ts";
import type { Operation } from "../openapi/operation.ts";
import { follow, referenceOf } from "../schema/reference.ts";
import { encodeBody, type EncodedBody } from "../wire/encode.ts";
import { defaultExample, type Example, listExamples } from "./example.ts";
import type { BodyGenerator, GenerateOptions } from "./generate/generate.ts";
import { responseHeaders } from "./header.ts";
import type { ExampleChoice } from "./match.ts";
import { negotiate, type Negotiated } from "./negotiate.ts";
import { formatPreferences, NO_PREFERENCES, type Preferences } from "./preferences.ts";
import { brokenPart, impossibleBody, noCode, noExample, noSuccess, notAcceptable } from "./problems.ts";
import { chooseResponse, type ChosenResponse } from "./select_response.ts";

/** An answer, ready to be sent as often as the same is asked. */
export interface PreparedAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  /** `null` where there is no body; chunks are sent one by one. */
  readonly body: Bytes | readonly Bytes[] | null;
  /** Media type of the body; empty without one. */
  readonly mediaType: string;
  /** What the body came from. */
  readonly source: AnswerSource;
  /** Where the definition has it; absent where it comes from nowhere, as a problem. */
  readonly origin?: AnswerOrigin;
  /** What is wrong, when the answer is a problem. */
  readonly detail?: string | undefined;
  /** Sentences for the log about what the client asked for. */
  readonly remarks?: readonly string[];
}

/** What of a definition an answer is made from. */
export interface AnswerOrigin {
  /** The Response Object. */
  readonly response: Node;
  /** The Media Type Object, and the media type that it was chosen for; absent without a body. */
  readonly media?: { readonly mediaType: string; readonly node: Node };
  /** The example that the body is; absent where there is none, or it was made. */
  readonly example?: Example;
}

/** `example`, `examples.NAME`, `generated`, `status` (no body), `problem`, `redirect` or `upstream`. */
export type AnswerSource = string;

/** What a client asks of an operation. */
export interface Wish {
  /** The `Accept` header. */
  readonly accept: string | null;
  readonly preferences: Preferences;
  /** The example that the request's contents ask for; preferences go before it. */
  readonly choice?: ExampleChoice | undefined;
  /** Whether the body is generated although there is an example. */
  readonly dynamic: boolean;
  /** Seed of what is generated. */
  readonly seed: number;
}

/** How a server makes its answers. */
export interface AnswerRules {
  /** Whether `2XX` and `default` are mocked where there is no exact 2xx code. */
  readonly anyStatus: boolean;
  /** Whether bodies are made from schemas where there is no example. */
  readonly generate: boolean;
  /** Makes the bodies of a document. */
  readonly generatorOf: (document: Document) => Promise<BodyGenerator>;
  /**
   * Writes into a body what is known only when it is answered, as its schema allows. Default: the body stays as it is.
   */
  readonly revise?: (body: unknown, schema: Node) => Promise<unknown>;
}

/** The header that tells a mocked answer from a real one. */
export const MOCKED: readonly [string, string] = ["x-svc-mocked", "true"];

/** How many items a generated sequence has. */
const SEQUENCE_ITEMS = 3;

/** The body of an answer, before it is encoded. */
type Content =
  | { kind: "example"; example: Example }
  | { kind: "generated"; value: unknown }
  | { kind: "empty" }
  | { kind: "problem"; problem: Problem };

/** Makes the answer of an operation: response, media type, body and headers. */
export async function prepareAnswer(operation: Operation, wish: Wish, rules: AnswerRules): Promise<PreparedAnswer> {
  const { document } = operation;
  const { code } = wish.preferences;
  const response = responseFor(operation, wish, rules);
  if (response.kind === "broken") return problemAnswer(brokenPart(operation, response.what, response.reference));
  if (response.kind === "none") {
    return code === undefined
      ? problemAnswer(noSuccess(operation, response.found))
      : undeclaredAnswer(noCode(operation, code, response.found), code);
  }

  const { status } = response;
  const origin = { response: response.node };
  const headersFor = async (mediaType: string, body: unknown): Promise<HeaderList> => {
    const scene = { operation, status, mediaType, body, seed: wish.seed };
    return [MOCKED, ...deprecation(operation), ...await responseHeaders(response.node, scene, rules.generatorOf)];
  };
  const bodyless = async () => ({ ...statusAnswer(status, await headersFor("", undefined)), origin });
  const media = entries(follow(document, child(response.node, "content")));
  if (media.length === 0) return withPreferences(await bodyless(), { ...NO_PREFERENCES, code }, wish.preferences);

  const offers = media.map(([mediaType]) => mediaType);
  const negotiated = negotiate(wish.accept, offers);
  const mediaTypeObject = negotiated && media[negotiated.index]?.[1];
  if (negotiated === undefined || mediaTypeObject === undefined) {
    return problemAnswer(notAcceptable(operation, wish.accept ?? "", offers));
  }

  const node = follow(document, mediaTypeObject);
  if (node.value === undefined) {
    return problemAnswer(brokenPart(operation, `media type ${negotiated.mediaType}`, referenceOf(mediaTypeObject)));
  }
  const content = await contentOf(operation, node, status, negotiated, wish, rules);
  if (content.kind === "problem") return problemAnswer(content.problem);
  const applied = appliedPreferences(wish.preferences, content);
  if (content.kind === "empty" || isNullBodyStatus(status)) {
    return withPreferences(await bodyless(), applied, wish.preferences);
  }

  const sent = await revised(content, node, rules);
  const { body, contentType } = await encode(operation, node, negotiated, sent);
  const headers = await headersFor(contentType, sent.kind === "example" ? sent.example.value : sent.value);
  const ofMedia = { ...origin, media: { mediaType: negotiated.mediaType, node } };
  return withPreferences(
    {
      status,
      headers: [["content-type", contentType], ...headers],
      body,
      mediaType: contentType,
      ...(content.kind === "example"
        ? { source: content.example.source, origin: { ...ofMedia, example: content.example } }
        : { source: "generated", origin: ofMedia }),
    },
    applied,
    wish.preferences,
  );
}

/** Chooses the response that the client prefers, else that which the request's contents ask for, else the first. */
function responseFor(operation: Operation, { preferences, choice }: Wish, { anyStatus }: AnswerRules): ChosenResponse {
  const code = preferences.code ?? (preferences.example === undefined ? choice?.code : undefined);
  return chooseResponse(operation, code === undefined ? { anyStatus } : { code });
}

/** Makes the answer that carries a problem. */
export function problemAnswer(problem: Problem, headers: HeaderList = []): PreparedAnswer {
  return {
    status: problem.status,
    headers: [["content-type", PROBLEM_MEDIA_TYPE], ...headers],
    body: new TextEncoder().encode(JSON.stringify(problem)),
    mediaType: PROBLEM_MEDIA_TYPE,
    source: "problem",
    detail: problem.detail,
  };
}

/** Makes the answer with a status that a client prefers and the operation doesn't declare. */
function undeclaredAnswer(problem: Problem, code: number): PreparedAnswer {
  const { detail, ...answer } = isNullBodyStatus(code)
    ? { ...statusAnswer(code, []), detail: problem.detail }
    : problemAnswer(problem);
  const answered = withPreferences(answer, { ...NO_PREFERENCES, code });
  return detail === undefined ? answered : { ...answered, remarks: [detail] };
}

/** Makes an answer without a body. */
export function statusAnswer(status: number, headers: HeaderList): PreparedAnswer {
  return { status, headers, body: null, mediaType: "", source: "status" };
}

/** Makes the answer that sends a client elsewhere: what the redirect leaves open stays as it was asked. */
export function redirectAnswer({ scheme, host, port, path, response_code }: Redirect, url: string): PreparedAnswer {
  const target = new URL(url);
  // Another scheme has a port of its own, as in the Gateway API.
  if (scheme !== undefined) target.port = "";
  if (scheme !== undefined) target.protocol = scheme;
  if (host !== undefined) target.hostname = host;
  if (port !== undefined) target.port = String(port);
  if (path !== undefined) target.pathname = path;
  return { ...statusAnswer(response_code ?? 302, [["location", target.href]]), source: "redirect" };
}

/**
 * Finds the body: the example that the client prefers; one that is made, if that is wanted; the example that the request's
 * contents ask for; the first example; one that is made.
 */
async function contentOf(
  operation: Operation,
  media: Node,
  status: number,
  { mediaType }: Negotiated,
  { preferences, choice, dynamic, seed }: Wish,
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

/** The content with what the rules write into it; a text that is the body itself stays as it is. */
async function revised(
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

/** Adds which preferences were honoured, and remarks on those that could not be. */
function withPreferences(answer: PreparedAnswer, applied: Preferences, wanted = applied): PreparedAnswer {
  const value = formatPreferences(applied);
  const remarks = unhonoured(answer, applied, wanted);
  if (value === "" && remarks.length === 0) return answer;
  return {
    ...answer,
    ...(value === "" ? {} : { headers: [...answer.headers, ["preference-applied", value]] }),
    ...(remarks.length === 0 ? {} : { remarks }),
  };
}

/** Why an answer isn't as a client wants it, where the definition leaves no choice. */
function unhonoured({ body, source }: PreparedAnswer, applied: Preferences, wanted: Preferences): string[] {
  const remarks: string[] = [];
  if (wanted.example !== undefined && body === null) {
    remarks.push(`The preference example=${wanted.example} is not honoured: the response has no body.`);
  }
  if (wanted.arraySize !== undefined && applied.arraySize === undefined) {
    const reason = body === null
      ? "the response has no body"
      : source === "generated"
      ? "the schema has no array that may be so long"
      : "the body is an example; the preference dynamic=true has one generated";
    remarks.push(`The preference array-size=${wanted.arraySize} is not honoured: ${reason}.`);
  }
  return remarks;
}

/** RFC 9745, in the form that clients knew before it: the date of the deprecation isn't in a definition. */
function deprecation({ node }: Operation): HeaderList {
  return child(node, "deprecated").value === true ? [["deprecation", "true"]] : [];
}
