/**
 * Names by which operations select items: comparisons, filters, searches of texts, selections of fields, and the paths
 * of searches and counts. All names are in lower case without separators, as `plainName` returns them.
 *
 * @module
 */
import { plainName, wordsOf } from "./words.ts";

/** How a filter compares a property with the wanted value. */
export type ComparisonName =
  /** Equal to one of the wanted values, as in `status=open,closed`. */
  | "eq"
  | "ne"
  | "gt"
  | "gte"
  | "lt"
  | "lte"
  | "contains"
  | "lacks"
  | "startsWith"
  | "endsWith"
  /** Matches a pattern in which `%` and `*` stand for any text; a text without them is contained. */
  | "like"
  /** An array that contains all wanted values. */
  | "all"
  | "null"
  | "notNull";

const COMPARISONS: Readonly<Record<ComparisonName, string>> = {
  eq: "eq equals equal is in any anyof isin oneof exact iexact",
  ne: "ne neq not nin notin notany notequal notequals isnot",
  gt: "gt after greaterthan",
  gte: "gte ge from since min greaterthanorequal greaterthanorequalto",
  lt: "lt before lessthan",
  lte: "lte le to until max lessthanorequal lessthanorequalto",
  contains: "contains icontains containing includes substring",
  lacks: "ncontains notcontains nicontains doesnotcontain",
  startsWith: "startswith startwith istartswith prefix beginswith beginwith",
  endsWith: "endswith endwith iendswith suffix",
  like: "like ilike pattern matches",
  all: "all allof containsall",
  null: "null isnull empty",
  notNull: "nnull notnull isnotnull nempty exists",
};

const BY_SUFFIX: ReadonlyMap<string, ComparisonName> = new Map(
  (Object.keys(COMPARISONS) as ComparisonName[])
    .flatMap((comparison) =>
      COMPARISONS[comparison].split(" ").map((name): [string, ComparisonName] => [name, comparison])
    ),
);

/** Comparisons by the first word of a parameter's name: `min_price`. */
const BY_PREFIX: ReadonlyMap<string, ComparisonName> = new Map([
  ["min", "gte"],
  ["max", "lte"],
  ["not", "ne"],
  ["exclude", "ne"],
]);

/** The comparison that the end of a name, or an operator, stands for: `gte` of `price[gte]`, `_eq`, `any_`, `$in`. */
export function comparisonOfSuffix(word: string): ComparisonName | undefined {
  return BY_SUFFIX.get(plainName(word));
}

/** The comparison that the first word of a name stands for. */
export function comparisonOfPrefix(word: string): ComparisonName | undefined {
  return BY_PREFIX.get(plainName(word));
}

/** Names of objects whose members filter: `filter[status]`, `where.status`, `{"filter": {"status": …}}`. */
const FILTER_OBJECTS: ReadonlySet<string> = new Set(
  "filter filters where query search criteria match conditions selector".split(" "),
);

export function isFilterObject(name: string): boolean {
  return FILTER_OBJECTS.has(plainName(name));
}

/** Names of parameters whose text is searched for in all texts of an item. */
const TEXT_SEARCHES: ReadonlySet<string> = new Set([
  ..."q query search searchterm searchtext searchquery searchstring searchkey searchphrase keyword keywords".split(" "),
  ..."fulltext fulltextsearch freetext freetextsearch term phrase".split(" "),
]);

export function isTextSearch(name: string): boolean {
  return TEXT_SEARCHES.has(plainName(name));
}

/** Names of parameters that list the fields which the response shows. */
const FIELD_SELECTIONS: ReadonlySet<string> = new Set(
  "fields select field selectfields includefields onlyfields returnfields attributes properties columns".split(" "),
);

export function isFieldSelection(name: string): boolean {
  return FIELD_SELECTIONS.has(plainName(name));
}

const SEARCHES: ReadonlySet<string> = new Set("all filter find list paginate query search".split(" "));
const COUNTS: ReadonlySet<string> = new Set(["count", "total"]);

/**
 * What the last literal of a path does with the collection before it: `/pets/search`, `/pets/findByStatus`,
 * `/pets/advanced-search`, `/pets/_count`.
 */
export function searchOf(literal: string): "list" | "count" | undefined {
  const words = wordsOf(literal.slice(0, 200));
  const ends = [words[0] ?? "", words.at(-1) ?? ""];
  if (ends.some((word) => COUNTS.has(word))) return "count";
  return ends.some((word) => SEARCHES.has(word)) ? "list" : undefined;
}

/** Words for the newest item of a collection: `/builds/latest`. */
export function isNewest(literal: string): boolean {
  return ["latest", "newest", "mostrecent"].includes(plainName(literal));
}

const CALLERS: ReadonlySet<string> = new Set("me my mine self user viewer account currentuser".split(" "));

/** Whether a literal of a path stands for the caller, whose items the rest of the path lists: `/user/repos`. */
export function isCaller(literal: string): boolean {
  return CALLERS.has(plainName(literal));
}
