import type { JsonObject } from "../../../schema/json/node.ts";
import { sizeOf } from "../store/size_of.ts";

/** An item of a resource in a session. Immutable: a write replaces it by another object. */
export interface Item {
  /** The id as text; empty for a singleton. */
  readonly key: string;
  /** The ids of the parents, from the outermost on. */
  readonly scope: readonly string[];
  readonly value: JsonObject;
  /** The number of the session's write that made this item; 0 for an initial item. */
  readonly revision: number;
  /** The position in creation order: negative for initial items. */
  readonly created: number;
  /** Estimated memory of the item in bytes; see {@linkcode sizeOf}. */
  readonly bytes: number;
}

export interface NewItem {
  readonly key: string;
  readonly scope: readonly string[];
  readonly value: JsonObject;
}

/** Items in creation order. */
export interface ItemList extends Iterable<Item> {
  /** The number of items, known without iteration. */
  readonly size: number;
}

/** The ids of the parents; `undefined` matches any id. */
export type ScopePattern = readonly (string | undefined)[];

/** Estimated memory of an item without its value, in bytes. */
const ITEM_OVERHEAD = 200;

export function createItem({ key, scope, value }: NewItem, revision: number, created: number): Item {
  return { key, scope, value, revision, created, bytes: ITEM_OVERHEAD + 2 * key.length + sizeOf(value) };
}

/** A scope as a map key. Each value has its length as a prefix; otherwise `["a", "b"]` and `["a1:b"]` could collide. */
export function scopeKey(scope: readonly string[]): string {
  let key = "";
  for (const part of scope) key += `${part.length}:${part}`;
  return key;
}

export function isWhole(pattern: ScopePattern): pattern is readonly string[] {
  return !pattern.includes(undefined);
}

export function scopePrefix(pattern: ScopePattern): readonly string[] {
  const prefix: string[] = [];
  for (const value of pattern) {
    if (value === undefined) break;
    prefix.push(value);
  }
  return prefix;
}

export function fitsScope(scope: readonly string[], pattern: ScopePattern): boolean {
  return scope.length === pattern.length &&
    scope.every((part, index) => pattern[index] === undefined || pattern[index] === part);
}
