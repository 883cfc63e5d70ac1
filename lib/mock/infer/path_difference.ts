/**
 * Compares the paths of two collections of one name, such as `/orders` and `/users/{userId}/orders`.
 *
 * @module
 */
import type { Segment } from "./path_shape.ts";
import { scopeOf, type ScopePart } from "./scope.ts";

/** Limit of the resources of one name that a path is compared with. */
export const MOST_COMPARED = 30;

/** How a path differs from the path of a resource's collection. */
export type Difference =
  | { readonly kind: "same" }
  /** The path lacks a parameter of the resource's scope. */
  | { readonly kind: "wider"; readonly index: number }
  /** The path has one more parameter. */
  | { readonly kind: "narrower"; readonly part: ScopePart; readonly index: number };

/**
 * Compares the path of a collection with the path of a resource. `undefined` if they differ in more than one parameter.
 */
export function differenceOf(base: readonly Segment[], other: readonly Segment[]): Difference | undefined {
  const shift = other.length - base.length;
  if (Math.abs(shift) > 2) return undefined;
  const [longer, shorter] = shift >= 0 ? [other, base] : [base, other];
  const size = Math.abs(shift);
  let at = 0;
  // The last segments are the names of the collections. The caller has compared them, regardless of singular and
  // plural.
  const last = shorter.length - 1;
  while (at < last && isEqual(longer[at], shorter[at])) at++;
  for (let index = at; index < last; index++) {
    if (!isEqual(longer[index + size], shorter[index])) return undefined;
  }
  if (size === 0) return { kind: "same" };
  const added = longer.slice(at, at + size);
  const end = added.at(-1);
  if (end === undefined || !("parameter" in end) || (size === 2 && "parameter" in (added[0] ?? end))) {
    return undefined;
  }
  const index = longer.slice(0, at).filter((segment) => "parameter" in segment).length;
  if (shift < 0) return size === 2 ? { kind: "wider", index } : undefined;
  const part = scopeOf(longer.slice(0, at + size)).at(-1);
  return part && { kind: "narrower", part, index };
}

function isEqual(left: Segment | undefined, right: Segment | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  if ("parameter" in left || "parameter" in right) return "parameter" in left && "parameter" in right;
  return left.literal === right.literal;
}
