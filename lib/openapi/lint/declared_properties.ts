import { COMBINATORS } from "../../schema/dialect.ts";
import { child, entries, isObject, items, type Node } from "../../schema/node.ts";
import { type Objects, ofKind, targetsOfSchemas } from "./objects.ts";

/** The properties that schemas declare, each together with the schemas that apply to the same value. */
export interface DeclaredProperties {
  /** Whether a schema, or one of its parts, declares a property of this name. */
  readonly isInside: (schema: Node<"Schema">, name: string) => boolean;
  /**
   * As `isInside`, but also searches the schemas around it: one member of an `allOf` may require a property that
   * another declares.
   */
  readonly isAround: (schema: Node<"Schema">, name: string) => boolean;
}

/** Limit of the schemas that all searches in a definition may visit. Beyond it, every property counts as declared. */
const MOST_STEPS = 300_000;

/** Reads the schemas of a definition. Takes time in proportion to them; all searches share one budget. */
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
   * Searches schemas and their parts.
   *
   * @param around Schemas whose holders are searched too; an empty set limits the search to the schemas and their
   * parts.
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

  /** The schemas that apply to the same value and may say which properties it has. */
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

/** Whether a schema names a property, or describes properties whose names it doesn't give. */
function declares(schema: unknown, name: string): boolean {
  if (!isObject(schema)) return false;
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, name)) return true;
  return isObject(patternProperties) || isObject(additionalProperties) || isObject(unevaluatedProperties);
}
