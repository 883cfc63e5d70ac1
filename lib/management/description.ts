import { type Document, parseDocument } from "../openapi/document.ts";
import { child } from "../schema/node.ts";
import { type Check, createSchemaCompiler } from "../schema/schema_compiler.ts";
import text from "./openapi.yaml" with { type: "text" };

/** The description of the management API, as YAML. */
export const DESCRIPTION: string = text;

/** Names of the schemas that the content of requests follows. */
export type ContentSchema = "ApiContent" | "ApiReplacement" | "FleetContent" | "FleetReplacement";

/** The description, read. */
export interface Description {
  readonly document: Document;
  /** The check of content by one of the description's schemas. */
  readonly contentCheck: (schema: ContentSchema) => Check;
}

/** Reads the description; costs some milliseconds, so that it is done when the first change comes. */
export async function readDescription(): Promise<Description> {
  const document = await parseDocument(DESCRIPTION, { uri: "openapi.yaml" });
  const compiler = await createSchemaCompiler(document);
  const schemas = child(child(document.root, "components"), "schemas");
  return { document, contentCheck: (schema) => compiler.compile(child(schemas, schema), "request") };
}
