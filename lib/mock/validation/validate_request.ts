import type { Problem } from "../../http/problem.ts";
import { reasonPhrase } from "../../http/reason_phrase.ts";
import { nameOf, type Operation } from "../../openapi/operation.ts";
import { listParameters } from "../../openapi/parameter.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { createBodyCheck } from "./body.ts";
import { formatsOfForm, formatsOfQuery, type FormFormats, type QueryFormats } from "../../wire/value_format.ts";
import { createParameterCheck } from "./parameter.ts";
import { type RequestTarget, splitRequest } from "../../wire/parameter_reader.ts";
import type { BodyHolder } from "../../http/body.ts";
import { createSecurityCheck } from "./security.ts";
import type { RequestViolation } from "./violation.ts";

export type { ArrayFormat, FormFormats, ObjectFormat, QueryFormats } from "../../wire/value_format.ts";
export type { RequestTarget } from "../../wire/parameter_reader.ts";
export type { BodyHolder } from "../../http/body.ts";
export type { RequestViolation } from "./violation.ts";

/** How requests are checked. */
export interface RequestValidatorOptions extends QueryFormats, FormFormats {
  /** Whether requests must have the credentials that `security` asks for. Default: `true`. */
  security?: boolean | undefined;
  /** The largest body that is read, in bytes. Default: 10 MiB. */
  maxBody?: number;
  /**
   * Queries for the server itself, such as `__code`. They belong to a parameter only if the operation declares it.
   * Default: none.
   */
  ownQueries?: ReadonlySet<string>;
}

/** Checks requests to one operation. */
export interface RequestValidator {
  /**
   * Checks a request. Reads its body where the operation describes one, unless `body` is given.
   *
   * @param body The body, where the caller has read it already.
   */
  check(
    request: BodyHolder,
    target: RequestTarget,
    body?: Uint8Array,
  ): Validation | Promise<Validation>;
  /** Checks a request without its body. */
  checkHead(request: Pick<BodyHolder, "headers">, target: RequestTarget): Validation | Promise<Validation>;
  /** Whether the check of a request may read its body. */
  readonly readsBody: boolean;
}

/** The result of checking a request. */
export interface Validation {
  /** Empty when the request is valid. */
  readonly violations: readonly RequestViolation[];
  /** The error to refuse the request with; absent if there are no violations, or only warnings. */
  readonly error?: ErrorStatus;
}

/** The status of the response that refuses a request. */
export interface ErrorStatus {
  /** Status code if the definition declares none of `codes`. */
  readonly status: 400 | 401 | 413 | 415 | 422;
  /**
   * Status codes for the error, the most specific first. The mock server answers with the first for which the
   * definition has a response of exactly that code. If there is none, it answers with {@linkcode status}: by the
   * response for its range (`4XX`), by `default`, or with a problem.
   */
  readonly codes: readonly number[];
  /** Value of `WWW-Authenticate`, for 401. */
  readonly challenge?: string;
}

/** The violations that one check finds; a promise where the body must be read. */
type Found = readonly RequestViolation[] | Promise<readonly RequestViolation[]>;

/** Most violations of credentials that one sentence lists. */
const MOST_LISTED = 10;
const NO_QUERIES: ReadonlySet<string> = new Set();
const VALID: Validation = Object.freeze({ violations: [] });
const DEFAULT_MAX_BODY = 10 * 1024 * 1024;

/**
 * Makes the validator of the requests to an operation: parameters, body and credentials. All that doesn't depend on a
 * request is prepared here, once.
 *
 * @returns `undefined` when every request is valid.
 */
