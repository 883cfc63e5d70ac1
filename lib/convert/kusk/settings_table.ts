/**
 * Converts an object by a table of its keys: what each key becomes, and which have nothing in gw.
 *
 * @module
 */
import { escapeToken } from "../../schema/pointer.ts";
import { isObject, type JsonObject } from "../../schema/node.ts";
import type { Leftover } from "../conversion.ts";

/** A value that is converted: where it stands, and the list of what is left over. */
export interface Spot {
  readonly pointer: string;
  readonly leftovers: Leftover[];
}

/** Converts a value; `undefined` where nothing is to be written. */
export type Converter = (value: unknown, spot: Spot) => unknown;

/** What a key becomes: the name in gw, if it is another, and the value. */
export interface Field {
  readonly to?: string;
  readonly convert: Converter;
}

/** The fields of an object, by their keys in the file. */
export type FieldTable = Readonly<Record<string, Field>>;

/** A field that means the same in gw, perhaps by another name. */
export function same(to?: string): Field {
  return { convert: (value) => value, ...to === undefined ? {} : { to } };
}

/** A field that gw has nothing for. */
export function nothing(message: string): Field {
  return {
    convert: (_, spot) => {
      leave(spot, message);
      return undefined;
    },
  };
}

/** A field whose value is an object with fields of its own. */
export function object(table: FieldTable, to?: string): Field {
  return { convert: (value, spot) => convertObject(value, table, spot), ...to === undefined ? {} : { to } };
}

/** Notes that something is left over at a place. */
export function leave(spot: Spot, message: string): void {
  spot.leftovers.push({ pointer: spot.pointer, message, atKey: true });
}

/** The spot of a property or an item. */
export function below(spot: Spot, key: string | number): Spot {
  return { ...spot, pointer: `${spot.pointer}/${escapeToken(key)}` };
}

/** Converts an object field by field. A value that isn't an object stays as it is: `gw validate` explains it. */
export function convertObject(value: unknown, table: FieldTable, spot: Spot): unknown {
  if (!isObject(value)) return value;
  const converted: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const field = Object.hasOwn(table, key) ? table[key] : undefined;
    if (field === undefined) {
      leave(below(spot, key), `gw has no setting for ${key}. Leave it out, or see docs/x-svc.md for what gw has.`);
      continue;
    }
    const result = field.convert(item, below(spot, key));
    if (result !== undefined) converted[field.to ?? key] = result;
  }
  return converted;
}
