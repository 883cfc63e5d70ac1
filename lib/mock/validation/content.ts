import { decodeStrictly } from "../../http/decode_strictly.ts";
import { type MediaType, parseMediaType } from "../../http/media_type.ts";
import type { Document } from "../../openapi/document.ts";
import { readHints } from "../../schema/hints.ts";
import { child, type Node } from "../../schema/json/node.ts";
import { type Check, type DocumentValidator, MOST_VIOLATIONS } from "../../schema/document_validator.ts";
import type { Violation } from "../../schema/violation.ts";
import type { Direction } from "../../schema/schema.ts";
import { MOST_VALUES } from "../../wire/body.ts";
import { createBodyReader, type DecodedBody } from "../../wire/decode.ts";
import { formatOf } from "../../wire/format.ts";
import type { ValueFormats } from "../../wire/value_format.ts";
import { fromJson } from "../../wire/json.ts";
import { itemSchemaOf } from "../../wire/sequences.ts";
import { NO_VIOLATIONS, type RequestPart, type RequestViolation, schemaViolations, violation } from "./violation.ts";

/** The decoder and the check of a body or a parameter that a Media Type Object with a schema describes. */
export interface CheckedContent {
  readonly read: (content: Uint8Array, contentType: string) => DecodedBody | Promise<DecodedBody>;
  readonly check: Check;
}

/**
 * Prepares the check of content of a media type.
 *
 * @param formats The formats of form fields for which the definition specifies no style.
 * @returns `undefined` if the Media Type Object has no schema.
 */
export function prepareContent(
  document: Document,
  validator: DocumentValidator,
  mediaType: string,
  mediaTypeObject: Node<"MediaType">,
  direction: Direction = "request",
  formats: ValueFormats = {},
): CheckedContent | undefined {
  const schema = child(mediaTypeObject, "schema");
  const context = { document, schema, mediaTypeObject };
  const parsed = parseMediaType(mediaType);
  const itemSchema = parsed && itemSchemaOf(parsed, readHints(document, schema, direction), mediaTypeObject);
  if (schema.value === undefined && itemSchema === undefined) return undefined;
  return {
    // Fast path for JSON: don't create the reader that selects one of all formats.
    read: isPlainJson(mediaType) ? readJson : createBodyReader({ ...context, direction, formats }),
    check: itemSchema === undefined
      ? validator.checkOf(schema, direction)
      : forEachItem(validator.checkOf(itemSchema, direction)),
  };
}

/**
 * Makes the check of a sequence (JSON Lines, for example) from the check of one item (`itemSchema`). It lists at most
 * {@linkcode MOST_VIOLATIONS} errors, and as many warnings.
 */
function forEachItem(check: Check): Check {
  return (value) => {
    const violations: Violation[] = [];
    const counts = { Error: 0, Warning: 0 };
    for (const [index, item] of Array.isArray(value) ? value.entries() : []) {
      for (const found of check(item)) {
        // Count warnings separately, so that they can't displace errors: only errors refuse the request.
        if (++counts[found.severity ?? "Error"] > MOST_VIOLATIONS) continue;
        violations.push({ ...found, path: [String(index), ...found.path] });
      }
      if (counts.Error >= MOST_VIOLATIONS) break;
    }
    return violations;
  };
}

/**
 * Finds the violations of a parameter, or of the body if `name` is empty.
 *
 * @param contentType The media type of the content, with its parameters, such as `charset`.
 */
export function checkContent(
  part: RequestPart,
  name: string,
  content: Uint8Array,
  contentType: string,
  { read, check }: CheckedContent,
): readonly RequestViolation[] | Promise<readonly RequestViolation[]> {
  const decoded = read(content, contentType);
  return decoded instanceof Promise ? decoded.then(violationsOf) : violationsOf(decoded);

  function violationsOf(
    decoded: DecodedBody,
  ): readonly RequestViolation[] | Promise<readonly RequestViolation[]> {
    switch (decoded.kind) {
      case "value": {
        const found = checkDecoded(decoded, check);
        return found instanceof Promise
          ? found.then((found) => schemaViolations(part, name, found))
          : schemaViolations(part, name, found);
      }
      case "malformed":
      case "too-large":
        return [violation(part, name, decoded.kind, decoded.message)];
      case "unknown":
        return NO_VIOLATIONS;
    }
  }
}

/** Validates a decoded value. If the content can be decoded in several ways, any valid value will do. */
export function checkDecoded(
  { value, otherwise }: Extract<DecodedBody, { kind: "value" }>,
  check: Check,
): Violation[] | Promise<Violation[]> {
  const found = check(value);
  if (otherwise === undefined || found.every(({ severity }) => severity === "Warning")) return found;
  return otherwise().then((other) => {
    const others = other === value ? found : check(other);
    return others.every(({ severity }) => severity === "Warning") ? others : found;
  });
}

function isPlainJson(mediaType: string): boolean {
  const parsed = parseMediaType(mediaType);
  return parsed !== undefined && formatOf(parsed) === "json" && !parsed.parameters.has("charset");
}

function readJson(content: Uint8Array): DecodedBody {
  const text = decodeStrictly(content);
  if (text === undefined) return { kind: "malformed", message: "is not JSON: it is not UTF-8" };
  // A shorter text doesn't have too many values, so that they needn't be counted.
  return fromJson(text, text.length <= MOST_VALUES ? {} : { values: { most: MOST_VALUES, left: MOST_VALUES } });
}

/**
 * Makes a function that finds the media type of a definition that a `Content-Type` matches: the most specific one, and
 * of several equally specific ones, the first.
 *
 * @param offers Media types and ranges, as written in the definition.
 * @returns The index of the matching offer; -1 if none matches.
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#request-body-object OpenAPI 3.1, Request Body Object}
 */
export function createContentChooser(offers: readonly string[]): (contentType: string) => number {
  const parsed = offers.map((offer) => parseMediaType(offer));
  return (contentType) => {
    const written = offers.indexOf(contentType);
    if (written !== -1) return written;
    const mediaType = parseMediaType(contentType);
    const fits = parsed.map((offer) => specificity(mediaType, offer));
    const best = Math.max(0, ...fits);
    return best === 0 ? -1 : fits.indexOf(best);
  };
}

/**
 * How specifically an offer matches a media type: 0 if it doesn't match, 1 for a wildcard type, 2 for a wildcard subtype,
 * 3 if only the parameters differ, 4 and more if the parameters match, too.
 */
function specificity(mediaType: MediaType | undefined, offer: MediaType | undefined): number {
  if (offer === undefined) return 0;
  if (offer.type === "*") return 1;
  if (mediaType?.type !== offer.type) return 0;
  if (offer.subtype === "*") return 2;
  if (mediaType.subtype !== offer.subtype) return 0;
  const agrees = [...offer.parameters].every(([name, value]) => mediaType.parameters.get(name) === value);
  return agrees ? 4 + offer.parameters.size : 3;
}
