import type { Problem } from "../../http/problem.ts";
import { reasonPhrase } from "../../http/reason_phrase.ts";
import { nameOf, type Operation } from "../../openapi/operation.ts";
import { listParameters } from "../../openapi/parameter.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { createBodyCheck } from "./body.ts";
import { formatsOfForm, formatsOfQuery, type FormFormats, type QueryFormats } from "../../wire/value_format.ts";
import { createParameterCheck } from "./parameter.ts";
import { type RequestTarget, splitRequest } from "../../wire/parameter_reader.ts";
import type { BodyLimits } from "../../http/limits/body_limits.ts";
import type { BodyHolder, KnownBody } from "../../http/body.ts";
import { createSecurityCheck } from "./security.ts";
import { createUndeclaredQueryCheck } from "./undeclared_query.ts";
import type { RequestViolation } from "./violation.ts";

export type { ArrayFormat, FormFormats, ObjectFormat, QueryFormats } from "../../wire/value_format.ts";
export type { RequestTarget } from "../../wire/parameter_reader.ts";
export type { BodyHolder, KnownBody } from "../../http/body.ts";
export type { RequestViolation } from "./violation.ts";

/** How requests are checked. */
export interface RequestValidatorOptions extends QueryFormats, FormFormats {
  /** Whether requests must have the credentials that `security` asks for. Default: `true`. */
  security?: boolean | undefined;
  /** The largest body that is read, in bytes. Default: 10 MiB. */
  maxBody?: number;
  /**
   * What the bodies of all requests may take together. If a body would exceed it, the check rejects with an
   * `UnreadBodyError`. Default: no limit.
   */
  bodies?: BodyLimits | undefined;
  /**
   * Query parameters for the server itself, such as `__code`. They are checked only if the operation declares a
   * parameter of that name. Default: none.
   */
  ownQueries?: ReadonlySet<string>;
  /**
   * What becomes of query parameters that the operation doesn't declare. `warn`: a warning, if a declared name is near.
   * `error`: a violation. Default: they are ignored.
   */
  undeclared?: "warn" | "error" | undefined;
}

/** Checks requests to one operation. */
export interface RequestValidator {
  /**
   * Checks a request. Reads its body where the operation describes one, unless `body` has its bytes.
   *
   * @param body The body, as far as the caller has read it. Gets the bytes that the check reads.
   */
  check(
    request: BodyHolder,
    target: RequestTarget,
    body?: KnownBody,
  ): Validation | Promise<Validation>;
  /** Checks everything but the body. */
  checkHead(request: Pick<BodyHolder, "headers">, target: RequestTarget): Validation | Promise<Validation>;
  /** Whether `check` may read the request's body stream. */
  readonly readsBody: boolean;
}

/** The result of checking a request. */
export interface Validation {
  /** Empty if the request is valid. */
  readonly violations: readonly RequestViolation[];
  /** The error to answer the request with; absent if there are no violations, or only warnings. */
  readonly error?: ErrorStatus;
}

/** The status of the error response to an invalid request. */
export interface ErrorStatus {
  /** The status code if the definition declares no response for any of `codes`. */
  readonly status: 400 | 401 | 413 | 415 | 422;
  /**
   * Candidate status codes, the most specific first. The mock server selects the first code for which the definition
   * declares a response with exactly that code. If there is none, {@linkcode status} is used, with the response for its
   * range (`4XX`), the `default` response, or a problem.
   */
  readonly codes: readonly number[];
  /** The header `WWW-Authenticate` of a 401 response. */
  readonly challenge?: string;
}

/** The violations that one check finds; a promise if the check must read the body. */
type Found = readonly RequestViolation[] | Promise<readonly RequestViolation[]>;

/** The most missing credentials that the message of a 401 lists. */
const MOST_LISTED = 10;
const NO_QUERIES: ReadonlySet<string> = new Set();
const VALID: Validation = Object.freeze({ violations: [] });
const DEFAULT_MAX_BODY = 10 * 1024 * 1024;

/**
 * Makes the validator of an operation's requests: of parameters, body and credentials. The checks are prepared here,
 * once, so that a request only runs them.
 *
 * @returns `undefined` if every request is valid.
 */
export function createRequestValidator(
  operation: Operation,
  validator: DocumentValidator,
  options: RequestValidatorOptions = {},
): RequestValidator | undefined {
  const { maxBody = DEFAULT_MAX_BODY, ownQueries = NO_QUERIES, security: isChecked = true, undeclared } = options;
  const siblings = listParameters(operation);
  const formats = formatsOfQuery(options);
  const context = { validator, formats, siblings, ownQueries };
  const checks = siblings.flatMap((parameter) => createParameterCheck(operation, parameter, context) ?? []);
  const checkNames = undeclared &&
    createUndeclaredQueryCheck(operation, siblings, { undeclared, formats, ownQueries });
  if (checkNames !== undefined) checks.push(checkNames);
  const security = isChecked ? createSecurityCheck(operation) : undefined;
  const checkBody = createBodyCheck(operation, validator, maxBody, formatsOfForm(options), options.bodies);
  if (checks.length === 0 && security === undefined && checkBody === undefined) return undefined;
  const locations = new Set([...siblings.map((parameter) => parameter.in), ...security?.locations ?? []]);
  if (checkNames !== undefined) locations.add("query");

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

/** Whether no check is pending and none found a violation. */
function isValid(found: readonly Found[]): boolean {
  for (const violations of found) {
    if (violations instanceof Promise || violations.length > 0) return false;
  }
  return true;
}

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
 * Makes the problem that lists the violations of a request.
 *
 * @param error The error to answer the request with; determines the problem's status.
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

/**
 * A sentence that says why a request is refused. It contains the first violation; for a 401, the missing credentials of
 * each alternative.
 */
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
 * The error for the violations of a request. If there are several kinds, this order decides, as in the mock server
 * Prism: missing credentials, a too large body, an unsupported media type, all others.
 */
function errorStatusOf(violations: readonly RequestViolation[], challenge = ""): ErrorStatus | undefined {
  const codes = new Set(violations.flatMap(({ severity, code }) => severity === "Error" ? [code] : []));
  if (codes.size === 0) return undefined;
  if (codes.has("security")) return { status: 401, codes: [401], challenge };
  if (codes.has("too-large")) return { status: 413, codes: [413] };
  if (codes.has("unsupported-media-type")) return { status: 415, codes: [415, 422, 400] };
  // 400 for syntax, 422 for well-formed requests that violate the definition (RFC 9110, section 15.5.21).
  if (codes.has("malformed") || codes.has("encoding")) return { status: 400, codes: [400, 422] };
  return { status: 422, codes: [422, 400] };
}
