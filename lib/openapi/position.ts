/**
 * The place of a value in the text of a definition: the offsets of JSON Pointers, and the lines and columns of offsets.
 * Looked up only when there is something to report, since it costs another pass over the text.
 *
 * @module
 */
import { parsePointer } from "../schema/pointer.ts";
import type { Place } from "../schema/source.ts";

/** A line and a column of a text, both from 1; columns count UTF-16 code units. */
export interface Position {
  line: number;
  column: number;
}

/** Turns offsets into lines and columns; made once for a text. */
export function createLineIndex(text: string): (offset: number) => Position {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const line = lastStart(starts, offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

/**
 * Finds the last of some ascending offsets that isn't behind an offset, by binary search.
 *
 * @returns Its index; 0 where all are behind.
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

/** The offset of a line and a column in a text: the inverse of {@linkcode createLineIndex}. */
export function offsetOf(text: string, { line, column }: Position): number {
  let start = 0;
  for (let number = 1; number < line; number++) {
    const end = text.indexOf("\n", start);
    if (end === -1) break;
    start = end + 1;
  }
  return start + column - 1;
}

/** Pointers as a tree, so that one pass over a text finds all of them: a node for each value on the way to a place. */
export interface PointerTree {
  /** Indexes of the places at this value, in the list that the tree was made from. */
  readonly places: number[];
  readonly children: Map<string, PointerTree>;
}

/** The tree of the pointers of some places. */
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

/** The places that are looked for in a text, and the offsets that were found so far. */
export interface Offsets {
  readonly text: string;
  readonly places: readonly Place[];
  readonly offsets: number[];
}

/**
 * Sets the offsets of all places in a subtree to that of its root. The offsets of places that are found later replace
 * these; a place that isn't found keeps the offset of its nearest parent.
 *
 * @param start Offset of the value.
 * @param keyStart Offset of the key before it.
 */
export function setOffsets(found: Offsets, tree: PointerTree, start: number, keyStart: number): void {
  for (const place of tree.places) {
    found.offsets[place] = found.places[place]?.atKey === true ? keyStart : start;
  }
  for (const child of tree.children.values()) setOffsets(found, child, start, start);
}
