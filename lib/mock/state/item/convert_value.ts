import { exactInteger } from "../../../schema/json/json.ts";
import type { Hints } from "../../../schema/hints.ts";
import type { Schema } from "../../../schema/schema.ts";

/** Numbers from this one on are read as milliseconds since the epoch, smaller ones as seconds. */
const LEAST_MILLISECONDS = 1e11;

/**
 * Converts a value to the type or bounds of a schema: `"3"` to 3, a number of seconds to a date-time, a number above
 * `maximum` to `maximum`. Cuts texts and arrays that are too long.
 *
 * @returns `undefined` if no conversion applies. The result may still be invalid.
 */
export function convertValue(value: unknown, { types, schemas }: Hints): unknown {
  if (Array.isArray(value)) {
    const most = Math.min(...schemas.map(({ maxItems = Infinity }) => maxItems));
    return value.length > most ? value.slice(0, most) : undefined;
  }
  if (typeof value === "string") {
    if (types.has("string")) return convertText(value, schemas);
    const number = value.trim() === "" ? NaN : Number(value);
    const exact = exactInteger(value);
    if (exact !== undefined && (types.has("integer") || types.has("number"))) return exact;
    if (types.has("integer") && Number.isInteger(number)) return number;
    if (types.has("number") && Number.isFinite(number)) return number;
    if (types.has("boolean") && /^(true|false)$/.test(value)) return value === "true";
    const time = Date.parse(value);
    if (types.has("integer") && Number.isFinite(time)) return Math.floor(time / 1000);
  }
  if (typeof value === "number") {
    if (types.has("number") || types.has("integer")) return convertNumber(value, types.has("number"), schemas);
    if (types.has("string")) return isDateTime(schemas) ? toDateTime(value) : String(value);
  }
  if ((typeof value === "boolean" || typeof value === "bigint") && types.has("string")) return String(value);
  if (value !== null && types.has("array")) return [value];
  return undefined;
}

function convertText(text: string, schemas: readonly Schema[]): unknown {
  const time = isDateTime(schemas) ? Date.parse(text) : NaN;
  if (Number.isFinite(time)) return new Date(time).toISOString();
  if (schemas.some(({ format }) => format === "date") && Number.isFinite(Date.parse(text))) {
    return new Date(Date.parse(text)).toISOString().slice(0, "2026-01-01".length);
  }
  const listed = schemas.flatMap((schema) => schema.enum ?? []);
  const alike = listed.find((member) => typeof member === "string" && member.toLowerCase() === text.toLowerCase());
  if (alike !== undefined) return alike;
  const most = Math.min(...schemas.map(({ maxLength = Infinity }) => maxLength));
  return text.length > most ? [...text].slice(0, most).join("") : undefined;
}

function convertNumber(number: number, allowsFractions: boolean, schemas: readonly Schema[]): unknown {
  const least = Math.max(...schemas.map(({ minimum = -Infinity }) => Number(minimum)));
  const most = Math.min(...schemas.map(({ maximum = Infinity }) => Number(maximum)));
  const bounded = Math.min(most, Math.max(least, number));
  const converted = allowsFractions ? bounded : Math.round(bounded);
  return converted === number ? undefined : converted;
}

function isDateTime(schemas: readonly Schema[]): boolean {
  return schemas.some(({ format }) => format === "date-time");
}

function toDateTime(time: number): string | undefined {
  const date = new Date(time < LEAST_MILLISECONDS ? time * 1000 : time);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
