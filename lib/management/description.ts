import { type Document, parseDocument } from "../openapi/document.ts";
import { child } from "../schema/node.ts";
import { type Check, createDocumentValidator } from "../schema/document_validator.ts";
import text from "./openapi.yaml" with { type: "text" };

/** The OpenAPI definition of the management API itself, as YAML. */
export const DESCRIPTION: string = text;

/** Names of the schemas in openapi.yaml that describe the content of requests. */
export type ContentSchema = "ApiContent" | "ApiReplacement" | "FleetContent" | "FleetReplacement";

/** The OpenAPI definition of the management API itself, parsed. */
export interface Description {
  readonly document: Document;
  /** Returns the validation of content against a schema of openapi.yaml. */
  readonly contentCheck: (schema: ContentSchema) => Check;
}

/** Parses openapi.yaml. This takes some milliseconds, so it is done at the first change, not when the server starts. */
export async function readDescription(): Promise<Description> {
  const document = await parseDocument(DESCRIPTION, { uri: "openapi.yaml" });
  const validator = await createDocumentValidator(document);
  const schemas = child(child(document.root, "components"), "schemas");
  return { document, contentCheck: (schema) => validator.checkOf(child(schemas, schema), "request") };
}
