/**
 * Finds the fields of items whose values are unique, as far as descriptions say so.
 *
 * @module
 */
import { phraseOf } from "../../../names/words.ts";
import { type Hints, readHints } from "../../../schema/hints.ts";
import { child, isObject, type Node, stringOf } from "../../../schema/json/node.ts";
import type { Binding } from "../../infer/resource.ts";
import { selectResponse } from "../../answer/select_response.ts";
import { bodySchemaOf } from "../list/query_input.ts";

/** Limit of the characters of a description that are searched. */
const MOST_DESCRIPTION = 2_000;

const UNIQUE = /\bunique(?:ly)?\b/i;
const NOT_UNIQUE = /\b(?:not|non|isn't|aren't|needn't)[\s-]+(?:(?:be|have|necessarily|guaranteed|to)\s+)*unique\b/i;
const TAKEN = /\b(?:exists?|taken|duplicate|in use|used|unique|conflicts?)\b/i;

/** Names of properties by which a client may know an item whose collection has no create by POST, in this order. */
const KEYS = ["key", "slug", "name"];

/**
 * The fields whose values are unique: their description, that of the operation, or that of its response 409 says so.
 */
export function uniqueFieldsOf({ operation, resource, requestEnvelope }: Binding): readonly string[] {
  if (requestEnvelope === undefined) return [];
  const item = readHints(resource.document, resource.schema, "response");
  const schema = bodySchemaOf(operation);
  const body = schema === undefined
    ? undefined
    : requestEnvelope.reduce((at, key) => at.property(key), readHints(operation.document, schema, "request"));
  const told = descriptionOf(operation.node);
  const conflict = selectResponse(operation, { code: 409 });
  const refused = conflict.kind === "response" && conflict.status === 409 ? descriptionOf(conflict.node) : "";
  return [...item.propertyNames].filter((name) => {
    const isSent = body === undefined || [body, body.item(0)].some(({ propertyNames }) => propertyNames.has(name));
    if (name === resource.id[0] || !isSent) return false;
    const hints = item.property(name);
    if (!hints.types.has("string") && !hints.types.has("integer")) return false;
    return [hints, body?.property(name)].some(saysUnique) || isNamedIn(told, name, UNIQUE) ||
      isNamedIn(refused, name, TAKEN);
  });
}

/** What a create does if an item has the same values of some fields already. */
export interface ExistingRule {
  readonly fields: readonly string[];
  readonly outcome: "returned" | "updated";
}

/** Matches `If a flow with the same name already exists, the existing flow is returned`. */
const SAME = /\bsame\b([^.;]{1,200}?)\b(?:already )?exists?\b([^.;]{1,200})/i;
const OUTCOME = /\b(?:is|are|be|gets?)\b[^.;]{0,40}?\b(returned|updated|replaced|overwritten)\b/i;

/**
 * What the description of a create says about an item with the same values; `undefined` if it says nothing, or that the
 * request is refused.
 */
export function existingRuleOf({ operation, resource, kind }: Binding): ExistingRule | undefined {
  const [, named = "", rest = ""] = kind === "create" ? SAME.exec(descriptionOf(operation.node)) ?? [] : [];
  const [, verb] = OUTCOME.exec(rest) ?? [];
  if (verb === undefined) return undefined;
  let phrase = ` ${phraseOf(named)} `;
  const { propertyNames } = readHints(resource.document, resource.schema, "response");
  // The longest names first: `flow_id` isn't `id`.
  const byLength = [...propertyNames].map((name) => ({ name, words: ` ${phraseOf(name)} ` }))
    .sort((a, b) => b.words.length - a.words.length);
  const fields = byLength.flatMap(({ name, words }) => {
    if (!phrase.includes(words)) return [];
    phrase = phrase.replace(words, " , ");
    return [name];
  });
  return fields.length === 0
    ? undefined
    : { fields, outcome: verb.toLowerCase() === "returned" ? "returned" : "updated" };
}

/** The fields by which a PUT of a collection finds the item, if the body has no id. */
export function upsertFieldsOf(binding: Binding, unique: readonly string[]): readonly string[] {
  const { resource, kind, idParameter } = binding;
  if ((kind !== "replace" && kind !== "update") || idParameter !== undefined || resource.isSingleton) return [];
  if (unique.length > 0) return unique;
  if (resource.bindings.some(({ kind }) => kind === "create")) return [];
  const { propertyNames } = readHints(resource.document, resource.schema, "response");
  const candidates = KEYS.filter((name) => propertyNames.has(name));
  return candidates.slice(0, 1);
}

function saysUnique(hints: Hints | undefined): boolean {
  return hints?.schemas.some(({ node }) => {
    const description = descriptionOf(node);
    return UNIQUE.test(description) && !NOT_UNIQUE.test(description);
  }) === true;
}

/** Whether a sentence of a text has a word that `said` matches, and the name of a field. */
function isNamedIn(text: string, name: string, said: RegExp): boolean {
  const phrase = phraseOf(name);
  return text.split(/[.;\n]/).some((sentence) =>
    said.test(sentence) && !NOT_UNIQUE.test(sentence) && ` ${phraseOf(sentence)} `.includes(` ${phrase} `)
  );
}

function descriptionOf(node: Node): string {
  if (!isObject(node.value)) return "";
  const texts = [stringOf(child(node, "summary")), stringOf(child(node, "description"))];
  return texts.filter((text) => text !== undefined).join(".\n").slice(0, MOST_DESCRIPTION);
}
