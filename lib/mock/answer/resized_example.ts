/**
 * Gives the list of an example the number of items that a client prefers (`Prefer: array-size`).
 *
 * @module
 */
import { isObject } from "../../schema/json/node.ts";
import { withPart } from "../../schema/json/parts.ts";
import { valueAt } from "../../schema/json/pointer.ts";

/** Limit of the nesting of objects around a list. */
const MOST_LEVELS = 3;

/** The keys that lead to the outermost list in a body; `undefined` if it has none. */
export function listIn(body: unknown): readonly string[] | undefined {
  let level: { readonly path: readonly string[]; readonly value: unknown }[] = [{ path: [], value: body }];
  for (let depth = 0; depth <= MOST_LEVELS; depth++) {
    const found = level.find(({ value }) => Array.isArray(value));
    if (found !== undefined) return found.path;
    level = level.flatMap(({ path, value }) =>
      isObject(value) ? Object.entries(value).map(([key, value]) => ({ path: [...path, key], value })) : []
    );
  }
  return undefined;
}

/**
 * An example with a list of another length: its first items, followed by generated ones that have the properties of
 * the example's items. Without a schema, the example's items are repeated.
 *
 * @param path The keys that lead to the list.
 * @param generate Generates a body whose list has the wanted length, if the schema allows it; `undefined` without a
 * schema.
 * @returns The example itself, if the schema doesn't allow the length.
 */
export function resized(example: unknown, path: readonly string[], size: number, generate: () => unknown): unknown {
  const items = valueAt(example, path);
  if (!Array.isArray(items) || items.length === size) return example;
  const body = generate();
  const generated = valueAt(body, path);
  const others: readonly unknown[] = Array.isArray(generated) ? generated : [];
  if (body !== undefined && others.length !== size) return example;
  const more = Array.from({ length: Math.max(0, size - items.length) }, (_, index) => {
    const given: unknown = items.length === 0 ? undefined : items[index % items.length];
    return likeExample(given, others[items.length + index]);
  });
  const all = [...items.slice(0, size), ...more].filter((item) => item !== undefined);
  return withPart(example, path, all);
}

/** A generated item with the properties of an example's item; the example's item, if it has another type. */
function likeExample(given: unknown, generated: unknown): unknown {
  if (generated === undefined || given === undefined) return generated ?? given;
  if (!isObject(given) || !isObject(generated)) return typeof given === typeof generated ? generated : given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, Object.hasOwn(generated, name) ? generated[name] : value]),
  );
}
