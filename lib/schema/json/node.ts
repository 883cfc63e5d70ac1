import type { Content, ContentOf, FieldOf, ItemOf } from "../kinds.ts";
import { escapeToken } from "./pointer.ts";
import type { Source } from "./source.ts";

/** Key of a property that exists only in types. */
declare const KIND: unique symbol;

/**
 * A value of a definition with its source and JSON Pointer; `value` is `undefined` where the definition has nothing at
 * that place.
 *
 * `Node<"Operation">` is the place of an Operation Object. TypeScript then checks the keys of its fields and infers the
 * kinds of its child nodes. The value is `unknown` nevertheless, as a definition may be invalid there. A plain `Node`
 * is of any kind.
 */
export interface Node<Kind extends Content = Content> {
  /** The value, or `undefined`. */
  readonly value: unknown;
  /** The text that contains the value. */
  readonly source: Source;
  /** JSON Pointer (RFC 6901) of the value in its source. */
  readonly pointer: string;
  /**
   * Only for the compiler, to distinguish kinds of nodes: no node has this property.
   *
   * @internal
   */
  readonly [KIND]?: Kind;
}

/**
 * An object of a definition. Look up its keys with `Object.hasOwn` or {@linkcode child}: an inherited name such as
 * `constructor` isn't a key.
 */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The root node of a source. */
export function rootOf(source: Source): Node {
  return { value: source.value, source, pointer: "" };
}

/** The child node under a key or an index; its value is `undefined` where the parent has no such own property. */
export function child<Kind extends Content, Key extends FieldOf<Kind>>(
  node: Node<Kind>,
  key: Key,
): Node<ContentOf<Kind, Key>> {
  const parent = node.value;
  const has = typeof parent === "object" && parent !== null && Object.hasOwn(parent, key);
  return nodeUnder(node, has ? (parent as JsonObject)[String(key)] : undefined, key);
}

/** The child nodes of an object with their keys, in the order of the definition; empty for other values. */
export function entries<Kind extends Content>(node: Node<Kind>): [string, Node<ItemOf<Kind>>][] {
  const { value } = node;
  return isObject(value) ? Object.keys(value).map((key) => [key, nodeUnder(node, value[key], key)]) : [];
}

/** The child nodes of an array; empty for other values. */
export function items<Kind extends Content>(node: Node<Kind>): Node<ItemOf<Kind>>[] {
  return Array.isArray(node.value) ? node.value.map((item, index) => nodeUnder(node, item, index)) : [];
}

export function stringOf(node: Node): string | undefined {
  return typeof node.value === "string" ? node.value : undefined;
}

function nodeUnder({ source, pointer }: Node, value: unknown, key: string | number): Node<never> {
  return { value, source, pointer: `${pointer}/${escapeToken(key)}` };
}
