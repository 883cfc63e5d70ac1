import type { Schema } from "../../schema/schema.ts";

/**
 * A keyword that leaves alternatives, each a way to satisfy the schema. A `negated` choice lists ways not to satisfy
 * its schema. A `subtype` choice selects a schema that extends a base schema with a `discriminator`. A `dependent`
 * choice decides whether a property that has an entry in `dependentSchemas` is present.
 */
export type Choice =
  | { readonly kind: "anyOf" | "oneOf" | "if" | "subtype"; readonly schema: Schema }
  | {
    readonly kind: "negated";
    readonly schema: Schema;
    /** The schemas whose negation led to this choice, to detect recursion. */
    readonly enclosing?: ReadonlySet<Schema>;
  }
  | { readonly kind: "dependent"; readonly schema: Schema; readonly name: string; readonly then: Schema };

export interface Alternative {
  /** Schemas that the value satisfies in addition. */
  readonly assert?: readonly Schema[];
  /** Schemas that the value doesn't satisfy. */
  readonly negate?: readonly Schema[];
  /** The schemas whose negation led to negating `negate`. The negation is recursive if one of them is negated again. */
  readonly enclosing?: ReadonlySet<Schema>;
  /** Values of discriminator properties that select the alternative, by property name. */
  readonly preferred?: ReadonlyMap<string, readonly unknown[]>;
  /** Whether the other alternatives cover every value. A redundant alternative is tried only because it is simpler. */
  readonly isRedundant?: boolean;
}

export interface ChoiceAlternatives {
  readonly alternatives: readonly Alternative[];
  /** Whether every value that the choice allows is covered by an alternative. */
  readonly isComplete: boolean;
}

/** The property names that occur in the schemas of a value. */
export interface KnownProperties {
  /** Names that are declared or required. */
  readonly names: ReadonlySet<string>;
  /**
   * Whether the same schemas apply to all other names, because no schema has `patternProperties` or `propertyNames`.
   */
  readonly areOthersAlike: boolean;
}

export function complete(alternatives: readonly Alternative[]): ChoiceAlternatives {
  return { alternatives, isComplete: true };
}

export function listOf(schema: Schema | undefined): Schema[] {
  return schema === undefined ? [] : [schema];
}

export function without({ node }: Schema, name: string): Schema {
  return { node, properties: new Map([[name, { node, never: "false" }]]) };
}

/**
 * Values of the discriminator's property that select a schema: the keys of `mapping` that refer to the schema, else the
 * schema's name.
 */
export function discriminatorValues(discriminator: NonNullable<Schema["discriminator"]>, schema: Schema): string[] {
  const mapped = [...discriminator.mapping].filter(([, { target }]) => isSamePlace(target(), schema));
  if (mapped.length > 0) return mapped.map(([value]) => value);
  const name = /\/([^/]*)$/.exec(schema.node.pointer)?.[1];
  return name === undefined ? [] : [name];
}

export function isSamePlace(left: Schema | undefined, right: Schema): boolean {
  return left?.node.pointer === right.node.pointer && left.node.source === right.node.source;
}
