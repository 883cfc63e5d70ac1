import type { JsonObject } from "../../schema/node.ts";
import { sizeOf } from "./size_of.ts";

/** An object of a resource, as a session sees it. Immutable: a write puts another item in its place. */
export interface Item {
  /** The id as text; the empty string for the item of a singleton. */
  readonly key: string;
  /** The values of the parents' path parameters. */
  readonly scope: readonly string[];
  readonly value: JsonObject;
  /** Grows with each write of the session, also over deleted items; 0 for an initial item that wasn't written. */
  readonly revision: number;
  /** The place in the order of creation: lower for older items, negative for initial ones. */
  readonly created: number;
  /** The memory that the item takes, in bytes, as estimated by {@linkcode sizeOf}. */
  readonly bytes: number;
}

/** An item that is to be written. */
export interface NewItem {
  readonly key: string;
  readonly scope: readonly string[];
  readonly value: JsonObject;
}

/** Items in the order of creation. */
export interface ItemList extends Iterable<Item> {
  /** The number of items; counted without a pass over the items. */
  readonly size: number;
}

/** The values of a scope's parameters; `undefined` for a parameter that any value fits. */
export type ScopePattern = readonly (string | undefined)[];

/** The memory in bytes that an item takes beside its value. */
const ITEM_OVERHEAD = 200;

/** Makes an item. */
export function createItem({ key, scope, value }: NewItem, revision: number, created: number): Item {
  return { key, scope, value, revision, created, bytes: ITEM_OVERHEAD + 2 * key.length + sizeOf(value) };
}

/** One text for a scope. Lengths keep `["a", "b"]` and `["a1:b"]` apart. */
export function scopeKey(scope: readonly string[]): string {
  let key = "";
  for (const part of scope) key += `${part.length}:${part}`;
  return key;
}

/** Whether a pattern names each value of a scope. */
export function isWhole(pattern: ScopePattern): pattern is readonly string[] {
  return !pattern.includes(undefined);
}

/** The values before the first one that a pattern doesn't name. */
export function prefixOf(pattern: ScopePattern): readonly string[] {
  const prefix: string[] = [];
  for (const value of pattern) {
    if (value === undefined) break;
    prefix.push(value);
  }
  return prefix;
}

/** Whether a scope has the values that a pattern names. */
export function fitsScope(scope: readonly string[], pattern: ScopePattern): boolean {
  return scope.length === pattern.length &&
    scope.every((part, index) => pattern[index] === undefined || pattern[index] === part);
}
