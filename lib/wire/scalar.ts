import { fromJson } from "./json.ts";
import type { SchemaTypes } from "./schema_types.ts";

/** A value as a request writes it: text, or a list or an object of texts; decoded, but without types. */
export type Text = string | readonly Text[] | { readonly [name: string]: Text };

/** Makes an object of texts; a name such as `__proto__` is a name like any other. */
export function textObject(members: Iterable<readonly [string, Text]>): { [name: string]: Text } {
  return Object.fromEntries(members);
}

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
/** What servers take for a number where nothing but a number is allowed. */
const ANY_NUMBER = /^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/**
 * Gives texts the types that a schema wants: `3` is a number where it wants an integer, `true` a boolean. Text that
 * doesn't look like the type wanted stays text, for the schema to refuse.
 */
export function toValue(text: Text, types: SchemaTypes): unknown {
  if (typeof text === "string") return toScalar(text, types);
  if (isList(text)) return text.map((item, index) => toValue(item, types.item(index)));
  const list = toList(text, types);
  if (list !== undefined) return list.map((item, index) => toValue(item, types.item(index)));
  return Object.fromEntries(Object.entries(text).map(([name, value]) => [name, toValue(value, types.property(name))]));
}

function isList(text: Text): text is readonly Text[] {
  return Array.isArray(text);
}

/** The items of a list that was written with indices: `{ 0: a, 1: b }`, where the schema wants an array. */
function toList(text: { readonly [name: string]: Text }, { allowed }: SchemaTypes): Text[] | undefined {
  if (!allowed.has("array") || allowed.has("object")) return undefined;
  const members = Object.entries(text);
  if (members.length === 0 || !members.every(([name]) => /^[0-9]+$/.test(name))) return undefined;
  return members.map(([, value]) => value);
}

/** Gives a text one of the types that a schema allows: see {@linkcode toValue}. */
export function toScalar(text: string, { allowed }: Pick<SchemaTypes, "allowed">): unknown {
  if (allowed.has("integer") || allowed.has("number")) {
    const pattern = allowed.has("string") ? JSON_NUMBER : ANY_NUMBER;
    const number = pattern.test(text) ? Number(text) : NaN;
    if (Number.isFinite(number)) return number;
  }
  if (allowed.has("boolean") && (text === "true" || text === "false")) return text === "true";
  if (allowed.has("null") && (text === "null" || text === "" && !allowed.has("string"))) return null;
  return toCompound(text, allowed) ?? text;
}

/** No style says how objects are written within objects; most clients write JSON there. */
function toCompound(text: string, allowed: SchemaTypes["allowed"]): unknown {
  const mayBe = allowed.has("object") && text.startsWith("{") || allowed.has("array") && text.startsWith("[");
  const read = mayBe ? fromJson(text) : undefined;
  return read?.kind === "value" ? read.value : undefined;
}
