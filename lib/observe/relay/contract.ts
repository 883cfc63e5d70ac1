import { loadOncePerKey } from "../../http/load_once.ts";
import type { Document } from "../../openapi/document.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { createResponseValidator, type ResponseValidator } from "../../mock/validation/response_validator.ts";
import {
  createRequestValidator,
  type RequestValidator,
  type RequestValidatorOptions,
} from "../../mock/validation/validate_request.ts";

/** The validators of an operation's requests and responses. */
export interface Contract {
  /** `undefined` if every request is valid. */
  readonly requests: RequestValidator | undefined;
  readonly responses: ResponseValidator;
}

/** Returns the contract of an operation, which is created at the operation's first request. */
export type ContractOf = (operation: Operation) => Contract | Promise<Contract>;

/**
 * Makes the function that returns the contracts of operations.
 *
 * @param validatorOf Creates the validator of a document's schemas.
 */
export function createContracts(
  options: RequestValidatorOptions,
  validatorOf: (document: Document) => Promise<DocumentValidator>,
): ContractOf {
  const load = loadOncePerKey(async (operation: Operation): Promise<Contract> => {
    const validator = await validatorOf(operation.document);
    return {
      requests: createRequestValidator(operation, validator, options),
      responses: createResponseValidator(operation, validator),
    };
  });
  return (operation) => {
    const contract = load(operation);
    return contract instanceof Promise ? contract.catch(failingContract) : contract;
  };
}

/**
 * The contract of an operation whose validators couldn't be created. Each check throws the error, so that exchanges
 * pass unchecked and the error is logged.
 */
function failingContract(error: unknown): Contract {
  const fail = (): never => {
    throw error;
  };
  return { requests: { check: fail, checkHead: fail, readsBody: false }, responses: { checkHead: fail } };
}
