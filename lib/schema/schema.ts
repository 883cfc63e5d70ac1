import type { JsonObject, Node } from "./node.ts";

/** The direction of a body: a request has no `readOnly` properties, a response no `writeOnly` ones. */
export type Direction = "request" | "response";

/** A type of JSON Schema. */
export type Type = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

const TYPES: ReadonlySet<unknown> = new Set(["null", "boolean", "integer", "number", "string", "array", "object"]);

/** Whether a value is the name of a type. */
export function isType(value: unknown): value is Type {
  return TYPES.has(value);
}

/**
 * A Schema Object in the keywords of JSON Schema 2020-12, translated from its own dialect, for one direction. Keywords
 * with an invalid value are left out. A schema without any keyword allows everything.
 */
export interface Schema {
  /** The place of the schema in the definition. */
  readonly node: Node;
  /** Present where no value is valid: the schema is `false`, or that of a property which this direction excludes. */
  readonly never?: "false" | "readOnly" | "writeOnly";
  /** `$ref` and `$dynamicRef`. */
  readonly references?: readonly SchemaReference[];
  readonly types?: readonly Type[];
  readonly enum?: readonly unknown[];
  readonly const?: { readonly value: unknown };
  readonly format?: string;

  readonly multipleOf?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;

  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** How bytes are written in the text: `base64`, `base64url`. Not checked (2020-12 Validation, section 8). */
  readonly contentEncoding?: string;
  /** The media type of the text, or of the bytes that it encodes. */
  readonly contentMediaType?: string;
  /** The schema of the value that the text has as JSON. */
  readonly contentSchema?: Schema;
  /** Whether a text that doesn't fit `contentSchema` is invalid; otherwise the keyword is an annotation. */
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
  /** `example` and `examples`. */
  readonly examples?: readonly unknown[];
  readonly default?: { readonly value: unknown };
  /** Keywords that begin with `x-`. */
  readonly extensions?: JsonObject;
}

/** The part of an XML document that a value becomes (OpenAPI 3.2, section 4.26.1, XML Node Types). */
export type XmlNodeType = "element" | "attribute" | "text" | "cdata" | "none";

/** An XML Object. Empty texts count as missing. */
export interface XmlObject {
  /** As given, or derived from `attribute` and `wrapped` of earlier versions. */
  readonly nodeType?: XmlNodeType;
  readonly name?: string;
  readonly prefix?: string;
  readonly namespace?: string;
}

/** A reference from one schema to another. */
export interface SchemaReference {
  /** The reference as written: `#/components/schemas/Pet`. */
  readonly written: string;
  /** The target schema; `undefined` if there is none. Read at the first call. */
  readonly target: () => Schema | undefined;
}

/** How one property tells which schema an object follows (OpenAPI 3.1, section 4.8.25). */
export interface Discriminator {
  readonly propertyName: string;
  /** Values of the property, and the schemas that they select. */
  readonly mapping: ReadonlyMap<string, SchemaReference>;
}
