import { joinBytes } from "../../http/content_coding.ts";
import type { Document } from "../../openapi/document.ts";
import { readHints } from "../../schema/hints.ts";
import { child, entries, type Node } from "../../schema/node.ts";
import type { Operation } from "../../openapi/operation.ts";
import { follow } from "../../schema/reference.ts";
import type { Check, DocumentValidator } from "../../schema/document_validator.ts";
import type { Violation } from "../../schema/violation.ts";
import type { Answer } from "../answer.ts";
import { type Example, firstExample } from "../example.ts";
import { checkDecoded, type CheckedContent, prepareContent } from "./content.ts";
import { formsOf } from "./parameter.ts";
import { readSimple } from "../../wire/parameter_style.ts";
import { toValue } from "../../wire/text_value.ts";

/** A violation of a response, in the form of Prism's: Prism lists them in the property `validation` of its problems. */
export interface ResponseViolation {
  /** Where: `["response", "body", "items", "3", "price"]`, `["response", "header", "x-rate-limit"]`. */
  location: string[];
  /** A violation of a response is always an error. */
  severity: "Error";
  /** The keyword of the schema that is broken (`required`, `type`, …), or `malformed`. */
  code: string;
  /** A sentence for a person. */
  message: string;
}

/** The violations of a value, with paths relative to the value. */
export type Found = readonly Pick<Violation, "path" | "keyword" | "message">[];

/**
 * Validates the examples in an answer, of its body and headers, against their schemas. Skips generated values, which
 * are valid, and examples without a schema.
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
): Promise<Found> {
  // A text may be the serialised body: decode the bytes that are sent, and validate the result.
  if (typeof value !== "string" && !(value instanceof Uint8Array)) return check(value);
  const decoded = await read(body instanceof Uint8Array ? body : joinBytes(body), mediaType);
  switch (decoded.kind) {
    case "value":
      return await checkDecoded(decoded, check);
    case "malformed":
      return [{ path: [], keyword: "malformed", message: decoded.message }];
    case "unknown":
      return [];
  }
}

/** The headers of a response that are sent as their example, and have a schema. */
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

/** Validates a header's example, which is the value of the header or its serialised text: valid if either is. */
function checkHeader(document: Document, { value, form }: Example, schema: Node<"Schema">, check: Check): Found {
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

/** Converts violations of a value to those of a part of a response: `["body"]`, `["header", "x-rate-limit"]`. */
export function toViolations(place: readonly string[], found: Found): ResponseViolation[] {
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
