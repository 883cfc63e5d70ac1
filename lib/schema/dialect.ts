import { isObject, type JsonObject, type Node } from "./json/node.ts";
import { parsePointer } from "./json/pointer.ts";
import type { Scope } from "./json/reference.ts";

/** The version of the OpenAPI Specification that a definition follows, without its patch number. */
export type Version = "2.0" | "3.0" | "3.1" | "3.2";

/** A document with schemas, whose root is an OpenAPI Object. */
export interface SchemaDocument extends Scope {
  /** The version of the OpenAPI Specification that the document follows. */
  readonly version: Version;
  /** The OpenAPI Object; its `jsonSchemaDialect` is the default dialect of the schemas. */
  readonly root: Node<"OpenAPI">;
}

/** The keywords that hold a list of schemas for the same value (JSON Schema 2020-12, core, section 10.2.1). */
export const COMBINATORS = ["allOf", "anyOf", "oneOf"] as const;

/**
 * The differences between dialects of JSON Schema, as far as they conflict. Keywords such as `const` are read in every
 * dialect, also where a dialect doesn't define them, since authors use them all the same.
 */
export interface Dialect {
  /** Keywords beside a `$ref` are ignored (OpenAPI 3.0, JSON Schema up to draft 7). */
  readonly referenceStandsAlone: boolean;
  /** `nullable` adds null to `type` (OpenAPI 3.0.4, section 4.7.24.4.2). */
  readonly nullable: boolean;
  /** `x-nullable` means the same as `nullable`, by convention: Swagger 2.0 has no keyword for it. */
  readonly customNullable: boolean;
  /**
   * How `contentSchema` (since JSON Schema 2019-09), which describes the JSON text in a string, is treated. JSON
   * Schema's own dialects define it as an annotation. OpenAPI uses it for server-sent events, so gw asserts it in the
   * dialects of OpenAPI.
   */
  readonly contentSchema: "unknown" | "annotation" | "assertion";
}

const OPENAPI_30: Dialect = {
  referenceStandsAlone: true,
  nullable: true,
  customNullable: false,
  contentSchema: "unknown",
};
const SWAGGER_20: Dialect = { ...OPENAPI_30, customNullable: true };
const DRAFT_7: Dialect = { ...OPENAPI_30, nullable: false };
const OPENAPI_31: Dialect = {
  referenceStandsAlone: false,
  nullable: false,
  customNullable: false,
  contentSchema: "assertion",
};
const DRAFT_2020_12: Dialect = { ...OPENAPI_31, contentSchema: "annotation" };

/**
 * The dialect that a schema is written in. Before OpenAPI 3.1 the version of the document decides. From 3.1 on the
 * `$schema` of the nearest enclosing schema decides, else `jsonSchemaDialect` of the document.
 */
export function dialectOf(document: SchemaDocument, schema: Node): Dialect {
  if (document.version === "2.0") return SWAGGER_20;
  if (document.version === "3.0") return OPENAPI_30;
  const root = document.root.value;
  let uri: unknown = isObject(root) ? root["jsonSchemaDialect"] : undefined;
  let value: unknown = schema.source.value;
  for (const token of ["", ...parsePointer(schema.pointer)]) {
    if (token !== "") value = isObject(value) || Array.isArray(value) ? (value as JsonObject)[token] : undefined;
    if (isObject(value) && typeof value["$schema"] === "string") uri = value["$schema"];
  }
  if (typeof uri !== "string") return OPENAPI_31;
  if (/json-schema\.org\/draft-0[3-7]\//.test(uri)) return DRAFT_7;
  return /json-schema\.org\/draft\//.test(uri) ? DRAFT_2020_12 : OPENAPI_31;
}
