import { isObject, type JsonObject, type Node } from "./node.ts";
import { parsePointer } from "./pointer.ts";
import type { Scope } from "./reference.ts";

/** The version of the OpenAPI Specification that a definition follows, without its patch number. */
export type Version = "2.0" | "3.0" | "3.1" | "3.2";

/** A document with schemas: a definition, or another document that has a version and an OpenAPI Object as its root. */
export interface SchemaDocument extends Scope {
  /** The version of the OpenAPI Specification that the definition follows. */
  readonly version: Version;
  /** The OpenAPI Object; its `jsonSchemaDialect` is the default dialect of the schemas. */
  readonly root: Node<"OpenAPI">;
}

/** The keywords that combine the schemas of a list (JSON Schema 2020-12, core, section 10.2.1). */
export const COMBINATORS = ["allOf", "anyOf", "oneOf"] as const;

/**
 * The differences between dialects of JSON Schema. Keywords of one dialect are read in all dialects: a definition that
 * writes `const` where its version has no such keyword still means it.
 */
export interface Dialect {
  /** Keywords beside a `$ref` are ignored (OpenAPI 3.0, JSON Schema up to draft 7). */
  readonly referenceStandsAlone: boolean;
  /** `nullable` adds null to `type` (OpenAPI 3.0.4, section 4.7.24.4.2). */
  readonly nullable: boolean;
  /** `x-nullable` means the same as `nullable`, by convention: Swagger 2.0 has no keyword for it. */
  readonly customNullable: boolean;
  /**
   * `contentSchema` (since JSON Schema 2019-09) describes the JSON text in a string. JSON Schema's own dialects have it
   * as an annotation; in the dialects of OpenAPI, which use it for server-sent events, gw asserts it.
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
 * The dialect that a schema is written in: that of the definition's version, or, from OpenAPI 3.1 on, that of the
 * nearest `$schema` on the way up, else of `jsonSchemaDialect`.
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
