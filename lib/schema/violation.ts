import { escapeToken } from "./json/pointer.ts";
import type { Schema } from "./schema.ts";

/** A place where a value breaks a keyword of its schema. */
export interface Violation {
  /** The place in the value: a property name or an index for each level. */
  path: string[];
  /**
   * The violated keyword; `readOnly` or `writeOnly` for a property that the direction (request or response) excludes.
   */
  keyword: string;
  /** The requirement that the value breaks: `must be string`. */
  message: string;
  /** The property that is missing, that isn't allowed, or whose name is invalid. */
  property?: string;
  /** JSON Pointer of the keyword in the source of the schema. */
  schema: string;
  /** `Warning` where the value counts as valid despite the violation. */
  severity?: "Warning";
}

export function violationOf(
  path: readonly string[],
  schema: Schema,
  keyword: string,
  message: string,
  property?: string,
): Violation {
  const pointer = `${schema.node.pointer}/${escapeToken(keyword)}`;
  return { path: [...path], keyword, message, schema: pointer, ...(property === undefined ? {} : { property }) };
}

/** Makes the violation of a schema that allows no value. */
export function neverViolation(path: readonly string[], schema: Schema): Violation {
  return schema.never === undefined || schema.never === "false"
    ? { path: [...path], keyword: "not", message: "must NOT be valid", schema: schema.node.pointer }
    : violationOf(path, schema, schema.never, `must not be there: it is ${schema.never}`);
}
