import { type Document, parseDocument } from "../../openapi/document.ts";
import { listOperations } from "../../openapi/operation.ts";
import { child, isObject, type JsonObject, stringOf } from "../../schema/node.ts";
import { follow } from "../../schema/reference.ts";
import { type Check, createDocumentValidator } from "../../schema/document_validator.ts";
import { RULE_SCHEMA } from "../rules/rule_schema.ts";
import text from "./openapi.yaml" with { type: "text" };

export interface Description {
  readonly document: Document;
  /** The validator of an operation's JSON request body. */
  readonly checkOf: (operationId: string) => Check;
}

/**
 * Parses the description, which takes some milliseconds.
 *
 * @param controlPath The base path of the API.
 */
export async function readDescription(controlPath: string): Promise<Description> {
  const written = await parseDocument(text, { uri: "openapi.yaml" });
  const document = await parseDocument(complete(written.root.value, controlPath), { uri: "openapi.json" });
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

/** Adds the schema of rules and the base path of the API to the description. */
function complete(value: unknown, controlPath: string): JsonObject {
  const root = isObject(value) ? value : {};
  const components = isObject(root["components"]) ? root["components"] : {};
  const schemas = isObject(components["schemas"]) ? components["schemas"] : {};
  return {
    ...root,
    servers: [{ url: controlPath.replace(/\/$/, "") || "/" }],
    components: { ...components, schemas: { ...schemas, Rule: RULE_SCHEMA } },
  };
}
