import { readHints } from "../../../schema/hints.ts";
import { child, entries, isObject, type JsonObject, type Node } from "../../../schema/json/node.ts";
import { follow } from "../../../schema/json/reference.ts";
import type { Binding } from "../../infer/resource.ts";
import { hintsAt } from "../../../observe/record/secret_rules.ts";
import { setOwn } from "../../../schema/json/own_property.ts";
import { plainName } from "../../../names/words.ts";
import { bodySchemaOf } from "../list/query_input.ts";

/** Which fields of an item clients may send, and which only the server sets, all as the item spells them. */
export interface FieldNames {
  /** The properties of the operation's request body; `undefined` if it has none or its schema has no properties. */
  readonly writable: ReadonlySet<string> | undefined;
  /** The defaults of these properties in the schema of the request body, for fields that the client omits. */
  readonly sentDefaults: JsonObject;
  /** Properties of the request body that the item spells otherwise: `FriendlyName` for its `friendly_name`. */
  readonly spellings: ReadonlyMap<string, string>;
  readonly readOnly: ReadonlySet<string>;
  readonly writeOnly: ReadonlySet<string>;
  /** Whether the body of a create may be a list of items. */
  readonly takesList: boolean;
}

/** @param others The names of the fields that only other responses show of an item. */
export function fieldNamesOf(binding: Binding, others: Iterable<string>): FieldNames {
  const { names, defaults } = sentFields(binding);
  const { document, schema } = binding.resource;
  const spellings = spellingsOf(names, new Set([...readHints(document, schema, "response").propertyNames, ...others]));
  return {
    writable: names.size === 0 ? undefined : new Set([...names].map((name) => spellings.get(name) ?? name)),
    sentDefaults: respelled(defaults, spellings),
    spellings,
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

/**
 * The sent names that the item doesn't have, with the one property of the item that consists of the same letters and
 * isn't sent by its own name.
 */
function spellingsOf(sent: ReadonlySet<string>, own: ReadonlySet<string>): Map<string, string> {
  const spellings = new Map<string, string>();
  const foreign = [...sent].filter((name) => !own.has(name));
  if (foreign.length === 0) return spellings;
  const byPlainName = Map.groupBy(own, plainName);
  for (const name of foreign) {
    const [property, ...others] = byPlainName.get(plainName(name)) ?? [];
    if (property !== undefined && others.length === 0 && !sent.has(property)) spellings.set(name, property);
  }
  return spellings;
}

/** An object with its keys as the item spells them. */
export function respelled(value: JsonObject, spellings: ReadonlyMap<string, string>): JsonObject {
  if (spellings.size === 0) return value;
  const respelled = {};
  for (const [name, part] of Object.entries(value)) setOwn(respelled, spellings.get(name) ?? name, part);
  return respelled;
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
