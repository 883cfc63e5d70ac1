import type { Type } from "../../../schema/schema.ts";
import {
  type ComparisonName,
  comparisonOfPrefix,
  comparisonOfSuffix,
  isFilterObject,
} from "../../../names/list_names.ts";
import { singularOf, wordsOf } from "../../../names/words.ts";
import { createTest, isAbsent, type Test } from "./filter_value.ts";
import type { ItemProperties, ItemProperty } from "../item/item_property.ts";
import { readODataFilter } from "./odata_filter.ts";
import { keywordOf, listedValues, type ListParts, type QueryInput } from "./query_input.ts";

/** A query parameter that filters items by a property. */
export interface FilterInput {
  readonly input: QueryInput;
  readonly property: ItemProperty;
  readonly comparison: ComparisonName;
  readonly isId: boolean;
  /** The parameter's default, for requests without it; `undefined` if it has none. */
  readonly defaultValue: unknown;
}

/** A filter of one request: the property's path, and the test that its value must pass. */
export interface Filter {
  readonly path: readonly string[];
  readonly test: Test;
  /**
   * The only value that passes, as text, for a search by an index; `undefined` if several values pass or the property
   * isn't a scalar.
   */
  readonly only: string | undefined;
  readonly isId: boolean;
}

/**
 * Finds the query parameters of a list operation that filter: their name and type agree with a property of the items.
 */
export function findFilters(inputs: readonly QueryInput[], properties: ItemProperties): FilterInput[] {
  return inputs.flatMap((input) => {
    const found = findProperty(input, properties);
    if (found === undefined || !mayBeEqual(input, found)) return [];
    return [{ ...found, input, defaultValue: defaultOf(input, found.property) }];
  });
}

/** The default of a parameter; `undefined` if the default means no filter, such as `all` or `none`. */
function defaultOf(input: QueryInput, property: ItemProperty): unknown {
  const value = keywordOf(input, "default")?.value;
  return value === null || value === "none" || isEvery(value, property) ? undefined : value;
}

type Found = Pick<FilterInput, "property" | "comparison" | "isId">;

function findProperty(input: QueryInput, properties: ItemProperties): Found | undefined {
  const tokens = input.tokens.length > 1 && isFilterObject(input.tokens[0] ?? "")
    ? input.tokens.slice(1)
    : input.tokens;
  const named = findNamed(tokens, properties);
  if (named !== undefined) return { ...named, comparison: boundOf(tokens, named.property) };

  const last = tokens.at(-1) ?? "";
  if (tokens.length > 1) {
    const comparison = comparisonOfSuffix(last);
    const base = comparison && findNamed(tokens.slice(0, -1), properties);
    return base && { ...base, comparison: comparison ?? "eq" };
  }
  const words = wordsOf(last);
  return [2, 1].map((size) =>
    findCompared(words.slice(0, -size), comparisonOfSuffix(words.slice(-size).join("")), properties)
  ).find((found) => found !== undefined) ??
    findCompared(words.slice(1), comparisonOfPrefix(words[0] ?? ""), properties);
}

/**
 * The comparison of a parameter named as a property: `gte` for a `startDate`, `lte` for an `endDate`, which together
 * select a period; else `eq`.
 */
function boundOf(tokens: readonly string[], { format }: ItemProperty): ComparisonName {
  if (!/^date/.test(format ?? "")) return "eq";
  const [first] = wordsOf(tokens.at(-1) ?? "");
  return first === "start" ? "gte" : first === "end" ? "lte" : "eq";
}

function findNamed(tokens: readonly string[], properties: ItemProperties): Omit<Found, "comparison"> | undefined {
  const last = tokens.at(-1) ?? "";
  const direct = properties.find(tokens);
  if (direct !== undefined) return { property: direct, isId: tokens.length === 1 && properties.isId(direct) };
  const one = singularOf(last.toLowerCase());
  if (tokens.length === 1) {
    const id = properties.idFor(last) ?? properties.idFor(one);
    if (id !== undefined) return { property: id, isId: true };
  }
  const singular = one === last.toLowerCase() ? undefined : properties.find([...tokens.slice(0, -1), one]);
  return singular && { property: singular, isId: tokens.length === 1 && properties.isId(singular) };
}

/** Finds the property of a name with a word for a comparison (`created_after`), if it can be compared so. */
function findCompared(
  words: readonly string[],
  comparison: ComparisonName | undefined,
  properties: ItemProperties,
): Found | undefined {
  if (comparison === undefined || words.length === 0) return undefined;
  const base = words.join("_");
  const property = properties.find([base]) ?? properties.time(base);
  return property !== undefined && isComparable(property, comparison)
    ? { property, comparison, isId: false }
    : undefined;
}

/** An ordering (`gt`, `lte`, …) needs a number or a time, a search in a text a text, and `all` an array. */
function isComparable({ types, format, isArray }: ItemProperty, comparison: ComparisonName): boolean {
  switch (comparison) {
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return types.has("integer") || types.has("number") || /^date/.test(format ?? "");
    case "all":
      return isArray;
    case "contains":
    case "lacks":
    case "startsWith":
    case "endsWith":
    case "like":
      return types.size === 0 || types.has("string");
    default:
      return true;
  }
}

