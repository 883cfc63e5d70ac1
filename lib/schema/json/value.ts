import { isObject } from "./node.ts";
import type { Type } from "../schema.ts";

/** Tells whether a value is of a type of JSON Schema. An integer, also one written as `1.0`, is a number too. */
export function isOfType(value: unknown, type: Type): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value) || typeof value === "bigint";
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return isNumber(value);
    case "string":
      return typeof value === "string";
  }
}

/** Tells whether a value is a number: a `number`, or an integer that a double would round, which is a `bigint`. */
export function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/**
 * Tells whether a number is a multiple of another, despite the rounding of binary fractions: 0.07 is a multiple of
 * 0.01. Where the quotient overflows, the remainder decides: 1e308 is a multiple of 0.5.
 */
export function isMultiple(value: number | bigint, step: number | bigint): boolean {
  if (typeof value === "bigint" || typeof step === "bigint") {
    const areIntegers = isOfType(value, "integer") && isOfType(step, "integer");
    return areIntegers ? BigInt(value) % BigInt(step) === 0n : isMultiple(Number(value), Number(step));
  }
  const quotient = value / step;
  return Number.isFinite(quotient) ? Math.abs(Math.round(quotient) - quotient) <= 1e-9 : value % step === 0;
}

/** The length of a string in Unicode characters (RFC 8259), not in UTF-16 code units. */
export function lengthOf(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      length--;
      index++;
    }
  }
  return length;
}

/**
 * Tells whether the length of a string in characters is within bounds. Characters are counted only where the number of
 * UTF-16 code units doesn't decide.
 */
export function isWithinLength(text: string, least: number, most: number): boolean {
  if (text.length < least || text.length > 2 * most) return false;
  if (text.length <= most && text.length >= 2 * least - 1) return true;
  const length = lengthOf(text);
  return length >= least && length <= most;
}
