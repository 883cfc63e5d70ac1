/**
 * Reads filters that a request has as an object: `{"name": {"_eq": "x"}}`, `{"_or": [{…}, {…}]}`,
 * `{"operator": "and_", "tags": {"all_": ["a"]}}`.
 *
 * @module
 */
import { comparisonOfSuffix } from "../../../names/list_names.ts";
import { plainName } from "../../../names/words.ts";
import { isObject, type JsonObject } from "../../../schema/json/node.ts";
import type { Filter } from "./filters.ts";
import { createTest } from "./filter_value.ts";
import type { ItemProperties } from "../item/item_property.ts";
import { valueAt } from "../../../schema/json/pointer.ts";

/** Limits of the filters of one object, and of its nesting. */
const MOST_FILTERS = 100;
const MOST_LEVELS = 6;

/**
 * @param name The name of the parameter, for remarks.
 * @param remark Receives what the items have no property for.
 */
export function readFilterObject(
  wanted: JsonObject,
  properties: ItemProperties,
  name: string,
  remark: (sentence: string) => void,
): Filter[] {
  let left = MOST_FILTERS;
  const unknown: string[] = [];
  const filters = read(wanted, [], 0);
  if (unknown.length > 0) {
    const named = unknown.slice(0, 5).map((key) => `"${key.slice(0, 80)}"`).join(", ");
    remark(`The parameter "${name}" selects by ${named}, which gw finds in no item, so the list isn't filtered by it.`);
  }
  return filters;

  function read(object: JsonObject, tokens: readonly string[], level: number): Filter[] {
    const filters: Filter[] = [];
    let isAny = false;
    for (const [key, value] of Object.entries(object)) {
      if (value === null || value === undefined) continue;
      if (--left < 0 || level > MOST_LEVELS) {
        unknown.push(key);
        break;
      }
      const plain = plainName(key);
      if (plain === "operator" && typeof value === "string") isAny = plainName(value) === "or";
      else if (plain === "and" || plain === "or" || plain === "not" || plain === "nor") {
        filters.push(...combined(plain, value, tokens, level));
      } else filters.push(...readKey(key, value, tokens, level));
    }
    return isAny && filters.length > 1 ? [anyOf(filters.map((filter) => [filter]))] : filters;
  }

  function combined(
    operator: "and" | "or" | "not" | "nor",
    value: unknown,
    tokens: readonly string[],
    level: number,
  ): Filter[] {
    const groups = (Array.isArray(value) ? value : [value]).filter(isObject).map((part) =>
      read(part, tokens, level + 1)
    );
    if (operator === "and") return groups.flat();
    const any = anyOf(groups);
    if (operator === "or") return groups.length === 0 ? [] : [any];
    return [{ ...any, test: (item) => !any.test(item) }];
  }

  function readKey(key: string, value: unknown, tokens: readonly string[], level: number): Filter[] {
    if (tokens.length === 0 && isObject(value) && properties.isNoun(key)) return read(value, [], level + 1);
    const path = [...tokens, key];
    const property = properties.find(path) ?? (tokens.length === 0 ? properties.idFor(key) : undefined);
    const comparison = property === undefined && tokens.length > 0 ? comparisonOfSuffix(key) : undefined;
    if (comparison !== undefined) {
      const compared = properties.find(tokens) ?? properties.idFor(tokens.join("."));
      if (compared !== undefined) return [filterOf(compared.path, createTest(comparison, value))];
    }
    if (property === undefined) {
      unknown.push(path.join("."));
      return [];
    }
    return isObject(value) ? read(value, path, level + 1) : [filterOf(property.path, createTest("eq", value))];
  }
}

function filterOf(path: readonly string[], test: Filter["test"]): Filter {
  return { path, test, only: undefined, isId: false };
}

/** A filter that an item passes if it passes all filters of one group. */
function anyOf(groups: readonly (readonly Filter[])[]): Filter {
  return filterOf(
    [],
    (item) => groups.some((filters) => filters.every(({ path, test }) => test(valueAt(item, path)))),
  );
}
