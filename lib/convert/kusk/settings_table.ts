/**
 * Converts an object by a table of its keys, which tells the key and value in gw for each, or that gw has none.
 *
 * @module
 */
import { escapeToken } from "../../schema/pointer.ts";
import { isObject, type JsonObject } from "../../schema/node.ts";
import type { Leftover } from "../conversion.ts";

/** The place of a value that is converted, with the list of parts that couldn't be. */
export interface Spot {
  readonly pointer: string;
  readonly leftovers: Leftover[];
}

/** Converts a value. Returns `undefined` if gw needs no setting for it. */
export type Converter = (value: unknown, spot: Spot) => unknown;

/** The conversion of a field: its name in gw, if this is another, and its value. */
export interface Field {
  readonly to?: string;
  readonly convert: Converter;
}

/** The fields of an object, by their keys in the file. */
export type FieldTable = Readonly<Record<string, Field>>;

/** A field with the same meaning in gw, and perhaps another name. */
export function same(to?: string): Field {
  return { convert: (value) => value, ...to === undefined ? {} : { to } };
}

/** A field that has no equal in gw. */
export function nothing(message: string): Field {
  return {
    convert: (_, spot) => {
      leave(spot, message);
      return undefined;
    },
  };
}

/** A field whose value is an object with its own fields. */
export function object(table: FieldTable, to?: string): Field {
  return { convert: (value, spot) => convertObject(value, table, spot), ...to === undefined ? {} : { to } };
}

/** Records that a part can't be converted. */
export function leave(spot: Spot, message: string): void {
  spot.leftovers.push({ pointer: spot.pointer, message, atKey: true });
}

/** The place of a property or an item within a value. */
export function below(spot: Spot, key: string | number): Spot {
  return { ...spot, pointer: `${spot.pointer}/${escapeToken(key)}` };
}

/**
 * Converts an object field by field. A value that isn't an object is returned unchanged, and `gw validate` reports it.
 */
export function convertObject(value: unknown, table: FieldTable, spot: Spot): unknown {
  if (!isObject(value)) return value;
  const converted: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const field = Object.hasOwn(table, key) ? table[key] : undefined;
    if (field === undefined) {
      leave(
        below(spot, key),
        `gw has no setting for ${key}. Leave it out, or see the page x-svc of the documentation for gw's settings.`,
      );
      continue;
    }
    const result = field.convert(item, below(spot, key));
    if (result !== undefined) converted[field.to ?? key] = result;
  }
  return converted;
}
