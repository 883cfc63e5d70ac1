import { type DefinitionObject, type Document, parseDocument } from "../openapi/document.ts";

/** What mock servers are made of: a definition, several that are mocked together, or one as an object. */
export type Definitions = Document | readonly Document[] | DefinitionObject;

/** Lists the definitions of a mock server. An object is parsed, without loading the files that it refers to. */
export function listDocuments(definitions: Definitions): readonly Document[] | Promise<readonly Document[]> {
  if (isDocument(definitions)) return [definitions];
  if (isList(definitions)) return definitions;
  return parseDocument(definitions).then((document) => [document]);
}

function isDocument(definitions: Definitions): definitions is Document {
  return "sources" in definitions;
}

function isList(definitions: Definitions): definitions is readonly Document[] {
  return Array.isArray(definitions);
}
