import { child, entries } from "../../schema/json/node.ts";
import type { Operation } from "../../openapi/operation.ts";
import { follow } from "../../schema/json/reference.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { checkContent, type CheckedContent, createContentChooser, prepareContent } from "./content.ts";
import { type BodyHolder, type KnownBody, type ReadBody, readBody } from "../../http/body.ts";
import type { BodyLimits } from "../../http/limits/body_limits.ts";
import type { ValueFormats } from "../../wire/value_format.ts";
import { NO_VIOLATIONS, type RequestViolation, violation } from "./violation.ts";

export interface BodyCheck {
  /** Finds the violations of a request's body. Reads the body, unless `known` has its bytes, and sets them there. */
  readonly check: (
    request: BodyHolder,
    known?: KnownBody,
  ) => readonly RequestViolation[] | Promise<readonly RequestViolation[]>;
  /** Whether `check` may read the request's body stream. */
  readonly readsBody: boolean;
}

/** Methods whose requests have no body with defined meaning (RFC 9110, section 9.3). */
const BODYLESS = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/**
 * Makes the check of an operation's request body.
 *
 * @param limit The largest body that is read, in bytes.
 * @param formats The formats of form fields for which the definition specifies no style.
 * @param bodies What the bodies of all requests may take together. Default: no limit.
 * @returns `undefined` if every request is valid, with or without a body.
 */
export function createBodyCheck(
  operation: Operation,
  validator: DocumentValidator,
  limit: number,
  formats: ValueFormats = {},
  bodies?: BodyLimits,
): BodyCheck | undefined {
  const { document, node, method } = operation;
  const requestBody = follow(document, child(node, "requestBody"));
  if (requestBody.value === undefined) return BODYLESS.has(method) ? undefined : { check: refuseAny, readsBody: false };

  // OpenAPI 3.0 and Swagger ignore such a body. From 3.1 on, it is checked where the runtime shows it: most don't.
  const isHidden = method === "GET" || method === "HEAD";
  if (isHidden && (document.version === "2.0" || document.version === "3.0")) return undefined;
  const contents = entries(child(requestBody, "content"));
  const required = child(requestBody, "required").value === true;
  if (contents.length === 0 && !required) return undefined;
  const mediaTypes = contents.map(([mediaType]) => mediaType);
  const choose = createContentChooser(mediaTypes);
  const prepared = contents.map(([mediaType, written]) =>
    prepareContent(document, validator, mediaType, follow(document, written), "request", formats)
  );

  return { check, readsBody: required || prepared.some((content) => content !== undefined) };

  function check(request: BodyHolder, known: KnownBody = {}): ReturnType<BodyCheck["check"]> {
    if (isHidden && known.bytes === undefined && request.body === null) return NO_VIOLATIONS;
    const length = lengthOf(request, known.bytes);
    if (length === 0) return checkEmpty();
    const contentType = request.headers.get("content-type") ?? mediaTypes[0] ?? "";
    const index = choose(contentType);
    if (index === -1 && mediaTypes.length > 0) return [unsupported(contentType, mediaTypes)];
    const content = prepared[index];
    if (content === undefined && (!required || length !== undefined)) return NO_VIOLATIONS;
    return known.bytes === undefined
      ? readBody(request, limit, bodies).then((body) => checkRead(body, known, contentType, content))
      : checkBytes(known.bytes, contentType, content);
  }

  function checkRead(
    body: ReadBody,
    known: KnownBody,
    contentType: string,
    content: CheckedContent | undefined,
  ): ReturnType<BodyCheck["check"]> {
    switch (body.kind) {
      case "bytes":
        known.bytes = body.bytes;
        return checkBytes(body.bytes, contentType, content);
      case "too-large":
        return [violation("body", "", "too-large", `is larger than ${limit} bytes`)];
      case "unknown-coding":
        return [violation("body", "", "unsupported-media-type", body.message)];
      case "broken":
        return [violation("body", "", "malformed", `could not be read: ${body.message}`)];
    }
  }

  function checkBytes(
    bytes: Uint8Array,
    contentType: string,
    content: CheckedContent | undefined,
  ): ReturnType<BodyCheck["check"]> {
    if (bytes.byteLength === 0) return checkEmpty();
    return content === undefined ? NO_VIOLATIONS : checkContent("body", "", bytes, contentType, content);
  }

  function checkEmpty(): readonly RequestViolation[] {
    return required ? [violation("body", "", "required", "is required")] : NO_VIOLATIONS;
  }
}

/** The length of a body in bytes; `undefined` if it isn't known before the body is read. */
function lengthOf(request: BodyHolder, known: Uint8Array | undefined): number | undefined {
  if (known !== undefined) return known.byteLength;
  const length = request.headers.get("content-length");
  if (length !== null) return Number(length);
  // Access `body` last: its getter creates a stream.
  return request.body === null ? 0 : undefined;
}

/** Refuses a request with a body, for an operation that describes no body. */
function refuseAny({ headers }: BodyHolder): readonly RequestViolation[] {
  const hasBody = Number(headers.get("content-length")) > 0 || headers.has("transfer-encoding");
  return hasBody
    ? [violation("body", "", "unsupported-media-type", "is there, though the operation takes none")]
    : NO_VIOLATIONS;
}

function unsupported(contentType: string, mediaTypes: readonly string[]): RequestViolation {
  const message = `is ${contentType}, but the operation takes ${mediaTypes.join(", ")}`;
  return violation("body", "", "unsupported-media-type", message);
}
