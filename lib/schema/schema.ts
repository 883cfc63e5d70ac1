import type { JsonObject, Node } from "./json/node.ts";

/** The direction of a body. Requests have no `readOnly` properties, responses no `writeOnly` ones. */
export type Direction = "request" | "response";

/** A type of JSON Schema. */
export type Type = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

const TYPES: ReadonlySet<unknown> = new Set(["null", "boolean", "integer", "number", "string", "array", "object"]);

export function isType(value: unknown): value is Type {
  return TYPES.has(value);
}

/**
 * A Schema Object of any dialect, translated to the keywords of JSON Schema 2020-12 for one direction. Keywords with an
 * invalid value are left out. A schema without keywords allows every value.
 */
export interface Schema {
  readonly node: Node;
  /**
   * Present where every value is invalid: the schema is `false`, or belongs to a property that the direction excludes.
   */
  readonly never?: "false" | "readOnly" | "writeOnly";
  /** The targets of `$ref` and `$dynamicRef`. */
  readonly references?: readonly SchemaReference[];
  readonly types?: readonly Type[];
  readonly enum?: readonly unknown[];
  /** Whether no value of `enum`, as it is written, has the type that the schema demands. */
  readonly hasForeignEnum?: true;
  readonly const?: { readonly value: unknown };
  readonly format?: string;

  readonly multipleOf?: number | bigint;
  readonly minimum?: number | bigint;
  readonly exclusiveMinimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly exclusiveMaximum?: number | bigint;

  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /**
   * The encoding of bytes in the string: `base64` or `base64url`. An annotation (2020-12 Validation, section 8), except
   * beside `contentSchema` with `assertsContent`.
   */
  readonly contentEncoding?: string;
  /** The media type of the string, or of the bytes that it encodes. */
  readonly contentMediaType?: string;
  /** The schema of the parsed JSON text in the string. */
  readonly contentSchema?: Schema;
  /**
   * Whether `contentSchema` is an assertion: whether a string whose JSON text is invalid against it is invalid itself.
   * Otherwise `contentSchema` is an annotation.
   */
  readonly assertsContent?: true;

  readonly prefixItems?: readonly Schema[];
  readonly items?: Schema;
  readonly unevaluatedItems?: Schema;
  readonly contains?: Schema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;

  readonly properties?: ReadonlyMap<string, Schema>;
  readonly patternProperties?: ReadonlyMap<string, Schema>;
  readonly additionalProperties?: Schema;
  readonly unevaluatedProperties?: Schema;
  readonly propertyNames?: Schema;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly dependentRequired?: ReadonlyMap<string, readonly string[]>;
  readonly dependentSchemas?: ReadonlyMap<string, Schema>;

  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;

  readonly discriminator?: Discriminator;
  readonly xml?: XmlObject;
  /** The values of `example` and `examples`. */
  readonly examples?: readonly unknown[];
  readonly default?: { readonly value: unknown };
  /** Keywords whose names begin with `x-`. */
  readonly extensions?: JsonObject;
}

/** The kind of XML node that represents a value (OpenAPI 3.2, section 4.26.1, XML Node Types). */
export type XmlNodeType = "element" | "attribute" | "text" | "cdata" | "none";

/** An XML Object. Fields with an empty string count as missing. */
export interface XmlObject {
  /** The `nodeType` of OpenAPI 3.2, or derived from `attribute` and `wrapped`, which express it in earlier versions. */
  readonly nodeType?: XmlNodeType;
  readonly name?: string;
  readonly prefix?: string;
  readonly namespace?: string;
}

/** A reference from one schema to another. */
export interface SchemaReference {
  /** The value of `$ref`: `#/components/schemas/Pet`. */
  readonly written: string;
  /** Returns the target schema, read at the first call; `undefined` if there is none. */
  readonly target: () => Schema | undefined;
}

/** A Discriminator Object: the property whose value selects the schema of an object (OpenAPI 3.1, section 4.8.25). */
export interface Discriminator {
  readonly propertyName: string;
  /**
   * The selected schemas, by the value of the property: those in `mapping`, then the other components that extend the
   * schema by `allOf`, by their names.
   */
  readonly mapping: ReadonlyMap<string, SchemaReference>;
}
