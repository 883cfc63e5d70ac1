/**
 * Converts between JSON Pointers, offsets in a text, and lines with columns. This takes a pass over the text, so it is
 * done only to report something.
 *
 * @module
 */
import { parsePointer } from "../../schema/json/pointer.ts";
import type { Place } from "../../schema/json/source.ts";

/** A line and a column in a text, both counted from 1. Columns count UTF-16 code units. */
export interface Position {
  line: number;
  column: number;
}

/** Makes a function that converts offsets in one text to lines and columns. */
export function createLineIndex(text: string): (offset: number) => Position {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const line = lastStart(starts, offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

/**
 * Finds the last of some ascending offsets that isn't greater than a given offset, by binary search.
 *
 * @returns Its index; 0 where all are greater.
 */
export function lastStart(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Converts a line and a column to an offset: the inverse of {@linkcode createLineIndex}. */
export function offsetOf(text: string, { line, column }: Position): number {
  let start = 0;
  for (let number = 1; number < line; number++) {
    const end = text.indexOf("\n", start);
    if (end === -1) break;
    start = end + 1;
  }
  return start + column - 1;
}

/** A tree of JSON Pointers: one pass over a text finds the offsets of all of them. */
export interface PointerTree {
  /** Indexes of the places at this node in the list that was passed to `pointerTree`. */
  readonly places: number[];
  readonly children: Map<string, PointerTree>;
}

export function pointerTree(places: readonly Place[]): PointerTree {
  const root: PointerTree = { places: [], children: new Map() };
  places.forEach(({ pointer }, index) => {
    let node = root;
    for (const token of parsePointer(pointer)) {
      const child: PointerTree = node.children.get(token) ?? { places: [], children: new Map() };
      node.children.set(token, child);
      node = child;
    }
    node.places.push(index);
  });
  return root;
}

/** The places whose offsets are wanted in a text, and the offsets found so far. */
export interface Offsets {
  readonly text: string;
  readonly places: readonly Place[];
  readonly offsets: number[];
}

/**
 * Gives all places in a {@linkcode PointerTree} the offset of its root. A place that is found later gets an offset of
 * its own. A place that the text doesn't have keeps the offset of its nearest enclosing value.
 *
 * @param start Offset of the root's value.
 * @param keyStart Offset of the key of that value.
 */
export function setOffsets(found: Offsets, tree: PointerTree, start: number, keyStart: number): void {
  for (const place of tree.places) {
    found.offsets[place] = found.places[place]?.atKey === true ? keyStart : start;
  }
  for (const child of tree.children.values()) setOffsets(found, child, start, start);
}
