import { parsePointer } from "../schema/pointer.ts";
import type { Place } from "../schema/source.ts";

/** Places that are asked for, as a tree: each node has those of one value, by their index. */
export interface Wanted {
  places: number[];
  children: Map<string, Wanted>;
}

/** Makes the tree of some places. */
export function wantedTree(places: readonly Place[]): Wanted {
  const root: Wanted = { places: [], children: new Map() };
  places.forEach(({ pointer }, index) => {
    let node = root;
    for (const token of parsePointer(pointer)) {
      const child: Wanted = node.children.get(token) ?? { places: [], children: new Map() };
      node.children.set(token, child);
      node = child;
    }
    node.places.push(index);
  });
  return root;
}

/**
 * Gives all places of a subtree the offset of its root; what is found of them later replaces that.
 *
 * @param start Offset of the value.
 * @param keyOffset Offset of the key that it stands under.
 * @param offsets Takes the offset of each place.
 */
export function settle(
  wanted: Wanted,
  start: number,
  keyOffset: number,
  places: readonly Place[],
  offsets: number[],
): void {
  for (const place of wanted.places) offsets[place] = places[place]?.atKey === true ? keyOffset : start;
  for (const child of wanted.children.values()) settle(child, start, start, places, offsets);
}
