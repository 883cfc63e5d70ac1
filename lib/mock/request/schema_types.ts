import type { Document } from "../../openapi/document.ts";
import { child, entries, isObject, items as itemsOf, type Node } from "../../openapi/node.ts";
import { follow, followOnce, referenceOf } from "../../openapi/reference.ts";

/** A type of JSON Schema. */
export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/**
 * What a schema says about how to read text as a value: `3` in a query is a number where the schema wants an integer.
 * Parts are worked out when they are first asked for, so that a recursive schema does no harm.
 */
export interface SchemaTypes {
  /** The types that the schema allows; empty when it allows anything, or can't be understood. */
  readonly allowed: ReadonlySet<JsonType>;
  /** Names of the properties that the schema describes, one by one. */
  readonly propertyNames: ReadonlySet<string>;
  /** Whether the schema describes properties besides these (`additionalProperties`, `patternProperties`). */
  readonly describesOthers: boolean;
  /** What the schema says of a property's value. */
  property(name: string): SchemaTypes;
  /** What the schema says of an array's item. */
  item(index: number): SchemaTypes;
  /** The schema, what it refers to and all that it is combined of; the nearest first. */
  readonly schemas: readonly Node[];
}

const TYPES: readonly string[] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/** What a schema with one of these keywords is about, where it has no `type`. */
const KEYWORDS_OF_TYPE: readonly (readonly [string, JsonType])[] = [
  ["properties", "object"],
  ["additionalProperties", "object"],
  ["patternProperties", "object"],
  ["items", "array"],
  ["prefixItems", "array"],
];

/** Reads what a schema, if there is one, says of types. */
export function schemaTypes(document: Document, schema: Node | undefined): SchemaTypes {
  return createSchemaTypes(document, schema === undefined ? [] : [schema]);
}

/** What several schemas say of a value that one of them describes, or all of them. */
function createSchemaTypes(document: Document, alternatives: readonly Node[]): SchemaTypes {
  const schemas = withSubschemas(document, alternatives);
  const allowed = lazily(() => typesOfAny(document, alternatives));
  const propertyNames = lazily(() => new Set(schemas.flatMap((schema) => keysOf(child(schema, "properties").value))));
  const positions = lazily(() => Math.max(0, ...schemas.map((schema) => itemsOf(child(schema, "prefixItems")).length)));
  // Both are bounded by the schema, not by what requests contain.
  const properties = new Map<string | undefined, SchemaTypes>();
  const items = new Map<number, SchemaTypes>();
  return {
    schemas,
    get allowed() {
      return allowed();
    },
    get propertyNames() {
      return propertyNames();
    },
    get describesOthers() {
      return schemas.some(({ value }) =>
        isObject(value) && (isObject(value["patternProperties"]) || isPermissive(value["additionalProperties"]))
      );
    },
    property(name) {
      const declared = propertyNames().has(name) ? name : undefined;
      return memoize(properties, declared, () => createSchemaTypes(document, propertyOf(schemas, declared)));
    },
    item(index) {
      const position = Math.min(index, positions());
      return memoize(items, position, () => createSchemaTypes(document, itemOf(schemas, position)));
    },
  };
}

/** Computes a value when it is first asked for. */
function lazily<Value extends object | number>(compute: () => Value): () => Value {
  let value: Value | undefined;
  return () => value ??= compute();
}

