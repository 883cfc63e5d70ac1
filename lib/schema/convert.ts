import { exactInteger } from "./json/json.ts";
import type { Type } from "./schema.ts";
import { isNumber, isOfType } from "./json/value.ts";

/** A number as JSON writes it, without an exponent, with digits that a double keeps. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

/**
 * Converts a string, number or boolean to the type that a schema allows, if nothing of it is lost: `"5"` to a number,
 * `5` and `true` to a string. Returns `undefined` where the value has an allowed type already, or can't be converted.
 *
 * @param types The allowed types; `undefined` if all are.
 */
export function convertedScalar(
  value: unknown,
  types: readonly Type[] | undefined,
): string | number | bigint | boolean | undefined {
  if (isNumber(value) || typeof value === "boolean") {
    const allowsOwn = types?.some((type) => isOfType(value, type)) ?? true;
    return types?.includes("string") === true && !allowsOwn ? String(value) : undefined;
  }
  if (typeof value !== "string" || types === undefined || types.includes("string")) return undefined;
  if (/^(?:true|false)$/.test(value) && types.includes("boolean")) return value === "true";
  const number = exactInteger(value) ?? (NUMBER.test(value) ? Number(value) : undefined);
  const allowsNumber = types.includes("number") || (types.includes("integer") && isOfType(number, "integer"));
  return allowsNumber ? number : undefined;
}
