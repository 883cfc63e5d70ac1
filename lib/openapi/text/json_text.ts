/**
 * Finds the offsets of values in a JSON text. This takes a fraction of the time that parsing the text as YAML would
 * take.
 *
 * @module
 */
import { escapeToken } from "../../schema/json/pointer.ts";
import type { Place } from "../../schema/json/source.ts";
import { type Offsets, type PointerTree, pointerTree, setOffsets } from "./position.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Finds the offsets of places in a JSON text.
 *
 * @returns The offset of each place. If the text has no such place, this is the offset of the nearest enclosing value.
 */
export function locateInJson(text: string, places: readonly Place[]): number[] {
  const found: Offsets = { text, places, offsets: places.map(() => 0) };
  const start = skipSpace(text, 0);
  visitValue(found, start, startOf(text, start), pointerTree(places));
  return found.offsets;
}

/** Records the offsets of the wanted places in the value at the offset `at`. Returns the offset after that value. */
function visitValue(found: Offsets, at: number, keyStart: number, tree: PointerTree): number {
  const { text } = found;
  setOffsets(found, tree, startOf(text, at), keyStart);
  if (tree.children.size === 0) return skipValue(text, at);
  switch (text.charCodeAt(at)) {
    case OPEN_BRACE:
      return visitMembers(found, at, tree);
    case OPEN_BRACKET:
      return visitItems(found, at, tree);
    default:
      return skipValue(text, at);
  }
}

function visitMembers(found: Offsets, open: number, tree: PointerTree): number {
  const { text } = found;
  let at = skipSpace(text, open + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const key = at;
    at = endOfString(text, at);
    const child = tree.children.get(keyOf(text.slice(key, at)));
    const value = skipSpace(text, skipSpace(text, at) + 1);
    const end = child === undefined ? skipValue(text, value) : visitValue(found, value, startOf(text, key), child);
    at = afterComma(text, end);
  }
  return at + 1;
}

function visitItems(found: Offsets, open: number, tree: PointerTree): number {
  const { text } = found;
  let at = skipSpace(text, open + 1);
  for (let index = 0; text.charCodeAt(at) !== CLOSE_BRACKET; index++) {
    const child = tree.children.get(String(index));
    const end = child === undefined ? skipValue(text, at) : visitValue(found, at, startOf(text, at), child);
    at = afterComma(text, end);
  }
  return at + 1;
}

/**
 * The inverse of {@linkcode locateInJson}: the innermost key or value at an offset. An offset between two of them
 * belongs to the second.
 */
export function placeInJson(text: string, offset: number): Place {
  return placeInValue(text, offset, skipSpace(text, 0), "");
}

/** Finds the innermost key or value at an offset, inside the value that starts at `at` and ends after the offset. */
function placeInValue(text: string, offset: number, at: number, pointer: string): Place {
  const open = text.charCodeAt(at);
  if (offset <= at || (open !== OPEN_BRACE && open !== OPEN_BRACKET)) return { pointer };
  const close = open === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
  let child = skipSpace(text, at + 1);
  for (let index = 0; text.charCodeAt(child) !== close; index++) {
    let token: string | number = index;
    if (open === OPEN_BRACE) {
      const end = endOfString(text, child);
      token = keyOf(text.slice(child, end));
      if (offset < end) return { pointer: `${pointer}/${escapeToken(token)}`, atKey: true };
      child = skipSpace(text, skipSpace(text, end) + 1);
    }
    const end = skipValue(text, child);
    if (offset < end) return placeInValue(text, offset, child, `${pointer}/${escapeToken(token)}`);
    child = afterComma(text, end);
  }
  return { pointer };
}

/**
 * Counts the members of all objects in a JSON text. Unlike in the parsed value, members with the same name count
 * separately.
 */
export function countMembers(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === COLON) count++;
  }
  return count;
}

/**
 * The offset of a value in diagnostics: for a string the offset after its opening quote, as the YAML parser reports it.
 */
function startOf(text: string, at: number): number {
  return text.charCodeAt(at) === QUOTE ? at + 1 : at;
}

/** The offset of the next item or key after a comma; that of the closing bracket where there is none. */
function afterComma(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text.charCodeAt(at) === COMMA ? skipSpace(text, at + 1) : at;
}

function keyOf(written: string): string {
  return written.includes("\\") ? String(JSON.parse(written)) : written.slice(1, -1);
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

function skipValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at) - 1;
        if (depth === 0) return at + 1;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth <= 1) return depth === 0 ? at : at + 1;
        depth--;
        break;
      case COMMA:
        // A number, `true`, `false` or `null` ends here.
        if (depth === 0) return at;
    }
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
}
