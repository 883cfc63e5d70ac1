import type { Document } from "../../openapi/document.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { createResponseValidator, type ResponseValidator } from "../validation/response_validator.ts";
import {
  createRequestValidator,
  type RequestValidator,
  type RequestValidatorOptions,
} from "../validation/validate_request.ts";

/** The checks of an operation's requests and responses. */
export interface Contract {
  /** Absent when every request is valid. */
  readonly requests: RequestValidator | undefined;
  readonly responses: ResponseValidator;
}

/** Finds the contract of an operation; it is made at the operation's first request. */
export type ContractOf = (operation: Operation) => Contract | Promise<Contract>;

/**
 * Makes the function that finds contracts.
 *
 * @param validatorOf Makes the validator for the schemas of a document.
 */
export function createContracts(
  options: RequestValidatorOptions,
  validatorOf: (document: Document) => Promise<DocumentValidator>,
): ContractOf {
  const contracts = new Map<Operation, Contract | Promise<Contract>>();
  return (operation) => {
    const known = contracts.get(operation);
    if (known !== undefined) return known;
    const making = make(operation).catch(failing);
    contracts.set(operation, making);
    return making;
  };

  async function make(operation: Operation): Promise<Contract> {
    const validator = await validatorOf(operation.document);
    const contract: Contract = {
      requests: createRequestValidator(operation, validator, options),
      responses: createResponseValidator(operation, validator),
    };
    contracts.set(operation, contract);
    return contract;
  }
}

/**
 * The contract of an operation whose validators couldn't be made. Each of its checks throws the error, so that
 * exchanges go on unchecked, and the error becomes a remark.
 */
function failing(error: unknown): Contract {
  const fail = (): never => {
    throw error;
  };
  return { requests: { check: fail, checkHead: fail, readsBody: false }, responses: { checkHead: fail } };
}
