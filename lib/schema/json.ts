import { messageOf } from "../http/message.ts";
import { jsonFault } from "./json_fault.ts";

/** Limit of the nesting of objects and arrays in a JSON text. */
const MOST_DEPTH = 500;

/** The value of a JSON text, or the reason why the text isn't JSON. */
export type ParsedJson =
  | { readonly kind: "value"; readonly value: unknown }
  /** `reason` completes a sentence: `is not JSON: Unexpected end of JSON input`. */
  | { readonly kind: "malformed"; readonly reason: string };

/**
 * Parses JSON text. Text nested deeper than 500 levels counts as malformed.
 *
 * @param where The place of the text in its body, for `reason`: ` in line 3`.
 */
export function parseJson(text: string, where = ""): ParsedJson {
  try {
    const value: unknown = JSON.parse(text);
    if (text.length > 2 * MOST_DEPTH && opensMoreThan(text, MOST_DEPTH) && isDeeper(value, MOST_DEPTH)) {
      return { kind: "malformed", reason: `is nested more than ${MOST_DEPTH} deep${where}` };
    }
    return { kind: "value", value };
  } catch (error) {
    const reason = error instanceof SyntaxError ? jsonFault(text) : messageOf(error);
    return { kind: "malformed", reason: `is not JSON${where}: ${reason}` };
  }
}

/**
 * Whether a text has so many opening brackets that it may be nested too deep. Counting brackets is cheap; only a text
 * with too many needs a walk through its parsed value.
 */
function opensMoreThan(text: string, most: number): boolean {
  let opened = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if ((unit === 0x5b || unit === 0x7b) && ++opened > most) return true;
  }
  return false;
}

function isDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((part) => typeof part === "object" && part !== null ? Object.values(part) : []);
  }
  return false;
}
