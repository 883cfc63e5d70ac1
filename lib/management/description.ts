import { type Document, parseDocument } from "../openapi/document.ts";
import { child } from "../schema/node.ts";
import { type Check, createDocumentValidator } from "../schema/document_validator.ts";
import text from "./openapi.yaml" with { type: "text" };

/** The description of the management API, as YAML. */
export const DESCRIPTION: string = text;

/** Names of the schemas that the content of requests follows. */
export type ContentSchema = "ApiContent" | "ApiReplacement" | "FleetContent" | "FleetReplacement";

/** The description, parsed. */
export interface Description {
  readonly document: Document;
  /** The validation of content against a schema of the description. */
  readonly contentCheck: (schema: ContentSchema) => Check;
}

/**
 * Parses the description. This costs some milliseconds, so the server does it at the first change, not at its start.
 */
export async function readDescription(): Promise<Description> {
  const document = await parseDocument(DESCRIPTION, { uri: "openapi.yaml" });
  const validator = await createDocumentValidator(document);
  const schemas = child(child(document.root, "components"), "schemas");
  return { document, contentCheck: (schema) => validator.checkOf(child(schemas, schema), "request") };
}
