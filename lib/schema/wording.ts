/**
 * Formats values and names from definitions for messages.
 *
 * @module
 */
import { isObject } from "./json/node.ts";
import { writeJson } from "./json/json.ts";

/** Limit of the characters of a value or a name in a message. */
const MOST_SHOWN = 80;

export function show(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (isObject(value)) return "an object";
  return shorten(writeJson(value) ?? "nothing");
}

/** Puts backticks around a name. */
export function quote(name: string): string {
  return `\`${shorten(name)}\``;
}

/** Lists names: `` `a`, `b` or `c` ``. */
export function list(names: Iterable<string>, conjunction?: "and" | "or"): string {
  const quoted = [...new Set(names)].map(quote);
  const last = conjunction === undefined ? undefined : quoted.pop();
  if (last === undefined) return quoted.join(", ");
  return quoted.length === 0 ? last : `${quoted.join(", ")} ${conjunction} ${last}`;
}

function shorten(text: string): string {
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN - 1)}…`;
}
