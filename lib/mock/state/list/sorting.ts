import { plainName } from "../../../names/words.ts";
import { compare, compareTexts, timeOf } from "./filter_value.ts";
import type { ItemProperties } from "../item/item_property.ts";
import type { ListedItem } from "./listing.ts";
import { valueAt } from "../../../schema/json/pointer.ts";
import { keywordOf, listedValues, type ListParts, type QueryInput } from "./query_input.ts";

/** The query parameters of a list operation that sort. */
export interface SortInputs {
  /** The parameter with the properties to sort by: `sort=-name`, `order_by=name:desc`. */
  readonly by: QueryInput | undefined;
  /** The parameter with the direction: `order=desc`. */
  readonly direction: QueryInput | undefined;
  readonly properties: ItemProperties;
  /** Whether the list is newest first, if a request asks for no order. */
  readonly isNewestFirst: boolean;
}

/** The order of a list. With empty `keys`: creation order or, if `isReverse`, its reverse. */
export interface SortOrder {
  readonly keys: readonly SortKey[];
  readonly isReverse: boolean;
}

interface SortKey {
  readonly path: readonly string[];
  readonly isDescending: boolean;
}

const BY = new Set(
  "sort sortby orderby ordering sortfield orderfield sortkey sortcolumn sorton sortname sorting sortings".split(" "),
);
const DIRECTION = new Set("direction sortorder sortdirection sortdir dir orderdirection orderdir sorttype".split(" "));
/** Words for directions; true for descending. */
const DIRECTIONS: ReadonlyMap<string, boolean> = new Map(
  Object.entries({
    asc: false,
    ascending: false,
    ascend: false,
    desc: true,
    descending: true,
    descend: true,
    oldest: false,
    newest: true,
    latest: true,
  }),
);

/** Limits of the properties to sort by, and of the characters of each. */
const MOST_KEYS = 8;
const MOST_LENGTH = 200;

/** Matches descriptions of an operation that say that its list is newest first. */
const NEWEST_FIRST =
  /\bnewest first\b|\bnewest to (?:the )?oldest\b|\breverse chronological order\b|\bmost recent\b[^.]{0,60}\bfirst\b/i;
/** Limit of the characters of a description that are searched. */
const MOST_DESCRIPTION = 2_000;

/**
 * Finds the query parameters that sort. `order` can be either parameter: it is the direction if its values are
 * directions, or if another parameter names the properties.
 *
 * @param description The summary and description of the operation.
 */
export function findSortInputs(
  inputs: readonly QueryInput[],
  properties: ItemProperties,
  description: string,
): SortInputs {
  const isNewestFirst = NEWEST_FIRST.test(description.slice(0, MOST_DESCRIPTION));
  const named = (names: ReadonlySet<string>): QueryInput | undefined =>
    inputs.find(({ tokens, types }) =>
      names.has(plainName(tokens.join(""))) && !(types.size === 1 && (types.has("boolean") || types.has("object")))
    );
  const by = named(BY);
  const direction = named(DIRECTION);
  const order = named(new Set(["order"]));
  if (order === undefined) return { by, direction, properties, isNewestFirst };
  const isDirection = listsDirections(order) || by !== undefined;
  return isDirection
    ? { by, direction: direction ?? order, properties, isNewestFirst }
    : { by: by ?? order, direction, properties, isNewestFirst };
}

export function isSortInput({ by, direction }: SortInputs, input: QueryInput): boolean {
  return input === by || input === direction;
}

function listsDirections({ schemas }: QueryInput): boolean {
  const values = listedValues(schemas);
  return values !== undefined && values.every((value) => DIRECTIONS.has(String(value).toLowerCase()));
}

/** The order that a request asks for. Unknown properties are ignored and passed to `remark`. */
export function sortOrderOf(
  { by, direction, properties, isNewestFirst }: SortInputs,
  parts: ListParts,
  remark: (sentence: string) => void,
): SortOrder {
  const wanted = by && (by.read(parts) ?? keywordOf(by, "default")?.value);
  const directed = direction && (direction.read(parts) ?? keywordOf(direction, "default")?.value);
  const isReverse = DIRECTIONS.get(String(directed ?? "").toLowerCase()) ?? false;
  const keys: SortKey[] = [];
  let isTurned = directed === undefined ? isNewestFirst : isReverse;
  let isComplete = false;
  for (const term of termsOf(wanted).slice(0, MOST_KEYS)) {
    const alone = DIRECTIONS.get(term.toLowerCase());
    const last = keys.at(-1);
    if (alone !== undefined) {
      // `sort=name,desc` is a property followed by its direction. `sort=desc` is only a direction.
      if (last === undefined) isTurned = alone;
      else keys.splice(-1, 1, { ...last, isDescending: alone });
      continue;
    }
    // No two items are equal in the order of creation.
    if (isComplete) continue;
    const key = readTerm(term, properties, isReverse);
    if (key?.path === CREATION) {
      isComplete = true;
      isTurned = key.isDescending;
    } else if (key !== undefined) keys.push(key);
    else if (by?.read(parts) !== undefined) {
      remark(`The parameter "${by.name}" names no property of the items, so the list isn't sorted by it.`);
    }
  }
  return { keys, isReverse: keys.length === 0 && isTurned };
}

