import { createContracts } from "../../lib/observe/relay/contract.ts";
import type { Operation } from "../../lib/openapi/operation.ts";
import type { Document } from "../../lib/openapi/document.ts";
import { createDocumentValidator } from "../../lib/schema/document_validator.ts";
import { child, entries } from "../../lib/schema/json/node.ts";
import { follow } from "../../lib/schema/json/reference.ts";
import { selectResponse } from "../../lib/mock/answer/select_response.ts";
import { createAjvValidator } from "../../scripts/fidelity/ajv.ts";
import type { RandomRequest } from "./random_request.ts";

/** Validates requests and answers against the definition. */
export interface AnswerValidator {
  isValidRequest(operation: Operation, request: RandomRequest): Promise<boolean>;
  /** Validates a response. Returns its faults as sentences. */
  findFaults(operation: Operation, request: Request, response: Response, bytes: Uint8Array): Promise<string[]>;
}

/** The statuses of problems that gw may answer with, even if the definition doesn't declare them. */
const PROBLEMS = new Set([400, 404, 409, 412, 415, 422, 428]);

/** @param text The definition as JSON, for Ajv. */
export function createAnswerValidator(document: Document, text: string): AnswerValidator {
  const contractOf = createContracts({ security: false }, (of) => createDocumentValidator(of));
  const findErrors = createAjvValidator(JSON.parse(text));
  return {
    async isValidRequest(operation, { request, path, query, pathValues, bytes }) {
      const { requests } = await contractOf(operation);
      const target = { path, query, pathParameters: Object.fromEntries(pathValues) };
      return (await requests?.check(request, target, { bytes }))?.error === undefined;
    },

    async findFaults(operation, request, { status, headers }, bytes) {
      const selected = selectResponse(operation, { code: status });
      if (selected.kind === "none") {
        const isProblem = headers.get("content-type") === "application/problem+json" && PROBLEMS.has(status);
        return isProblem ? [] : [`${status} isn't declared`];
      }
      const { responses } = await contractOf(operation);
      const { violations, checkBody } = await responses.checkHead({ status, headers, request });
      const found = [...violations, ...await checkBody?.(bytes) ?? []].map(({ message }) => message);
      if (selected.kind === "broken") return found;
      const contentType = headers.get("content-type") ?? "";
      if (bytes.length === 0 || !/\bjson\b/.test(contentType)) return found;
      const declared = entries(child(follow(document, selected.node), "content"))
        .find(([name]) => name.toLowerCase() === contentType.toLowerCase())?.[1];
      const schema = declared && child(follow(document, declared), "schema");
      if (schema?.value === undefined) return found;
      const errors = findErrors(JSON.parse(new TextDecoder().decode(bytes)), schema.value);
      return [...found, ...errors.map((error) => `Ajv: ${error}`)];
    },
  };
}
