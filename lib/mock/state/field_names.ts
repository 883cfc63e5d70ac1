import { readHints } from "../../schema/hints.ts";
import { child, entries, isObject, type JsonObject, type Node } from "../../schema/node.ts";
import { follow } from "../../schema/reference.ts";
import type { Binding } from "../infer/resource.ts";
import { hintsAt } from "../../observe/record/secret_rules.ts";
import { setOwn } from "../../schema/own_property.ts";
import { bodySchemaOf } from "./query_input.ts";

/** Which fields of an item clients may send, and which only the server sets. */
export interface FieldNames {
  /** The properties of the operation's request body; `undefined` if it has none or its schema has no properties. */
  readonly writable: ReadonlySet<string> | undefined;
  /** The defaults of these properties in the schema of the request body, for fields that the client omits. */
  readonly sentDefaults: JsonObject;
  readonly readOnly: ReadonlySet<string>;
  readonly writeOnly: ReadonlySet<string>;
  /** Whether the body of a create may be a list of items. */
  readonly takesList: boolean;
}

export function fieldNamesOf(binding: Binding): FieldNames {
  const { names, defaults } = sentFields(binding);
  return {
    writable: names.size === 0 ? undefined : names,
    sentDefaults: defaults,
    readOnly: namesWith("readOnly", binding),
    writeOnly: namesWith("writeOnly", binding),
    takesList: takesListOf(binding),
  };
}

/** The properties of the operation's request body that aren't `readOnly`, and their defaults. */
function sentFields({ operation, requestEnvelope }: Binding): { names: Set<string>; defaults: JsonObject } {
  const names = new Set<string>();
  const defaults: JsonObject = {};
  if (requestEnvelope === undefined) return { names, defaults };
  const { document, node } = operation;
  const contents = entries(child(follow(document, child(node, "requestBody")), "content"));
  for (const [, written] of contents) {
    const schema = child(follow(document, written), "schema");
    if (schema.value === undefined) continue;
    const hints = requestEnvelope.reduce((at, key) => at.property(key), readHints(document, schema, "request"));
    for (const name of hints.propertyNames) {
      const { schemas } = hints.property(name);
      if (hasKeyword("readOnly", schemas)) continue;
      names.add(name);
      const initial = schemas.find((schema) => schema.default !== undefined)?.default;
      if (initial !== undefined) setOwn(defaults, name, initial.value);
    }
  }
  return { names, defaults };
}

function namesWith(keyword: "readOnly" | "writeOnly", { resource }: Binding): ReadonlySet<string> {
  const hints = readHints(resource.document, resource.schema, "response");
  return new Set([...hints.propertyNames].filter((name) => hasKeyword(keyword, hints.property(name).schemas)));
}

function hasKeyword(keyword: string, schemas: readonly { readonly node: Node }[]): boolean {
  return schemas.some(({ node }) => isObject(node.value) && node.value[keyword] === true);
}

function takesListOf({ operation, kind, requestEnvelope }: Binding): boolean {
  const schema = kind === "create" ? bodySchemaOf(operation) : undefined;
  if (schema === undefined || requestEnvelope === undefined) return false;
  const { types, schemas } = hintsAt(readHints(operation.document, schema, "request"), requestEnvelope);
  return schemas.length > 0 && types.has("array");
}
