import type { Schema } from "../../schema/schema.ts";

/**
 * A keyword that leaves alternatives: ways to satisfy its schema, or for `negated`, ways not to satisfy it. `subtype`
 * chooses a schema that extends the given one (`discriminator`); `dependent` chooses whether the property of an entry
 * of `dependentSchemas` is present.
 */
export type Choice =
  | { readonly kind: "anyOf" | "oneOf" | "if" | "subtype"; readonly schema: Schema }
  | {
    readonly kind: "negated";
    readonly schema: Schema;
    /** Schemas whose negation has led to this choice; see {@linkcode Alternative.enclosing}. */
    readonly enclosing?: ReadonlySet<Schema>;
  }
  | { readonly kind: "dependent"; readonly schema: Schema; readonly name: string; readonly then: Schema };

/** One alternative of a choice. */
export interface Alternative {
  /** Schemas that the value satisfies in addition. */
  readonly assert?: readonly Schema[];
  /** Schemas that the value doesn't satisfy. */
  readonly negate?: readonly Schema[];
  /** Schemas whose negation has led to negating those of `negate`; detects recursion. */
  readonly enclosing?: ReadonlySet<Schema>;
  /** Values by which discriminators select the alternative, by the name of the property. */
  readonly preferred?: ReadonlyMap<string, readonly unknown[]>;
  /** Whether the other alternatives cover every value, so that this one is only tried because it is simple. */
  readonly isExtra?: boolean;
}

/** The alternatives of a choice. */
export interface Alternatives {
  readonly alternatives: readonly Alternative[];
  /** Whether every value that the choice allows is covered by an alternative. */
  readonly isComplete: boolean;
}

/** The property names that the schemas of a value mention. */
export interface KnownProperties {
  /** Names that are declared or required. */
  readonly names: ReadonlySet<string>;
  /** Whether the same schemas apply to all other names: there is no `patternProperties` or `propertyNames`. */
  readonly areOthersAlike: boolean;
}

/** Marks alternatives as covering every value that their choice allows. */
export function complete(alternatives: readonly Alternative[]): Alternatives {
  return { alternatives, isComplete: true };
}

/** A list with the schema, or an empty list for `undefined`. */
export function listOf(schema: Schema | undefined): Schema[] {
  return schema === undefined ? [] : [schema];
}

/** A schema of objects that don't have a property. */
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

/** Whether two schemas are at the same place of the definition. */
export function isSamePlace(left: Schema | undefined, right: Schema): boolean {
  return left?.node.pointer === right.node.pointer && left.node.source === right.node.source;
}
