/**
 * The parameters of lists that select by more than one property: objects of filters, searches of texts, and the choice
 * of the fields to show.
 *
 * @module
 */
import { comparisonOfSuffix, isFieldSelection, isFilterObject, isTextSearch } from "../../../names/list_names.ts";
import { wordsOf } from "../../../names/words.ts";
import { parseJson } from "../../../schema/json/json.ts";
import { isObject, type JsonObject } from "../../../schema/json/node.ts";
import { readFilterObject } from "./filter_object.ts";
import { createItemSearch, isAbsent } from "./filter_value.ts";
import type { Filter, FilterInput } from "./filters.ts";
import type { ItemProperties } from "../item/item_property.ts";
import type { ListParts, QueryInput } from "./query_input.ts";

/** The parameters of a list that select by more than one property. */
export interface CriteriaInputs {
  /** Parameters with an object of filters: `filter={"name":{"_eq":"x"}}`, `{"pets": {"name": {"any_": ["x"]}}}`. */
  readonly objects: readonly QueryInput[];
  /** The parameter whose text is searched for in all texts of the items. */
  readonly search: QueryInput | undefined;
  /** The parameter that lists the fields to show. */
  readonly fields: QueryInput | undefined;
  /** Parameters that select by their name, but not by a property that items have. */
  readonly others: readonly QueryInput[];
  readonly properties: ItemProperties;
}

/** Finds these parameters among those that are no filters of one property. */
export function findCriteria(
  inputs: readonly QueryInput[],
  filters: readonly FilterInput[],
  properties: ItemProperties,
): CriteriaInputs {
  const filtering = new Set(filters.map(({ input }) => input));
  const left = inputs.filter((input) => input.tokens.length === 1 && !filtering.has(input) && input.name !== "$filter");
  const nameOf = ({ tokens: [name = ""] }: QueryInput): string => name;
  const ofResource = properties.nounAmong(left.filter(({ isInBody }) => isInBody).map(nameOf));
  const objects = left.filter((input) =>
    input.isInBody
      ? nameOf(input) === ofResource || isFilterObject(nameOf(input))
      : isFilterObject(nameOf(input)) && !hasProperties(input)
  );
  const search = left.find((input) => isTextSearch(nameOf(input)) && mayBeText(input));
  const fields = left.find((input) =>
    isFieldSelection(nameOf(input)) && (mayBeText(input) || input.types.has("array"))
  );
  const others = left.filter((input) => {
    const words = wordsOf(nameOf(input));
    return input !== search && input !== fields && !objects.includes(input) && !hasProperties(input) &&
      (input.isInBody || isFilterObject(nameOf(input)) ||
        words.length > 1 && comparisonOfSuffix(words.at(-1) ?? "") !== undefined);
  });
  return { objects, search, fields, others, properties };
}

function hasProperties({ schemas }: QueryInput): boolean {
  return schemas.some(({ properties }) => (properties?.size ?? 0) > 0);
}

function mayBeText({ types }: QueryInput): boolean {
  return types.size === 0 || types.has("string");
}

/** The filters of a request by {@linkcode CriteriaInputs}. What can't be applied is passed to `remark`. */
export function criteriaOf(
  { objects, search, others, properties }: CriteriaInputs,
  parts: ListParts,
  remark: (sentence: string) => void,
): Filter[] {
  const filters: Filter[] = [];
  for (const input of objects) {
    const wanted = input.read(parts);
    const object = isObject(wanted) ? wanted : typeof wanted === "string" ? objectIn(wanted) : undefined;
    if (object !== undefined) filters.push(...readFilterObject(object, properties, input.name, remark));
    else if (input !== search && wanted !== undefined && wanted !== "") remark(unapplied(input));
  }
  const text = search?.read(parts);
  if (
    search !== undefined && typeof text === "string" && text !== "" && !(objects.includes(search) && objectIn(text))
  ) {
    // `q=author:ann` is a query of another language.
    if (/\w:\S/.test(text)) remark(unapplied(search));
    else filters.push({ path: [], test: createItemSearch(text), only: undefined, isId: false });
  }
  for (const input of others) if (!isAbsent(input.read(parts))) remark(unapplied(input));
  return filters;
}

function unapplied({ name }: QueryInput): string {
  return `The parameter "${name}" selects by nothing that gw finds in the items, so the list isn't filtered by it.`;
}

/** The JSON object in a text; `undefined` if it has none. */
function objectIn(text: string): JsonObject | undefined {
  if (!/^\s*\{/.test(text) || text.length > MOST_JSON) return undefined;
  const parsed = parseJson(text);
  return parsed.kind === "value" && isObject(parsed.value) ? parsed.value : undefined;
}

/** Limit of the length of JSON in a query. */
const MOST_JSON = 20_000;

/** Limit of the fields that a request selects. */
const MOST_FIELDS = 200;

/** The names of the fields that a request wants to see; `undefined` for all. */
export function fieldsOf({ fields }: CriteriaInputs, parts: ListParts): ReadonlySet<string> | undefined {
  const wanted = fields?.read(parts);
  const texts = (Array.isArray(wanted) ? wanted : [wanted]).flatMap((text) =>
    typeof text === "string" ? text.split(",", MOST_FIELDS) : []
  );
  const names = texts.map((text) => text.trim().split(/[.(]/, 1)[0] ?? "").filter((name) => name !== "");
  return names.length === 0 || names.some((name) => /[*-]/.test(name))
    ? undefined
    : new Set(names.slice(0, MOST_FIELDS));
}
