import { escapeToken } from "./pointer.ts";
import type { Schema } from "./schema.ts";

/** A violated keyword of a schema, and the place in the value. */
export interface Violation {
  /** Location in the value, one token for each level. */
  path: string[];
  /** The keyword; `readOnly` or `writeOnly` for a property that the direction (request, response) excludes. */
  keyword: string;
  /** The requirement: `must be string`. */
  message: string;
  /** The property that is missing, not allowed or has an invalid name. */
  property?: string;
  /** JSON Pointer of the keyword in the source that holds the schema. */
  schema: string;
  /** Present where the value is to be accepted despite the violation. */
  severity?: "Warning";
}

/** Makes the violation of a keyword. */
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

/** Makes the violation of a schema that no value is valid against. */
export function neverViolation(path: readonly string[], schema: Schema): Violation {
  return schema.never === undefined || schema.never === "false"
    ? { path: [...path], keyword: "not", message: "must NOT be valid", schema: schema.node.pointer }
    : violationOf(path, schema, schema.never, `must not be there: it is ${schema.never}`);
}
