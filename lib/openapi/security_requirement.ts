import { child, isObject, items, type Node } from "../schema/json/node.ts";
import type { Operation } from "./operation.ts";

/**
 * The Security Requirement Objects of an operation, its own or those of the whole API: the alternatives of which a
 * request must fulfil one.
 */
export function securityRequirements({ node, document }: Operation): readonly Node<"SecurityRequirement">[] {
  const own = child(node, "security");
  const written = own.value === undefined ? child(document.root, "security") : own;
  return items(written).filter(({ value }) => isObject(value));
}