function keysOf(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

function memoize<Key>(known: Map<Key, SchemaTypes>, key: Key, create: () => SchemaTypes): SchemaTypes {
  const types = known.get(key) ?? create();
  known.set(key, types);
  return types;
}

function isPermissive(additionalProperties: unknown): boolean {
  return additionalProperties === true || isObject(additionalProperties);
}

/** The schemas, and all that they are combined of. */
function withSubschemas(document: Document, alternatives: readonly Node[]): Node[] {
  const schemas = new Map<unknown, Node>();
  const collect = (written: Node): void => {
    if (!isObject(written.value) || schemas.has(written.value)) return;
    schemas.set(written.value, written);
    // Since OpenAPI 3.1 a `$ref` has siblings.
    if (referenceOf(written) !== undefined) collect(followOnce(document, written));
    for (const keyword of ["allOf", "anyOf", "oneOf"]) itemsOf(child(written, keyword)).forEach(collect);
    for (const keyword of ["if", "then", "else"]) collect(child(written, keyword));
  };
  alternatives.forEach(collect);
  return [...schemas.values()];
}

function propertyOf(schemas: readonly Node[], name: string | undefined): Node[] {
  if (name !== undefined) return present(schemas.map((schema) => child(child(schema, "properties"), name)));
  const patterns = schemas.flatMap((schema) => entries(child(schema, "patternProperties")).map(([, node]) => node));
  return [...patterns, ...present(schemas.map((schema) => child(schema, "additionalProperties")))];
}

function itemOf(schemas: readonly Node[], position: number): Node[] {
  const positional = present(schemas.map((schema) => child(child(schema, "prefixItems"), position)));
  return positional.length > 0 ? positional : present(schemas.map((schema) => child(schema, "items")));
}

function present(nodes: readonly Node[]): Node[] {
  return nodes.filter((node) => node.value !== undefined);
}

/** The types that at least one of the schemas allows. */
function typesOfAny(document: Document, schemas: readonly Node[], around: readonly unknown[] = []): Set<JsonType> {
  const union = new Set<JsonType>();
  for (const schema of schemas) {
    const types = typesOf(document, schema, around);
    if (types === undefined) return new Set();
    for (const type of types) union.add(type);
  }
  return union;
}

/** The types that a schema allows; `undefined` when it allows any. */
function typesOf(document: Document, written: Node, around: readonly unknown[]): Set<JsonType> | undefined {
  const schema = follow(document, written);
  if (!isObject(schema.value) || around.includes(schema.value)) return undefined;
  const inside = [...around, schema.value];
  let types = ownTypes(schema.value) ?? typesOfValues(schema.value);
  for (const part of itemsOf(child(schema, "allOf"))) types = intersect(types, typesOf(document, part, inside));
  for (const keyword of ["anyOf", "oneOf"]) {
    const parts = itemsOf(child(schema, keyword));
    if (parts.length === 0) continue;
    const union = typesOfAny(document, parts, inside);
    if (union.size > 0) types = intersect(types, union);
  }
  return types ?? typesOfKeywords(schema.value);
}

function ownTypes(schema: Record<string, unknown>): Set<JsonType> | undefined {
  const written = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]];
  const types = new Set(written.filter(isJsonType));
  if (types.size === 0) return undefined;
  if (schema["nullable"] === true) types.add("null");
  return types;
}

function isJsonType(type: unknown): type is JsonType {
  return typeof type === "string" && TYPES.includes(type);
}

function typesOfValues(schema: Record<string, unknown>): Set<JsonType> | undefined {
  const values = Object.hasOwn(schema, "const") ? [schema["const"]] : schema["enum"];
  return Array.isArray(values) ? new Set(values.map(typeOfValue)) : undefined;
}

function typeOfValue(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "number":
      return "number";
    case "string":
      return "string";
    default:
      return "object";
  }
}

function typesOfKeywords(schema: Record<string, unknown>): Set<JsonType> | undefined {
  const types = KEYWORDS_OF_TYPE.filter(([keyword]) => Object.hasOwn(schema, keyword)).map(([, type]) => type);
  return types.length === 0 ? undefined : new Set(types);
}

function intersect(a: Set<JsonType> | undefined, b: Set<JsonType> | undefined): Set<JsonType> | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const both = a.intersection(b);
  // A number may well be an integer.
  if (a.has("number") && b.has("integer") || a.has("integer") && b.has("number")) both.add("integer");
  return both;
}
