import { type DefinitionObject, type Document, parseDocument } from "../openapi/document.ts";
import { isObject } from "../schema/json/node.ts";
import { show } from "../schema/wording.ts";

/** What mock servers are made of: a definition, several that are mocked together, or one as an object. */
export type Definitions = Document | readonly Document[] | DefinitionObject;

/**
 * Lists the definitions of a mock server. An object is parsed, without loading the files that it refers to.
 *
 * @returns The documents; for an object, a promise, which rejects if the object can't be read.
 * @throws {TypeError} If a definition isn't of its type, as in a program that no compiler checks.
 */
export function listDocuments(definitions: Definitions): readonly Document[] | Promise<readonly Document[]> {
  if (isList(definitions)) {
    const wrong = definitions.findIndex((definition) => !isDocument(definition));
    if (wrong === -1) return definitions;
    throw new TypeError(
      `The definitions of a list must be documents of parseDocument(), not ${show(definitions[wrong])}.`,
    );
  }
  if (isDocument(definitions)) return [definitions];
  if (isObject(definitions)) return parseObject(definitions).then((document) => [document]);
  throw new TypeError(`The definition must be an object or a document of parseDocument(), not ${show(definitions)}.`);
}

/** @throws {TypeError} If the object can't be read: it refers to itself, or is nested too deep. */
async function parseObject(definition: DefinitionObject): Promise<Document> {
  const document = await parseDocument(definition);
  if (!isObject(document.root.value)) throw new TypeError(document.diagnostics[0]?.message);
  return document;
}

function isDocument(definitions: Definitions): definitions is Document {
  return isObject(definitions) && "sources" in definitions;
}

function isList(definitions: Definitions): definitions is readonly Document[] {
  return Array.isArray(definitions);
}
