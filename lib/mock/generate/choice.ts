import type { Schema } from "../../schema/schema.ts";

/** A point where a schema leaves alternatives: ways to satisfy it, or not to. */
export type Choice =
  | { readonly kind: "anyOf" | "oneOf" | "if" | "subtype"; readonly schema: Schema }
  | {
    readonly kind: "negated";
    readonly schema: Schema;
    /** Schemas whose negation has led to this one; see {@linkcode Alternative.enclosing}. */
    readonly enclosing?: ReadonlySet<Schema>;
  }
  | { readonly kind: "dependent"; readonly schema: Schema; readonly name: string; readonly then: Schema };

/** One alternative of a choice. */
export interface Alternative {
  /** Schemas that the value satisfies in addition. */
  readonly assert?: readonly Schema[];
  /** Schemas that the value doesn't satisfy. */
  readonly negate?: readonly Schema[];
  /** Schemas that are negated by negating those. */
  readonly enclosing?: ReadonlySet<Schema>;
  /** Values that discriminators ask for, by the name of the property. */
  readonly preferred?: ReadonlyMap<string, readonly unknown[]>;
  /** Whether the other alternatives cover every value, so that this one is only tried because it is simple. */
  readonly isExtra?: boolean;
}

/** The alternatives of a choice. */
export interface Alternatives {
  readonly alternatives: readonly Alternative[];
  /** Whether they cover every value. */
  readonly isComplete: boolean;
}

/** The properties that are known of an object that is being built. */
export interface KnownProperties {
  /** Names that are declared or required. */
  readonly names: ReadonlySet<string>;
  /** Whether all other names are alike: neither `patternProperties` nor `propertyNames` tells them apart. */
  readonly areOthersAlike: boolean;
}

/** Alternatives that cover every value. */
export function complete(alternatives: readonly Alternative[]): Alternatives {
  return { alternatives, isComplete: true };
}

/** A list of a schema, or of none. */
export function listOf(schema: Schema | undefined): Schema[] {
  return schema === undefined ? [] : [schema];
}

/** A schema of objects that don't have a property. */
export function without({ node }: Schema, name: string): Schema {
  return { node, properties: new Map([[name, { node, never: "false" }]]) };
}

/** Values that a discriminator has for a schema: those that its mapping has for the schema, else the schema's name. */
export function discriminatorValues(discriminator: NonNullable<Schema["discriminator"]>, schema: Schema): string[] {
  const mapped = [...discriminator.mapping].filter(([, { target }]) => isSamePlace(target(), schema));
  if (mapped.length > 0) return mapped.map(([value]) => value);
  const name = /\/([^/]*)$/.exec(schema.node.pointer)?.[1];
  return name === undefined ? [] : [name];
}

/** Whether two schemas stand at the same place of the definition. */
export function isSamePlace(left: Schema | undefined, right: Schema): boolean {
  return left?.node.pointer === right.node.pointer && left.node.source === right.node.source;
}
