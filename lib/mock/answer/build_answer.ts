/**
 * The builder of answers. Every answer of an operation is made here, whatever has chosen its contents: an example, a
 * schema, the state, a rule, or a problem. So all of them have the headers that the documentation promises.
 *
 * @module
 */
import { isNullBodyStatus } from "../../http/body.ts";
import type { HeaderList } from "../../http/handler.ts";
import type { Problem } from "../../http/problem.ts";
import type { Document } from "../../openapi/document.ts";
import type { Operation } from "../../openapi/operation.ts";
import { child, type Node } from "../../schema/json/node.ts";
import { encodeBody } from "../../wire/encode.ts";
import {
  type Answer,
  type AnswerFacts,
  type AnswerOrigin,
  type AnswerSource,
  createAnswer,
  problemAnswer,
  statusAnswer,
} from "./answer.ts";
import type { Example } from "./example.ts";
import type { BodyGenerator } from "../generate/generate.ts";
import { responseHeaders } from "./header.ts";

/** The contents of an answer. */
export type BodyContent =
  | { kind: "example"; example: Example }
  | {
    kind: "generated";
    value: unknown;
    /** What the definition says that the value doesn't follow. */
    notes?: readonly string[] | undefined;
  }
  | { kind: "empty" }
  | { kind: "problem"; problem: Problem };

/** The parts of which an answer is made. */
export interface AnswerParts {
  readonly operation: Operation;
  readonly status: number;
  /** The Response Object of the status; absent if the operation declares none. */
  readonly response?: Node<"Response"> | undefined;
  /** The media type of the body, with its Media Type Object; absent if there is no body. */
  readonly media?: AnswerOrigin["media"];
  readonly content: BodyContent;
  /** Headers that replace declared ones of the same name. An empty value removes the header. */
  readonly headers?: HeaderList;
  /** Headers that replace declared ones, and are left out if the response doesn't declare them. */
  readonly ifDeclared?: HeaderList;
  /** Default: the source of the contents. */
  readonly source?: AnswerSource;
  readonly remarks?: readonly string[] | undefined;
  /** Default: the seed, if the contents are generated. */
  readonly facts?: AnswerFacts;
  /** The seed of generated headers. */
  readonly seed: number;
}

/** The header that distinguishes a mocked answer from an upstream's. */
const MOCKED: readonly [string, string] = ["x-svc-mocked", "true"];

/** Makes an answer of an operation: encodes the body, and adds the headers. */
export async function buildAnswer(
  parts: AnswerParts,
  generatorOf: (document: Document) => Promise<BodyGenerator>,
): Promise<Answer> {
  const { operation, status, response, media, content, remarks = [] } = parts;
  if (content.kind === "problem") return buildProblem(operation, content.problem, parts);
  const notes = content.kind === "generated" ? content.notes : undefined;
  const facts = parts.facts ?? (content.kind === "generated" ? { seed: parts.seed } : undefined);
  const common = {
    status,
    ...facts === undefined ? {} : { facts },
    ...remarks.length === 0 ? {} : { remarks },
    ...notes === undefined ? {} : { notes },
  };
  if (content.kind === "empty" || media === undefined || isNullBodyStatus(status)) {
    return createAnswer({
      ...common,
      body: null,
      mediaType: "",
      source: parts.source ?? "status",
      ...response === undefined ? {} : { origin: { response } },
      headers: await headersOf(parts, "", undefined, generatorOf),
    });
  }
  const { example } = content.kind === "example" ? content : { example: undefined };
  const value = content.kind === "example" ? content.example.value : content.value;
  const context = { document: operation.document, schema: child(media.node, "schema"), mediaTypeObject: media.node };
  const mediaType = example?.contentType ?? media.mediaType;
  const { body, text, contentType } = await encodeBody(value, mediaType, context, example?.form ?? "data");
  const origin = response && { response, media, ...example === undefined ? {} : { example } };
  return createAnswer({
    ...common,
    body,
    text,
    mediaType: contentType,
    source: parts.source ?? example?.source ?? "generated",
    ...origin === undefined ? {} : { origin },
    headers: [["content-type", contentType], ...await headersOf(parts, contentType, value, generatorOf)],
  });
}

/** Makes the answer of an operation that is a problem (RFC 9457). Its status is that of the problem. */
export function buildProblem(
  operation: Operation,
  problem: Problem,
  { headers = [], remarks = [] }: Pick<AnswerParts, "headers" | "remarks"> = {},
): Answer {
  const answer = problemAnswer(problem, [...ownHeaders(operation), ...headers]);
  return remarks.length === 0 ? answer : { ...answer, remarks };
}

/** The answer to `OPTIONS` at a path whose definition doesn't declare it: the path's methods. */
export function allowAnswer(methods: readonly string[]): Answer {
  return statusAnswer(204, [["allow", methods.join(", ")], MOCKED]);
}

/** All headers except `content-type`: those that every answer has, then those that the response declares. */
async function headersOf(
  { operation, status, response, headers = [], ifDeclared = [], seed }: AnswerParts,
  mediaType: string,
  body: unknown,
  generatorOf: (document: Document) => Promise<BodyGenerator>,
): Promise<HeaderList> {
  const declared = response === undefined
    ? []
    : await responseHeaders(response, { operation, status, mediaType, body, seed }, generatorOf);
  const names = new Set(declared.map(([name]) => name));
  const given = [...headers, ...ifDeclared.filter(([name]) => names.has(name))];
  const replaced = new Set(given.map(([name]) => name));
  return [
    ...ownHeaders(operation),
    ...declared.filter(([name]) => !replaced.has(name)),
    ...given.filter(([, value]) => value !== ""),
  ];
}

/**
 * The headers that every answer of an operation has. RFC 9745 requires the date of a deprecation instead of `true`,
 * which a definition doesn't have.
 */
function ownHeaders({ node }: Operation): HeaderList {
  return child(node, "deprecated").value === true ? [MOCKED, ["deprecation", "true"]] : [MOCKED];
}
