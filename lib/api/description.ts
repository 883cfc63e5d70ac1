import { type Document, parseDocument } from "../openapi/document.ts";
import { listOperations } from "../openapi/operation.ts";
import { type Check, createDocumentValidator } from "../schema/document_validator.ts";
import { child, stringOf } from "../schema/json/node.ts";
import { follow } from "../schema/json/reference.ts";

/** The OpenAPI description of an API, parsed. */
export interface Description {
  readonly document: Document;
  /** The check of an operation's JSON request body against its schema. */
  readonly checkOf: (operationId: string) => Check;
}

/**
 * Reads the description of an API, which takes some milliseconds.
 *
 * @param source Its text, or the value of it.
 */
export async function readDescription(source: string | Readonly<Record<string, unknown>>): Promise<Description> {
  const document = await parseDocument(source, { uri: "openapi.yaml" });
  const validator = await createDocumentValidator(document);
  const checks = new Map<string, Check>();
  for (const { node } of listOperations(document)) {
    const content = child(follow(document, child(node, "requestBody")), "content");
    const schema = child(child(content, "application/json"), "schema");
    const operationId = stringOf(child(node, "operationId"));
    if (operationId !== undefined && schema.value !== undefined) {
      checks.set(operationId, validator.checkOf(schema, "request"));
    }
  }
  return { document, checkOf: (operationId) => checks.get(operationId) ?? (() => []) };
}
