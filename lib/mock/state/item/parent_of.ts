import type { Resource } from "../../infer/resource.ts";

/** A resource in a scope, and the index of its id there. */
export interface Parent {
  readonly resource: Resource;
  readonly index: number;
}

/**
 * The innermost resource in a scope: `orders` in `/users/{userId}/orders/{orderId}/lines`.
 *
 * In `/orders/{orderId}/lines`, the orders may have a parent that isn't in this path. They are found by their ids, unless
 * the lines are parents of that parent in turn.
 */
export function parentOf(resource: Resource): Parent | undefined {
  const parent = innermostParent(resource);
  if (parent === undefined || parent.resource.scope.length === parent.index) return parent;
  const above = new Set<Resource>();
  for (let next: Parent | undefined = parent; next !== undefined; next = innermostParent(next.resource)) {
    if (next.resource === resource || above.has(next.resource)) return undefined;
    above.add(next.resource);
  }
  return parent;
}

function innermostParent({ scope }: Resource): Parent | undefined {
  for (let index = scope.length - 1; index >= 0; index--) {
    const parent = scope[index]?.parent;
    const isFound = parent?.scope.slice(index).every(({ parent, property }) => parent && property);
    if (parent !== undefined && parent.scope.length >= index && isFound) return { resource: parent, index };
  }
  return undefined;
}
