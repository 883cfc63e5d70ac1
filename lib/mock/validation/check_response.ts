import { joinBytes } from "../../http/content_coding.ts";
import type { Document } from "../../openapi/document.ts";
import { readHints } from "../../schema/hints.ts";
import { child, entries, type Node } from "../../schema/json/node.ts";
import type { Operation } from "../../openapi/operation.ts";
import { follow } from "../../schema/json/reference.ts";
import type { Check, DocumentValidator } from "../../schema/document_validator.ts";
import type { Violation } from "../../schema/violation.ts";
import type { Answer } from "../answer/answer.ts";
import { type Example, firstExample } from "../answer/example.ts";
import { checkDecoded, type CheckedContent, prepareContent } from "./content.ts";
import { formsOf } from "./parameter.ts";
import { readSimple } from "../../wire/parameter_style.ts";
import { toValue } from "../../wire/text_value.ts";

/**
 * A violation of a response, in the format of the mock server Prism, which lists violations in the property
 * `validation` of its problem responses.
 */
export interface ResponseViolation {
  /**
   * The place of the violation: `["response", "body", "items", "3", "price"]`, `["response", "header",
   * "x-rate-limit"]`.
   */
  location: string[];
  /** Always `Error`: only violations of requests can be warnings. */
  severity: "Error";
  /** The keyword of the schema that is violated (`required`, `type`, …), or `malformed`. */
  code: string;
  /** A sentence that describes the violation. */
  message: string;
}

export type FoundViolations = readonly Pick<Violation, "path" | "keyword" | "message">[];

/**
 * Validates the examples that an answer consists of, as body and as headers, against their schemas. Generated values
 * are valid by construction, and aren't validated.
 */
export async function checkResponse(
  operation: Operation,
  { origin, mediaType, body }: Answer,
  validatorOf: (document: Document) => Promise<DocumentValidator>,
): Promise<ResponseViolation[]> {
  const { document } = operation;
  if (origin === undefined) return [];
  const headers = headerExamples(document, origin.response);
  const { media, example } = origin;
  if (headers.length === 0 && (media === undefined || example === undefined)) return [];

  const validator = await validatorOf(document);
  const content = media && prepareContent(document, validator, media.mediaType, media.node, "response");
  const found = content === undefined || example === undefined || body === null
    ? []
    : await checkBody(example, content, body, mediaType);
  return [
    ...toViolations(["body"], found),
    ...headers.flatMap(({ name, example, schema }) =>
      toViolations(["header", name], checkHeader(document, example, schema, validator.checkOf(schema, "response")))
    ),
  ];
}

async function checkBody(
  { value }: Example,
  { read, check }: CheckedContent,
  body: NonNullable<Answer["body"]>,
  mediaType: string,
): Promise<FoundViolations> {
  // A text may be the example's value, or its serialised form. Decode the bytes that are sent, and validate the result.
  if (typeof value !== "string" && !(value instanceof Uint8Array)) return check(value);
  const decoded = await read(body instanceof Uint8Array ? body : joinBytes(body), mediaType);
  switch (decoded.kind) {
    case "value":
      return await checkDecoded(decoded, check);
    case "malformed":
    case "too-large":
      return [{ path: [], keyword: "malformed", message: decoded.message }];
    case "unknown":
      return [];
  }
}

/** The headers of a response that have a schema and are sent with an example as their value. */
function headerExamples(
  document: Document,
  response: Node<"Response">,
): { name: string; example: Example; schema: Node<"Schema"> }[] {
  return entries(follow(document, child(response, "headers"))).flatMap(([name, written]) => {
    const header = follow(document, written);
    const schema = child(header, "schema");
    const example = schema.value === undefined ? undefined : firstExample(document, header);
    return example === undefined ? [] : [{ name: name.toLowerCase(), example, schema }];
  });
}

/**
 * Validates the example of a header. A text may be the header's value or its serialised form, so it is valid if either
 * reading is.
 */
function checkHeader(
  document: Document,
  { value, form }: Example,
  schema: Node<"Schema">,
  check: Check,
): FoundViolations {
  const found = check(value);
  if (typeof value !== "string" || form === "data" || found.length === 0) return found;
  const hints = readHints(document, schema, "response");
  const isRight = formsOf(hints, { style: "simple" }).some((form) =>
    [true, false].some((explode) => {
      const reading = readSimple(value, { form, explode, decode: (piece) => piece });
      return reading.kind === "text" && check(toValue(reading.text, hints)).length === 0;
    })
  );
  return isRight ? [] : found;
}

/**
 * Converts violations of a value to violations of a part of the response.
 *
 * @param place The part of the response: `["body"]`, `["header", "x-rate-limit"]`.
 */
export function toViolations(place: readonly string[], found: FoundViolations): ResponseViolation[] {
  return found.map(({ path, keyword, message }) => {
    const [part = "", ...within] = [...place, ...path];
    const subject = within.length === 0 ? part : `${part === "body" ? "body property" : part} ${within.join(".")}`;
    return {
      location: ["response", ...place, ...path],
      severity: "Error",
      code: keyword,
      message: `Response ${subject} ${message}.`,
    };
  });
}
