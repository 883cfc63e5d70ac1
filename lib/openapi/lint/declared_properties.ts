import { COMBINATORS } from "../../schema/dialect.ts";
import { child, entries, isObject, items, type Node } from "../../schema/json/node.ts";
import { type Objects, ofKind, targetsOfSchemas } from "./objects.ts";

/** Tells whether a schema declares a property, itself or in other schemas for the same value. */
export interface DeclaredProperties {
  /**
   * Whether a schema declares a property, itself or in the schemas that it applies to the same value, as by `allOf` or
   * `$ref`.
   */
  readonly isInside: (schema: Node<"Schema">, name: string) => boolean;
  /**
   * Like `isInside`, but also searches the enclosing schemas that apply to the same value: one member of an `allOf` may
   * require a property that another member declares.
   */
  readonly isAround: (schema: Node<"Schema">, name: string) => boolean;
}

/** Budget of schemas to visit in all searches of a definition. When it is spent, every property counts as declared. */
const MOST_STEPS = 300_000;

/** Prepares searches in the schemas of a definition. They share the budget {@linkcode MOST_STEPS}. */
export function createDeclaredProperties({ objects, references }: Objects): DeclaredProperties {
  const targets = targetsOfSchemas(references);
  const holders = new Map<unknown, Node<"Schema">[]>();
  let steps = MOST_STEPS;
  let isRead = false;

  return {
    isInside: (schema, name) => isDeclared([schema], name, new Set(), new Set()),
    isAround: (schema, name) => {
      if (!isRead) readHolders();
      return isDeclared([schema], name, new Set(), new Set([schema.value]));
    },
  };

  /**
   * Whether one of some schemas, or a schema that it applies to the same value, declares a property.
   *
   * @param pending The schemas to search.
   * @param around The schemas for which the enclosing schemas for the same value are searched too; empty for none.
   */
  function isDeclared(pending: Node<"Schema">[], name: string, seen: Set<unknown>, around: Set<unknown>): boolean {
    for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
      if (--steps < 0) return true;
      if (around.has(schema.value)) {
        for (const holder of holders.get(schema.value) ?? []) {
          if (around.has(holder.value)) continue;
          around.add(holder.value);
          pending.push(holder);
        }
      }
      if (seen.has(schema.value)) continue;
      seen.add(schema.value);
      if (declares(schema.value, name)) return true;
      pending.push(...partsOf(schema));
    }
    return false;
  }

  /** The schemas that a schema applies to the same value: subschemas, and the target of its `$ref`. */
  function partsOf(schema: Node<"Schema">): Node<"Schema">[] {
    const target = targets.get(schema.value);
    const parts = [
      ...COMBINATORS.flatMap((keyword) => items(child(schema, keyword))),
      ...CONDITIONS.map((keyword) => child(schema, keyword)),
      ...entries(child(schema, "dependentSchemas")).map(([, part]) => part),
    ];
    if (target !== undefined) parts.push(target);
    return parts.filter(({ value }) => isObject(value));
  }

  function readHolders(): void {
    isRead = true;
    for (const { node } of ofKind(objects, "Schema")) {
      for (const part of [...partsOf(node), child(node, "not")]) {
        if (!isObject(part.value)) continue;
        const known = holders.get(part.value);
        if (known === undefined) holders.set(part.value, [node]);
        else known.push(node);
      }
    }
  }
}

const CONDITIONS = ["if", "then", "else"] as const;

/**
 * Whether a schema declares a property by name, or describes properties that it doesn't name, as `additionalProperties`
 * does.
 */
function declares(schema: unknown, name: string): boolean {
  if (!isObject(schema)) return false;
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, name)) return true;
  return isObject(patternProperties) || isObject(additionalProperties) || isObject(unevaluatedProperties);
}