/**
 * Whether a value of the parameter can equal a value of the property, by their types. If not, the same name has
 * different meanings, and the parameter is no filter.
 */
function mayBeEqual(input: QueryInput, { property, comparison }: Found): boolean {
  // An object parameter with declared properties is no filter itself: each property (`price[gte]`) is an input.
  const names = input.schemas.flatMap(({ properties }) => [...properties?.keys() ?? []]);
  if (names.length > 0 && !input.types.has("string") && !input.types.has("integer")) return false;
  if (comparison === "null" || comparison === "notNull") return true;
  const types = scalarsOf(input);
  const { types: own, values } = property;
  if (types.size === 0 || own.size === 0) return true;
  if (own.has("object")) return !types.has("boolean") || types.size > 1;
  if (types.has("boolean") && types.size === 1 && !own.has("boolean")) return false;
  if (own.has("boolean") && own.size === 1 && !types.has("boolean") && !types.has("string")) return false;
  if (comparison !== "eq" || values === undefined) return true;
  const wanted = listedValues(input.schemas);
  return wanted === undefined || wanted.some((value) => values.some((other) => String(other) === String(value)));
}

/** The types of a parameter's values or, for arrays, of their elements. */
function scalarsOf({ types, schemas }: QueryInput): ReadonlySet<Type> {
  if (!types.has("array") || types.size > 1) return new Set([...types].filter((type) => type !== "object"));
  return new Set(schemas.flatMap(({ items }) => items?.types ?? []));
}

/** Values that turn a filter off: `state=all`. */
const EVERY: ReadonlySet<unknown> = new Set(["all", "any", "*", ""]);

/** The filters of a request: one for each filtering parameter that the request has or that has a default. */
export function filtersOf(inputs: readonly FilterInput[], parts: ListParts): Filter[] {
  const filters: Filter[] = [];
  for (const { input, property, comparison, defaultValue, isId } of inputs) {
    const wanted = input.read(parts) ?? defaultValue;
    if (wanted === undefined || isEvery(wanted, property)) continue;
    const value = withoutComparisons(wanted);
    if (value === undefined) continue;
    filters.push({
      path: property.path,
      test: createTest(comparison, value),
      only: onlyOf(property, comparison, value),
      isId,
    });
  }
  return filters;
}

/** The parameter `$filter` of OData, with the properties that it can name. */
export interface ODataInput {
  readonly input: QueryInput;
  readonly properties: ItemProperties;
}

export function findODataInput(inputs: readonly QueryInput[], properties: ItemProperties): ODataInput | undefined {
  const input = inputs.find(({ name }) => name === "$filter");
  return input && { input, properties };
}

/** The filters of the request's `$filter`. An unsupported `$filter` is ignored and passed to `remark`. */
export function odataFiltersOf(
  { input, properties }: ODataInput,
  parts: ListParts,
  remark: (sentence: string) => void,
): Filter[] {
  const text = input.read(parts);
  if (typeof text !== "string" || text === "") return [];
  const filters = readODataFilter(text)?.map(({ tokens, comparison, value }): Filter | undefined => {
    const property = properties.find(tokens);
    return property && {
      path: property.path,
      test: comparison === "eq" && value === null ? isAbsent : createTest(comparison, value),
      only: onlyOf(property, comparison, value),
      isId: properties.isId(property),
    };
  });
  if (filters?.every((filter) => filter !== undefined)) return filters;
  remark(
    `The parameter "$filter" is more than comparisons of the items' properties, so the list isn't filtered by it.`,
  );
  return [];
}

function isEvery(wanted: unknown, { values }: ItemProperty): boolean {
  const [only = wanted, ...more] = Array.isArray(wanted) ? wanted : [wanted];
  if (more.length > 0) return false;
  return (EVERY.has(only) || Array.isArray(wanted) && wanted.length === 0) && values?.includes(only) !== true;
}

/**
 * Removes the comparisons (`gte`, `after`, …) from an object in a query, since each of them is a filter of its own.
 * `undefined` if nothing remains.
 */
function withoutComparisons(wanted: unknown): unknown {
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted)) return wanted;
  const rest = Object.entries(wanted).filter(([key]) => comparisonOfSuffix(key) === undefined);
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

function onlyOf({ types, isArray }: ItemProperty, comparison: ComparisonName, value: unknown): string | undefined {
  if (isArray || types.size === 0 || types.has("object") || types.has("array")) return undefined;
  const [only, ...more] = Array.isArray(value) ? value : [value];
  if (comparison !== "eq" || more.length > 0 || typeof only === "object" || only === undefined) return undefined;
  const text = String(only);
  // Items without the property pass for `none` and `false`, and a comma separates several values. A search by an index
  // would miss these items.
  return text.includes(",") || ["none", "null", "false"].includes(text) ? undefined : text;
}
