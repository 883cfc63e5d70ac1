/**
 * Converts an object of settings by a table. For each key, the table has the key in gw and a function that converts the
 * value, or a message that gw has no such setting.
 *
 * @module
 */
import { escapeToken } from "../../schema/json/pointer.ts";
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import type { Leftover } from "../conversion.ts";

/** The JSON Pointer of the value being converted, and the list to which parts that can't be converted are added. */
export interface ConversionContext {
  readonly pointer: string;
  readonly leftovers: Leftover[];
}

/** Converts the value of a setting. Returns `undefined` if gw needs no such setting. */
export type Converter = (value: unknown, context: ConversionContext) => unknown;

/** The conversion of one setting. `to` is its key in gw, if that differs. */
export interface Field {
  readonly to?: string;
  readonly convert: Converter;
}

/** The conversions of an object's settings, by their keys in the file. */
export type FieldTable = Readonly<Record<string, Field>>;

/** Makes the conversion of a setting whose value means the same in gw. `to` is its key in gw, if that differs. */
export function unchanged(to?: string): Field {
  return { convert: (value) => value, ...to === undefined ? {} : { to } };
}

/** Makes the conversion of a setting that gw hasn't: leaves it out and reports the message. */
export function unsupported(message: string): Field {
  return {
    convert: (_, context) => {
      reportUnsupported(context, message);
      return undefined;
    },
  };
}

/** Makes the conversion of a setting whose value is an object with settings of its own. */
export function nested(table: FieldTable, to?: string): Field {
  return { convert: (value, context) => convertObject(value, table, context), ...to === undefined ? {} : { to } };
}

/** Reports that the value being converted has no equal in gw. */
export function reportUnsupported(context: ConversionContext, message: string): void {
  context.leftovers.push({ pointer: context.pointer, message, atKey: true });
}

/** Returns the context for a property or an item of the value being converted. */
export function contextOf(context: ConversionContext, key: string | number): ConversionContext {
  return { ...context, pointer: `${context.pointer}/${escapeToken(key)}` };
}

/**
 * Converts an object of settings by a table. A value that isn't an object is returned unchanged, and `gw validate`
 * reports it.
 */
export function convertObject(value: unknown, table: FieldTable, context: ConversionContext): unknown {
  if (!isObject(value)) return value;
  const converted: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const field = Object.hasOwn(table, key) ? table[key] : undefined;
    if (field === undefined) {
      reportUnsupported(
        contextOf(context, key),
        `gw has no setting for ${key}. Leave it out, or see the page x-svc of the documentation for gw's settings.`,
      );
      continue;
    }
    const result = field.convert(item, contextOf(context, key));
    if (result !== undefined) converted[field.to ?? key] = result;
  }
  return converted;
}
