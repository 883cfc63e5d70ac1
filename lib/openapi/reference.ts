import type { Document } from "./document.ts";
import { isObject, type Node } from "./node.ts";

/** The `$ref` of an object, if it has one. */
export function referenceOf(node: Node): string | undefined {
  const value = node.value;
  return isObject(value) && Object.hasOwn(value, "$ref") && typeof value["$ref"] === "string" ? value["$ref"] : undefined;
}

/**
 * Follows `$ref`, as often as it takes, to the node that it means.
 *
 * @returns The node itself when it is no reference; a node whose value is `undefined` when the reference leads nowhere
 * or round in a circle.
 */
export declare function follow(document: Pick<Document, "sources">, node: Node): Node;
