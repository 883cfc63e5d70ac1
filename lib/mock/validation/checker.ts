import { loadOncePerKey } from "../../http/load_once.ts";
import type { Document } from "../../openapi/document.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import {
  type BodyHolder,
  createRequestValidator,
  type KnownBody,
  type RequestTarget,
  type RequestValidator,
  type RequestValidatorOptions,
  type Validation,
} from "./validate_request.ts";

/** Validates a request to an operation. `body` is its body, as far as it was read; the check sets the bytes that it reads. */
export type Checker = (
  operation: Operation,
  request: BodyHolder,
  target: RequestTarget,
  body?: KnownBody,
) => Validation | Promise<Validation>;

const VALID: Validation = { violations: [] };

/**
 * Makes a checker. The validator of an operation is created at the operation's first request.
 *
 * @param validatorOf Creates the validator of a document's schemas.
 */
export function createChecker(
  options: RequestValidatorOptions,
  validatorOf: (document: Document) => Promise<DocumentValidator>,
): Checker {
  const load = loadOncePerKey(async (operation: Operation): Promise<RequestValidator | "none"> =>
    createRequestValidator(operation, await validatorOf(operation.document), options) ?? "none"
  );
  return (operation, request, target, body) => {
    const validator = load(operation);
    if (!(validator instanceof Promise)) return check(validator, request, target, body);
    const checked = validator.then((validator) => check(validator, request, target, body));
    // Handle the rejection, which could otherwise end the process as unhandled. The caller gets it, too, when it awaits
    // the promise.
    checked.catch(() => {});
    return checked;
  };

  function check(
    validator: RequestValidator | "none",
    request: BodyHolder,
    target: RequestTarget,
    body: KnownBody | undefined,
  ): Validation | Promise<Validation> {
    return validator === "none" ? VALID : validator.check(request, target, body);
  }
}
