import { COMBINATORS } from "../../schema/dialect.ts";
import { isObject } from "../../schema/node.ts";
import { isType } from "../../schema/schema.ts";

/** Whether a value looks like a Schema Object: it has a `type`, a `$ref`, or keywords that hold schemas or values. */
export function looksLikeSchema(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { type, $ref, properties, enum: values } = value;
  const types = Array.isArray(type) ? type : [type];
  return (types.length > 0 && types.every(isType)) || typeof $ref === "string" ||
    isObject(properties) || Array.isArray(values) || COMBINATORS.some((keyword) => Array.isArray(value[keyword]));
}
