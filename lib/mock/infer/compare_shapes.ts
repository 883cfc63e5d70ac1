/**
 * Compares the shapes of schemas: whether two bodies have objects of the same schema, or of schemas with mostly the
 * same properties.
 *
 * @module
 */
import type { Node } from "../../schema/json/node.ts";

/** The type and properties of a schema, with those of `$ref`, `allOf`, `anyOf` and `oneOf`. `shape.ts` reads it. */
export interface Shape {
  /** The schema before its `$ref` is resolved. */
  readonly node: Node<"Schema">;
  /** An object that is the same for all schemas that refer to the same component. */
  readonly identity: object;
  /** `object` or `array` by `type` or, without a `type`, by the presence of `properties` or `items`. */
  readonly kind: "object" | "array" | "scalar" | "unknown";
  /** The first `type` that isn't `null`. */
  readonly type: string | undefined;
  readonly format: string | undefined;
  readonly properties: ReadonlyMap<string, Node<"Schema">>;
  readonly items: Node<"Schema"> | undefined;
}

/** The remaining step budget for the shapes of one definition. */
export interface ShapeSteps {
  left: number;
}

/** How far two objects agree. `same`: one component, or equal properties; `similar`: mostly the same property names. */
export type Agreement = "same" | "similar" | "none";

/** The share of the smaller object's properties that a similar object must have too. */
const SIMILAR = 0.75;

/** Limit of the nesting that is compared. Schemas without a difference down to this level count as the same. */
const MOST_LEVELS = 3;

/** Makes a function that compares two objects by their properties, memoised. */
export function createComparison(
  read: (schema: Node<"Schema">) => Shape,
  steps: ShapeSteps,
): (left: Shape, right: Shape) => Agreement {
  const compared = new Map<Shape, Map<Shape, Agreement>>();
  return (left, right) => {
    if (left.identity === right.identity) return left.properties.size > 0 ? "same" : "none";
    const [smaller, larger] = left.properties.size <= right.properties.size ? [left, right] : [right, left];
    if (smaller.properties.size === 0 || isOperation(left) !== isOperation(right)) return "none";
    let others = compared.get(smaller);
    if (others === undefined) compared.set(smaller, others = new Map());
    const known = others.get(larger);
    if (known !== undefined) return known;
    if ((steps.left -= smaller.properties.size) < 0) return "none";
    const agreement = agreementOf(smaller, larger);
    others.set(larger, agreement);
    return agreement;
  };

  function agreementOf(smaller: Shape, larger: Shape): Agreement {
    const { size } = smaller.properties;
    const common = commonProperties(smaller, larger);
    if (common === larger.properties.size && size > 2 && hasSameProperties(smaller, larger, 0)) return "same";
    return common >= Math.max(Math.min(2, size), size * SIMILAR) ? "similar" : "none";
  }

  function hasSameProperties(left: Shape, right: Shape, level: number): boolean {
    if (left.properties.size !== right.properties.size || (steps.left -= left.properties.size) < 0) return false;
    for (const [name, property] of left.properties) {
      const other = right.properties.get(name);
      if (other === undefined || !isSame(read(property), read(other), level)) return false;
    }
    return true;
  }

  function isSame(one: Shape, two: Shape, level: number): boolean {
    if (one.identity === two.identity) return true;
    if (one.kind !== two.kind || one.type !== two.type) return false;
    if (level >= MOST_LEVELS) return true;
    if (one.kind === "object") return hasSameProperties(one, two, level + 1);
    const [left, right] = [one.items, two.items];
    return left === undefined || right === undefined || isSame(read(left), read(right), level + 1);
  }
}

/** Whether a schema is a long-running operation. Its `id`, `name` and `status` would make it similar to many items. */
function isOperation({ node }: Shape): boolean {
  return /\/(?:\w*Operation|LongRunning\w*)$/.test(node.pointer);
}

function commonProperties(smaller: Shape, larger: Shape): number {
  let common = 0;
  for (const name of smaller.properties.keys()) if (larger.properties.has(name)) common++;
  return common;
}