export function createRequestValidator(
  operation: Operation,
  validator: DocumentValidator,
  options: RequestValidatorOptions = {},
): RequestValidator | undefined {
  const { maxBody = DEFAULT_MAX_BODY, ownQueries = NO_QUERIES, security: isChecked = true } = options;
  const siblings = listParameters(operation);
  const context = { validator, formats: formatsOfQuery(options), siblings, ownQueries };
  const checks = siblings.flatMap((parameter) => createParameterCheck(operation, parameter, context) ?? []);
  const security = isChecked ? createSecurityCheck(operation) : undefined;
  const checkBody = createBodyCheck(operation, validator, maxBody, formatsOfForm(options));
  if (checks.length === 0 && security === undefined && checkBody === undefined) return undefined;
  const locations = new Set([...siblings.map((parameter) => parameter.in), ...security?.locations ?? []]);

  return {
    check(request, target, body) {
      const found = headOf(request, target);
      if (checkBody !== undefined) found.push(checkBody.check(request, body));
      return isValid(found) ? VALID : validationOf(found, security?.challenge);
    },
    checkHead(request, target) {
      const found = headOf(request, target);
      return isValid(found) ? VALID : validationOf(found, security?.challenge);
    },
    readsBody: checkBody?.readsBody === true,
  };

  function headOf(request: Pick<BodyHolder, "headers">, target: RequestTarget): Found[] {
    if (checks.length === 0 && security === undefined) return [];
    const parts = splitRequest(request.headers, target, locations);
    const found: Found[] = security === undefined ? [] : [security.check(parts)];
    for (const check of checks) found.push(check(parts));
    return found;
  }
}

/** Whether all checks are done and found no violation. */
function isValid(found: readonly Found[]): boolean {
  for (const violations of found) {
    if (violations instanceof Promise || violations.length > 0) return false;
  }
  return true;
}

/** The validation of a request, from the violations that its checks found. */
function validationOf(found: readonly Found[], challenge: string | undefined): Validation | Promise<Validation> {
  const violations: RequestViolation[] = [];
  for (const one of found) {
    if (one instanceof Promise) return Promise.all(found).then((found) => validationOf(found, challenge));
    for (const violation of one) violations.push(violation);
  }
  if (violations.length === 0) return VALID;
  const error = errorStatusOf(violations, challenge);
  return error === undefined ? { violations } : { violations, error };
}

/**
 * The problem that lists the violations of a request.
 *
 * @param error The error to refuse the request with; its status is the problem's.
 */
export function validationProblem(
  operation: Operation,
  violations: readonly RequestViolation[],
  error: ErrorStatus,
): Problem {
  return {
    title: reasonPhrase(error.status),
    status: error.status,
    detail: validationDetail(operation, violations, error),
    validation: violations,
  };
}

/** The reason for refusing a request, as a sentence: its first violation, or, for credentials, each alternative. */
export function validationDetail(
  operation: Operation,
  violations: readonly RequestViolation[],
  { status }: Pick<ErrorStatus, "status">,
): string {
  const errors = violations.filter(({ severity }) => severity === "Error");
  const told = status === 401
    ? errors.filter(({ code }) => code === "security").slice(0, MOST_LISTED)
    : errors.slice(0, 1);
  const others = violations.length > told.length ? ` (and ${violations.length - told.length} more)` : "";
  return `The request is not as ${nameOf(operation)} wants it: ${
    told.map(({ message }) => message).join(" ")
  }${others}`;
}

/**
 * The error of an invalid request. As with Prism, missing credentials come first, then the media type, then all others;
 * a body that is too large comes before its media type.
 */
function errorStatusOf(violations: readonly RequestViolation[], challenge = ""): ErrorStatus | undefined {
  const codes = new Set(violations.flatMap(({ severity, code }) => severity === "Error" ? [code] : []));
  if (codes.size === 0) return undefined;
  if (codes.has("security")) return { status: 401, codes: [401], challenge };
  if (codes.has("too-large")) return { status: 413, codes: [413] };
  if (codes.has("unsupported-media-type")) return { status: 415, codes: [415, 422, 400] };
  // A request that can't be read gets 400, a request that can be read and is invalid gets 422 (RFC 9110, section
  // 15.5.21).
  if (codes.has("malformed") || codes.has("encoding")) return { status: 400, codes: [400, 422] };
  return { status: 422, codes: [422, 400] };
}
