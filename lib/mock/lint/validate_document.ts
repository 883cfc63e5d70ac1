import type { Diagnostic } from "../../openapi/diagnostic.ts";
import type { Document } from "../../openapi/document.ts";
import type { ValidationOptions } from "./document_validation.ts";

/**
 * Lists all diagnostics of a definition: of its text, its references, the form of its objects, its paths and
 * operations, the keys and values of `x-svc`; operations that can't be mocked, invalid examples, and unsatisfiable
 * schemas.
 *
 * @param documents The definition, or several: each is checked on its own.
 * @param options Severities of rules.
 * @returns The diagnostics, in the order of the text, text by text. A deployment refuses an `error`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { parseDocument } from "../../openapi/document.ts";
 *
 * const document = await parseDocument(`
 * openapi: 3.1.0
 * info: {title: Pets, version: 1.0.0}
 * paths:
 *   /pets:
 *     get:
 *       operationID: listPets
 *       responses: {"204": {description: None.}}
 * `);
 * const [problem] = await validateDocument(document);
 * assert.equal(problem?.message, "The Operation Object has no field `operationID`. Did you mean `operationId`?");
 * assert.equal(problem?.line, 7);
 * ```
 */
export async function validateDocument(
  documents: Document | readonly Document[],
  options?: ValidationOptions,
): Promise<Diagnostic[]> {
  const { createDocumentValidation } = await import("./document_validation.ts");
  return await createDocumentValidation()(documents, options);
}
