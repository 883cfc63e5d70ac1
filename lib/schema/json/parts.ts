/**
 * Reads and sets parts of JSON values by path. Values are immutable: functions that set a part copy the objects and
 * arrays on the path. `__proto__` is a property like any other.
 *
 * @module
 */
import type { Hints } from "../hints.ts";
import { isObject, type JsonObject } from "./node.ts";
import { isNumber } from "./value.ts";
import { setOwn } from "./own_property.ts";

/** An id as text; `undefined` for a value that can't be an id, such as an object. */
export function textOf(id: unknown): string | undefined {
  return (typeof id === "string" && id !== "") || isNumber(id) ? String(id) : undefined;
}

/** A copy of a value with a part replaced or added. Missing objects on the path are created. */
export function withPart(value: unknown, [token, ...rest]: readonly string[], part: unknown): unknown {
  if (token === undefined) return part;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => String(index) === token ? withPart(item, rest, part) : item);
  }
  const object = isObject(value) ? value : {};
  const inner = Object.hasOwn(object, token) ? object[token] : undefined;
  return withOwn(object, token, withPart(inner, rest, part));
}

export function withoutPart(value: unknown, [token, ...rest]: readonly string[]): unknown {
  if (token === undefined) return undefined;
  if (Array.isArray(value)) {
    return rest.length === 0
      ? value.filter((_, index) => String(index) !== token)
      : value.map((item: unknown, index) => String(index) === token ? withoutPart(item, rest) : item);
  }
  if (!isObject(value) || !Object.hasOwn(value, token)) return value;
  if (rest.length > 0) return withOwn(value, token, withoutPart(value[token], rest));
  const { [token]: _, ...others } = value;
  return others;
}

/** A copy of an object with its properties in the order of its schema. Undeclared properties come last. */
export function inOrder(value: JsonObject, hints: Pick<Hints, "propertyNames">): JsonObject;
export function inOrder(value: unknown, hints: Pick<Hints, "propertyNames">): unknown;
export function inOrder(value: unknown, { propertyNames }: Pick<Hints, "propertyNames">): unknown {
  if (!isObject(value)) return value;
  const known = [...propertyNames].filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries([...new Set([...known, ...Object.keys(value)])].map((name) => [name, value[name]]));
}

function withOwn(object: JsonObject, name: string, value: unknown): JsonObject {
  const changed = { ...object };
  setOwn(changed, name, value);
  return changed;
}
