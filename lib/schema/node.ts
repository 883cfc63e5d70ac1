import type { Content, ContentOf, FieldOf, ItemOf } from "./kinds.ts";
import { escapeToken } from "./pointer.ts";
import type { Source } from "./source.ts";

/** Key of a property that exists only in types. */
declare const KIND: unique symbol;

/**
 * A value of a definition, and its place: `value` is `undefined` where the definition has nothing at that place.
 *
 * `Node<"Operation">` is the place of an Operation Object. TypeScript then checks its keys and infers the kinds of the
 * nodes under them. Its value is `unknown` all the same, as a definition may have anything there. A plain `Node` is of
 * any kind.
 */
export interface Node<Kind extends Content = Content> {
  /** The value, or `undefined`. */
  readonly value: unknown;
  /** The text that contains the value. */
  readonly source: Source;
  /** JSON Pointer (RFC 6901) of the value in its source. */
  readonly pointer: string;
  /**
   * Only for the compiler, to distinguish the kinds: no node has this property.
   *
   * @internal
   */
  readonly [KIND]?: Kind;
}

/** An object of a definition; its keys are own properties, so ask with `Object.hasOwn` or {@linkcode child}. */
export type JsonObject = Record<string, unknown>;

/** Tells an object from arrays, `null` and scalars. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The node of a whole source. */
export function rootOf(source: Source): Node {
  return { value: source.value, source, pointer: "" };
}

/** The node under a key or an index; its value is `undefined` where the parent has no such own property. */
export function child<Kind extends Content, Key extends FieldOf<Kind>>(
  node: Node<Kind>,
  key: Key,
): Node<ContentOf<Kind, Key>> {
  const parent = node.value;
  const has = typeof parent === "object" && parent !== null && Object.hasOwn(parent, key);
  return nodeUnder(node, has ? (parent as JsonObject)[String(key)] : undefined, key);
}

/** The nodes under each key of an object, in the order of the text; none for anything else. */
export function entries<Kind extends Content>(node: Node<Kind>): [string, Node<ItemOf<Kind>>][] {
  const { value } = node;
  return isObject(value) ? Object.keys(value).map((key) => [key, nodeUnder(node, value[key], key)]) : [];
}

/** The nodes of an array's items; none for anything else. */
export function items<Kind extends Content>(node: Node<Kind>): Node<ItemOf<Kind>>[] {
  return Array.isArray(node.value) ? node.value.map((item, index) => nodeUnder(node, item, index)) : [];
}

/** The value as a string, if it is one. */
export function stringOf(node: Node): string | undefined {
  return typeof node.value === "string" ? node.value : undefined;
}

function nodeUnder({ source, pointer }: Node, value: unknown, key: string | number): Node<never> {
  return { value, source, pointer: `${pointer}/${escapeToken(key)}` };
}