function termsOf(wanted: unknown): string[] {
  const texts = Array.isArray(wanted) ? wanted.slice(0, MOST_KEYS) : [wanted];
  return texts.flatMap((text) =>
    typeof text === "string" ? text.split(",", 2 * MOST_KEYS).map((term) => term.trim().slice(0, MOST_LENGTH)) : []
  ).filter((term) => term !== "");
}

/** Parses a property with its direction: `-name`, `name:desc`, `name desc`, `name.asc`, `desc(name)`, `name_desc`. */
function readTerm(term: string, properties: ItemProperties, isReverse: boolean): SortKey | undefined {
  const sign = term.startsWith("-") ? true : term.startsWith("+") ? false : undefined;
  const bare = sign === undefined ? term : term.slice(1);
  const whole = findKey(bare, properties);
  if (whole !== undefined) return { path: whole, isDescending: sign ?? isReverse };
  const [, before, called] = /^(asc|desc)\(([^()]+)\)$/i.exec(bare) ?? [];
  if (before !== undefined) return keyOf(called ?? "", before);
  const split = /[\s:._|-](?:asc|desc|ascending|descending)$/i.exec(bare);
  return split === null ? undefined : keyOf(bare.slice(0, split.index), split[0].slice(1));

  function keyOf(name: string, direction: string): SortKey | undefined {
    const path = findKey(name, properties);
    return path && { path, isDescending: DIRECTIONS.get(direction.toLowerCase()) ?? false };
  }
}

function findKey(name: string, properties: ItemProperties): readonly string[] | undefined {
  const tokens = name.split(/[./]/).filter((token) => token !== "");
  const property = properties.find(tokens) ?? properties.time(name);
  if (property !== undefined) return property.path;
  const id = properties.idFor(name)?.path;
  // Where items have no `id`, but a `key` or `name`, the server's `id` is the number of a row in its database.
  return id !== undefined && plainName(name) === "id" && !/id$/i.test(id.at(-1) ?? "") ? CREATION : id;
}

/** The path of a sort key for the order of creation. */
const CREATION: readonly string[] = [];

/** Sorts items, stably. Items without the property come last. */
export function sortItems<Item extends ListedItem>(items: Item[], { keys, isReverse }: SortOrder): Item[] {
  if (keys.length === 0) return isReverse ? items.reverse() : items;
  const valued = items.map((item, index) => ({
    item,
    index,
    values: keys.map(({ path }) => sortValueOf(valueAt(item.value, path))),
  }));
  const isDescending = keys[0]?.isDescending === true;
  valued.sort((a, b) => {
    for (const [index, key] of keys.entries()) {
      const difference = compareKeys(a.values[index], b.values[index], key.isDescending);
      if (difference !== 0) return difference;
    }
    return isDescending ? b.index - a.index : a.index - b.index;
  });
  return valued.map(({ item }) => item);
}

/** A value with its time, which is parsed once, and not in each comparison. */
interface SortValue {
  readonly value: unknown;
  readonly time: number | undefined;
}

function sortValueOf(value: unknown): SortValue {
  return { value, time: typeof value === "string" ? timeOf(value) : undefined };
}

function compareKeys(one: SortValue | undefined, other: SortValue | undefined, isDescending: boolean): number {
  const [a, b] = [one?.value, other?.value];
  const [noA, noB] = [a === undefined || a === null, b === undefined || b === null];
  if (noA || noB) return Number(noA) - Number(noB);
  const difference = compareValues(a, one?.time, b, other?.time);
  if (Number.isNaN(difference)) return rankOf(a) - rankOf(b);
  return isDescending ? -difference : difference;
}

function compareValues(a: unknown, timeOfA: number | undefined, b: unknown, timeOfB: number | undefined): number {
  if (typeof a !== "string" || typeof b !== "string") return compare(a, b);
  return timeOfA !== undefined && timeOfB !== undefined ? timeOfA - timeOfB : compareTexts(a, b);
}

/** The rank of a value's type. Values of different types are ordered by rank, since sorting needs a total order. */
function rankOf(value: unknown): number {
  return ["number", "string", "boolean", "object"].indexOf(typeof value);
}
