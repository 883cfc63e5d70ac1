import { escapeToken } from "./pointer.ts";
import type { Source } from "./source.ts";

/** A value of a definition, and where it stands: `value` is `undefined` where there is nothing. */
export interface Node {
  /** The value, or `undefined`. */
  readonly value: unknown;
  /** The text that it stands in. */
  readonly source: Source;
  /** JSON Pointer (RFC 6901) of the value in its source. */
  readonly pointer: string;
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
export function child(node: Node, key: string | number): Node {
  const parent = node.value;
  const has = typeof parent === "object" && parent !== null && Object.hasOwn(parent, key);
  return {
    value: has ? (parent as JsonObject)[key] : undefined,
    source: node.source,
    pointer: `${node.pointer}/${escapeToken(key)}`,
  };
}

/** The nodes under each key of an object, in the order of the text; none for anything else. */
export function entries(node: Node): [string, Node][] {
  return isObject(node.value) ? Object.keys(node.value).map((key) => [key, child(node, key)]) : [];
}

/** The nodes of an array's items; none for anything else. */
export function items(node: Node): Node[] {
  return Array.isArray(node.value) ? node.value.map((_, index) => child(node, index)) : [];
}

/** The value as a string, if it is one. */
export function stringOf(node: Node): string | undefined {
  return typeof node.value === "string" ? node.value : undefined;
}
