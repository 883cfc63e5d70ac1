import { isNullBodyStatus } from "../../http/body.ts";
import { nameOf, type Operation } from "../../openapi/operation.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { child, entries, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import { listResponses, selectResponse } from "../answer/select_response.ts";
import { type FoundViolations, type ResponseViolation, toViolations } from "./check_response.ts";
import { checkDecoded, type CheckedContent, createContentChooser, prepareContent } from "./content.ts";
import { createHeaderChecks, type HeaderCheck } from "./response_header.ts";

export interface ResponseValidator {
  /** Checks status, headers and media type. The body may still be on its way. */
  checkHead(head: ResponseHead): HeadCheck | Promise<HeadCheck>;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: Headers;
  readonly request: Pick<Request, "method" | "headers">;
}

export interface HeadCheck {
  readonly violations: readonly ResponseViolation[];
  /** Checks the body, after its content coding was decoded; `undefined` if every body is valid. */
  readonly checkBody?: (
    bytes: Uint8Array,
  ) => readonly ResponseViolation[] | Promise<readonly ResponseViolation[]>;
}

/** The prepared checks of a Response Object. */
interface PreparedResponse {
  readonly headers: readonly HeaderCheck[];
  /** The media types that the response declares, as written. */
  readonly offers: readonly string[];
  readonly choose: (contentType: string) => number;
  /** The checks of bodies, by the index of their media type; each is created at the first body of that media type. */
  readonly contents: (CheckedContent | "none" | undefined)[];
  readonly mediaTypes: readonly Node<"MediaType">[];
}

const NONE: readonly ResponseViolation[] = Object.freeze([]);
const VALID_HEAD: HeadCheck = Object.freeze({ violations: NONE });

/**
 * Makes the validator of an operation's responses. The checks of a status are created when the first response with that
 * status arrives.
 */
export function createResponseValidator(operation: Operation, validator: DocumentValidator): ResponseValidator {
  const { document } = operation;
  const declared = listResponses(operation).map(([key]) => key);
  const prepared = new Map<number, PreparedResponse | "undeclared" | "broken">();
  return { checkHead };

  function checkHead({ status, headers, request }: ResponseHead): HeadCheck | Promise<HeadCheck> {
    if (declared.length === 0) return VALID_HEAD;
    let response = prepared.get(status);
    if (response === undefined) prepared.set(status, response = prepare(status));
    if (response === "broken") return VALID_HEAD;
    if (response === "undeclared") {
      return isUndeclaredButValid(status, request) ? VALID_HEAD : { violations: [undeclared(status)] };
    }
    const content = checkContentType(response, { status, headers, request });
    const found: ResponseViolation[] = [...content.violations];
    const pending: Promise<readonly ResponseViolation[]>[] = [];
    for (const check of response.headers) {
      const violations = check(headers);
      if (violations instanceof Promise) pending.push(violations);
      else found.push(...violations);
    }
    if (pending.length === 0) return found.length === 0 ? content : { ...content, violations: found };
    return Promise.all(pending).then((others) => ({ ...content, violations: [...found, ...others.flat()] }));
  }

  function prepare(status: number): PreparedResponse | "undeclared" | "broken" {
    const selected = selectResponse(operation, { code: status });
    if (selected.kind === "broken") return "broken";
    if (selected.kind === "none") return "undeclared";
    const contents = entries(follow(document, child(selected.node, "content")));
    const offers = contents.map(([mediaType]) => mediaType);
    return {
      headers: createHeaderChecks(document, validator, selected.node),
      offers,
      choose: createContentChooser(offers),
      contents: [],
      mediaTypes: contents.map(([, written]) => follow(document, written)),
    };
  }

  function undeclared(status: number): ResponseViolation {
    const message = `Response status ${status} is not declared: ${nameOf(operation)} declares ${declared.join(", ")}.`;
    return { location: ["response", "status"], severity: "Error", code: "undeclared", message };
  }

  /**
   * Checks the media type of a response, and selects the check of its body. If the Response Object has no `content`,
   * any body is valid.
   */
  function checkContentType(response: PreparedResponse, { status, headers, request }: ResponseHead): HeadCheck {
    const { offers, choose } = response;
    if (offers.length === 0 || isNullBodyStatus(status)) return VALID_HEAD;
    const contentType = headers.get("content-type");
    if (request.method === "HEAD" && contentType === null) return VALID_HEAD;
    if (contentType === null) return { violations: [withoutType(offers, headers)] };
    const index = choose(contentType);
    if (index === -1) return { violations: [otherType(contentType, offers)] };
    // A response with status 206 has a part of the content (RFC 9110, section 15.3.7), which can't be decoded.
    if (request.method === "HEAD" || status === 206) return VALID_HEAD;
    const content = response.contents[index] ??= contentOf(response, index);
    return content === "none"
      ? VALID_HEAD
      : { violations: NONE, checkBody: (bytes) => checkBody(bytes, contentType, content) };
  }

  function contentOf({ offers, mediaTypes }: PreparedResponse, index: number): CheckedContent | "none" {
    const [offer, node] = [offers[index], mediaTypes[index]];
    if (offer === undefined || node === undefined) return "none";
    return prepareContent(document, validator, offer, node, "response") ?? "none";
  }
}

/** Whether a status is valid without being declared: 304, if the request is conditional (RFC 9110, section 15.4.5). */
function isUndeclaredButValid(status: number, { headers }: ResponseHead["request"]): boolean {
  return status === 304 && (headers.has("if-none-match") || headers.has("if-modified-since"));
}

function withoutType(offers: readonly string[], headers: Headers): ResponseViolation {
  const isEmpty = headers.get("content-length") === "0";
  return isEmpty
    ? bodyViolation("required", `is missing: ${offers.join(", ")} is declared`)
    : bodyViolation("media-type", `has no Content-Type: ${offers.join(", ")} is declared`);
}

function otherType(contentType: string, offers: readonly string[]): ResponseViolation {
  return bodyViolation("media-type", `is ${contentType}, but ${offers.join(", ")} is declared`);
}

function bodyViolation(code: string, message: string): ResponseViolation {
  return { location: ["response", "body"], severity: "Error", code, message: `Response body ${message}.` };
}

function checkBody(
  bytes: Uint8Array,
  contentType: string,
  { read, check }: CheckedContent,
): readonly ResponseViolation[] | Promise<readonly ResponseViolation[]> {
  const decoded = read(bytes, contentType);
  if (decoded instanceof Promise) return decoded.then(violationsOf);
  return violationsOf(decoded);

  function violationsOf(
    body: Awaited<typeof decoded>,
  ): readonly ResponseViolation[] | Promise<readonly ResponseViolation[]> {
    switch (body.kind) {
      case "value": {
        const found = checkDecoded(body, check);
        return found instanceof Promise ? found.then(toBody) : toBody(found);
      }
      case "malformed":
        return [bodyViolation("malformed", body.message)];
      case "too-large":
        // Not a violation: the upstream may send as many values as it likes. The relay reports that it didn't check.
        throw new RangeError(`The body ${body.message}.`);
      case "unknown":
        return NONE;
    }
  }
}

function toBody(found: FoundViolations): readonly ResponseViolation[] {
  return found.length === 0 ? NONE : toViolations(["body"], found);
}
