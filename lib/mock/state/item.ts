import type { JsonObject } from "../../schema/node.ts";
import { sizeOf } from "./size_of.ts";

/** An item of a resource in a session. Immutable: a write replaces it by another item. */
export interface Item {
  /** The id as text; empty for a singleton. */
  readonly key: string;
  /** The values of the parents' path parameters. */
  readonly scope: readonly string[];
  readonly value: JsonObject;
  /**
   * The number of the session's write that made this item; 0 for an initial item. Later writes have greater numbers.
   */
  readonly revision: number;
  /** The position in the order of creation: lower for older items, negative for initial ones. */
  readonly created: number;
  /** Estimated memory of the item in bytes; see {@linkcode sizeOf}. */
  readonly bytes: number;
}

/** An item before it is written. */
export interface NewItem {
  readonly key: string;
  readonly scope: readonly string[];
  readonly value: JsonObject;
}

/** Items in the order of their creation. */
export interface ItemList extends Iterable<Item> {
  /** The number of items, known without iterating over them. */
  readonly size: number;
}

/** The values of a scope's parameters; `undefined` where any value matches. */
export type ScopePattern = readonly (string | undefined)[];

/** Estimated memory in bytes of an item without its value. */
const ITEM_OVERHEAD = 200;

/** Makes an item. */
export function createItem({ key, scope, value }: NewItem, revision: number, created: number): Item {
  return { key, scope, value, revision, created, bytes: ITEM_OVERHEAD + 2 * key.length + sizeOf(value) };
}

/** A scope as one text, unique for each scope: lengths distinguish `["a", "b"]` and `["a1:b"]`. */
export function scopeKey(scope: readonly string[]): string {
  let key = "";
  for (const part of scope) key += `${part.length}:${part}`;
  return key;
}

/** Whether a pattern has a value for each parameter. */
export function isWhole(pattern: ScopePattern): pattern is readonly string[] {
  return !pattern.includes(undefined);
}

/** The values of a pattern before its first `undefined`. */
export function prefixOf(pattern: ScopePattern): readonly string[] {
  const prefix: string[] = [];
  for (const value of pattern) {
    if (value === undefined) break;
    prefix.push(value);
  }
  return prefix;
}

/** Whether a scope matches a pattern. */
export function fitsScope(scope: readonly string[], pattern: ScopePattern): boolean {
  return scope.length === pattern.length &&
    scope.every((part, index) => pattern[index] === undefined || pattern[index] === part);
}
