/**
 * Finds places in a text that is known to be JSON, which takes a fraction of what parsing it as YAML does.
 *
 * @module
 */
import { escapeToken } from "../schema/pointer.ts";
import type { Place } from "../schema/source.ts";
import { settle, type Wanted, wantedTree } from "./wanted.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Finds places in a JSON text.
 *
 * @returns The offset of each place; that of its nearest parent where the text has no such place.
 */
export function locateInJson(text: string, places: readonly Place[]): number[] {
  const offsets = places.map(() => 0);
  const start = skipSpace(text, 0);
  visit(start, startOf(start), wantedTree(places));
  return offsets;

  /** Settles what is wanted of the value at `at`, and gives the offset after it. */
  function visit(at: number, keyOffset: number, wanted: Wanted): number {
    settle(wanted, startOf(at), keyOffset, places, offsets);
    if (wanted.children.size === 0) return skipValue(text, at);
    switch (text.charCodeAt(at)) {
      case OPEN_BRACE:
        return visitMembers(at, wanted);
      case OPEN_BRACKET:
        return visitItems(at, wanted);
      default:
        return skipValue(text, at);
    }
  }

  function visitMembers(open: number, wanted: Wanted): number {
    let at = skipSpace(text, open + 1);
    while (text.charCodeAt(at) === QUOTE) {
      const key = at;
      at = endOfString(text, at);
      const child = wanted.children.get(keyOf(text.slice(key, at)));
      const value = skipSpace(text, skipSpace(text, at) + 1);
      at = afterComma(child === undefined ? skipValue(text, value) : visit(value, startOf(key), child));
    }
    return at + 1;
  }

  function visitItems(open: number, wanted: Wanted): number {
    let at = skipSpace(text, open + 1);
    for (let index = 0; text.charCodeAt(at) !== CLOSE_BRACKET; index++) {
      const child = wanted.children.get(String(index));
      at = afterComma(child === undefined ? skipValue(text, at) : visit(at, startOf(at), child));
    }
    return at + 1;
  }

  /** Where a person looks for a value: that of a string is between its quotes. */
  function startOf(at: number): number {
    return text.charCodeAt(at) === QUOTE ? at + 1 : at;
  }

  function afterComma(end: number): number {
    const at = skipSpace(text, end);
    return text.charCodeAt(at) === COMMA ? skipSpace(text, at + 1) : at;
  }
}

/** The place of a JSON text that an offset is in, or before: where {@linkcode locateInJson} finds that place. */
export function placeInJson(text: string, offset: number): Place {
  return placeInValue(skipSpace(text, 0), "");

  /** Looks in the value at `at`, which doesn't end before the offset. */
  function placeInValue(at: number, pointer: string): Place {
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
      if (offset < end) return placeInValue(child, `${pointer}/${escapeToken(token)}`);
      const comma = skipSpace(text, end);
      child = text.charCodeAt(comma) === COMMA ? skipSpace(text, comma + 1) : comma;
    }
    return { pointer };
  }
}

/** Counts the members of all objects of a JSON text, those that a parser drops as another of the same name follows too. */
export function countMembers(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === COLON) count++;
  }
  return count;
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
        // The end of a number, of `true`, `false` or `null`.
        if (depth === 0) return at;
    }
  }
  return text.length;
}

/** The offset after the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
}
