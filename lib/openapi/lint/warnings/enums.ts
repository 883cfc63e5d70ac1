import { equalityKey } from "../../../schema/json/equal.ts";
import { isOfType } from "../../../schema/json/value.ts";
import { child, isObject, items, type Node } from "../../../schema/json/node.ts";
import { isType, type Type } from "../../../schema/schema.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { show } from "../../../schema/wording.ts";
import { warning } from "../report.ts";

/** Finds values of an `enum` that its schema's `type` doesn't allow, and duplicate values. */
export function checkEnum(schema: Node<"Schema">): UnlocatedDiagnostic[] {
  const values = items(child(schema, "enum"));
  return values.length === 0 ? [] : [...checkTypes(schema, values), ...checkTwice(values)];
}

function checkTypes(schema: Node<"Schema">, values: readonly Node[]): UnlocatedDiagnostic[] {
  const types = typesOf(schema.value);
  if (types.length === 0) return [];
  const [first, ...others] = values.filter(({ value }) => !types.some((type) => isOfType(value, type)));
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  const advice = adviceFor(first.value, types, others.length + 1 === values.length);
  const message = `\`enum\` lists ${show(first.value)}${more}; the type is ${types.join(" or ")}. ${advice}`;
  return [warning("bad-enum-value", message, first)];
}

function adviceFor(value: unknown, types: readonly Type[], areAll: boolean): string {
  if (value === null) return "Let `type` allow null, or remove it.";
  if (types.includes("array") && areAll) return "If it is for the array's items, move `enum` into `items`.";
  if (types.includes("string") && typeof value !== "object") return "Put it in quotes.";
  const isQuoted = typeof value === "string" && types.some((type) => isOfType(unquoted(value), type));
  return isQuoted ? "Remove its quotes." : "No value is equal to it.";
}

function unquoted(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() === "" ? text : Number(text);
}

/**
 * The types that a schema allows, including null where `nullable` adds it. Empty for a schema without a valid `type`.
 */
function typesOf(schema: unknown): Type[] {
  if (!isObject(schema)) return [];
  const { type, nullable } = schema;
  const written = Array.isArray(type) ? type : [type];
  const types = written.filter(isType);
  if (types.length < written.length) return [];
  return nullable === true || schema["x-nullable"] === true ? [...types, "null"] : types;
}

function checkTwice(values: readonly Node[]): UnlocatedDiagnostic[] {
  const seen = new Set<string>();
  const [first, ...others] = values.filter(({ value }) => {
    const text = equalityKey(value);
    if (seen.has(text)) return true;
    seen.add(text);
    return false;
  });
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : `, and ${others.length} more of its values`;
  return [warning("duplicate-enum-value", `\`enum\` lists ${show(first.value)}${more} twice; remove one.`, first)];
}
