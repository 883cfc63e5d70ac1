import { withoutParameters } from "../../../http/url/url.ts";
import { writeJson } from "../../../schema/json/json.ts";
import { isObject } from "../../../schema/json/node.ts";
import { splitRequest } from "../../../wire/parameter_reader.ts";
import { criteriaOf, fieldsOf } from "./criteria.ts";
import { type Filter, filtersOf, odataFiltersOf } from "./filters.ts";
import { LIST_LOCATIONS, type ListPlan } from "./list_plan.ts";
import type { ItemSource, ListedItem, ListPage, ListRequest, RefusedList } from "./listing.ts";
import { PageValues } from "./page_values.ts";
import type { ListParts, QueryInput } from "./query_input.ts";
import { withoutPart, withPart } from "../../../schema/json/parts.ts";
import { valueAt } from "../../../schema/json/pointer.ts";
import { readRequestedPage, type RequestedPage, type Start } from "./requested_page.ts";
import { sortItems, type SortOrder, sortOrderOf } from "./sorting.ts";

/**
 * Lists the items that a request selects: filters and sorts them, and takes the page.
 *
 * Cost: without filters, sort order and cursor, the items up to the end of the page; with a filter by the id, or by a
 * property with an index, the items that this filter finds; otherwise all items, unless the filtered and sorted list is
 * cached.
 */
export function listItems<Item extends ListedItem>(
  plan: ListPlan,
  source: ItemSource<Item>,
  request: ListRequest,
): ListPage<Item> | RefusedList {
  const parts: ListParts = {
    ...splitRequest(request.headers, request.target, LIST_LOCATIONS),
    body: request.body,
  };
  const remarks: string[] = [];
  const remark = (sentence: string): void => void remarks.push(sentence);
  const filters = [...filtersOf(plan.filters, parts), ...criteriaOf(plan.criteria, parts, remark)];
  if (plan.odata !== undefined) filters.push(...odataFiltersOf(plan.odata, parts, remark));
  const order = sortOrderOf(plan.sort, parts, remark);
  const requested = readRequestedPage(plan, parts, request.size, remark);
  const { start } = requested;

  const found = isPlain(filters, order, start)
    ? takePlainPage(source, requested)
    : takePage(select(plan, source, filters, order, request), requested, plan.refusal, remark);
  if (found.kind === "refused") return found;
  const { items, offset, hasNext } = found;
  const total = found.total ?? (plan.countsAll ? countOf(source) : undefined);
  const described = new PageValues(plan, { items, offset, hasNext, total, limit: requested.limit, start }, request);
  const fields = fieldsOf(plan.criteria, parts);
  return { kind: "page", items, total, values: described.values(), headers: described.headers(), fields, remarks };
}

/** The items of a page, and the position of the page in the list. */
interface Taken<Item> {
  readonly kind: "taken";
  readonly items: readonly Item[];
  readonly offset: number;
  readonly hasNext: boolean;
  readonly total?: number;
}

/** Whether a page can be taken in creation order, without reading the items after it. */
function isPlain(filters: readonly Filter[], { keys, isReverse }: SortOrder, { kind }: Start): boolean {
  return filters.length === 0 && keys.length === 0 && !isReverse && kind !== "after" && kind !== "before";
}

function takePlainPage<Item extends ListedItem>(
  source: ItemSource<Item>,
  { limit, start }: RequestedPage,
): Taken<Item> {
  const offset = start.kind === "page" || start.kind === "offset" ? start.offset : 0;
  const items: Item[] = [];
  let index = 0;
  let hasNext = false;
  // A page beyond the end is empty, so no items need to be read.
  if (source.size === undefined || offset < source.size) {
    for (const item of source.all()) {
      if (index++ < offset) continue;
      if (items.length >= limit) {
        hasNext = true;
        break;
      }
      items.push(item);
    }
  }
  return { kind: "taken", items, offset, hasNext };
}

function takePage<Item extends ListedItem>(
  all: readonly Item[],
  { limit, start }: RequestedPage,
  refusal: number | undefined,
  remark: (sentence: string) => void,
): Taken<Item> | RefusedList {
  const place = placeOf(all, start, limit);
  if (place === undefined) {
    const detail = unknownCursor(start);
    if (refusal !== undefined) return { kind: "refused", status: refusal, ...detail };
    remark(`${detail.detail} The list begins with its first item.`);
  }
  const { from, to } = place ?? { from: 0, to: limit };
  const items = all.slice(from, to);
  return { kind: "taken", items, offset: from, hasNext: from + items.length < all.length, total: all.length };
}

/** The positions at which a page begins and ends; `undefined` if its cursor names no item. */
function placeOf(
  all: readonly ListedItem[],
  start: Start,
  limit: number,
): { readonly from: number; readonly to: number } | undefined {
  switch (start.kind) {
    case "first":
      return { from: 0, to: limit };
    case "page":
    case "offset":
      return { from: start.offset, to: start.offset + limit };
    case "after":
    case "before": {
      const index = indexOf(all, start);
      if (index === undefined) return undefined;
      return start.kind === "after"
        ? { from: index, to: index + limit }
        : { from: Math.max(0, index - limit), to: index };
    }
  }
}

/**
 * The position after a cursor's item for a page after it, or of the item for a page before it. A cursor that gw made
 * contains an offset, which is used if its item was deleted.
 */
function indexOf(all: readonly ListedItem[], { kind, cursor, isOwn }: Start & { kind: "after" | "before" }):
  | number
  | undefined {
  const index = cursor.key === "" ? -1 : all.findIndex(({ key }) => key === cursor.key);
  if (index >= 0) return kind === "after" ? index + 1 : index;
  return isOwn ? Math.min(cursor.offset, all.length) : undefined;
}

const MOST_SHOWN = 80;

function unknownCursor(start: Start): { parameter: string; detail: string } {
  if (start.kind !== "after" && start.kind !== "before") return { parameter: "", detail: "" };
  const { input: { name }, cursor: { key } } = start;
  const shown = key.length > MOST_SHOWN ? `${key.slice(0, MOST_SHOWN)}…` : key;
  return { parameter: name, detail: `The parameter "${name}" names no item of this list: "${shown}".` };
}

/** The items that pass all filters, in the order of the list. */
function select<Item extends ListedItem>(
  plan: ListPlan,
  source: ItemSource<Item>,
  filters: readonly Filter[],
  order: SortOrder,
  request: ListRequest,
): readonly Item[] {
  const found = findCandidates(source, filters);
  const sorted = (items: Iterable<Item>): Item[] => sortItems([...matching(items, filters)], order);
  // A search by id or index is cheaper than the cache.
  if (source.cached === undefined || found !== undefined && order.keys.length === 0) {
    return sorted(found ?? source.all());
  }
  return source.cached(keyOf(plan, request), () => sorted(found ?? source.all()));
}

/** A key that requests for all pages of a list share: path, query and body without the parameters of pages. */
function keyOf({ paging }: ListPlan, { target: { path, query }, body }: ListRequest): string {
  // An object in a query may have other members than those that select the page.
  const names = Object.values(paging).flatMap((input: QueryInput | undefined) =>
    input === undefined || input.types.has("object") ? [] : [input.name]
  );
  const searched = isObject(body) ? Object.entries(body).filter(([name]) => !names.includes(name)) : body;
  return `${path}?${withoutParameters(query, new Set(names))}${
    searched === undefined ? "" : ` ${writeJson(searched)}`
  }`;
}

function* matching<Item extends ListedItem>(items: Iterable<Item>, filters: readonly Filter[]): Generator<Item> {
  for (const item of items) {
    if (filters.every(({ path, test }) => test(valueAt(item.value, path)))) yield item;
  }
}

/**
 * Finds the items by the id or an index, if a filter allows a single id or value. They may fail other filters.
 *
 * @returns `undefined` if all items must be read.
 */
function findCandidates<Item extends ListedItem>(
  source: ItemSource<Item>,
  filters: readonly Filter[],
): Iterable<Item> | undefined {
  for (const { only, isId } of filters) {
    if (!isId || only === undefined || source.get === undefined) continue;
    const item = source.get(only);
    return item === undefined ? [] : [item];
  }
  for (const { only, path } of filters) {
    const found = only === undefined ? undefined : source.find?.(path, only);
    if (found !== undefined) return found;
  }
  return undefined;
}

function countOf<Item extends ListedItem>({ size, all }: ItemSource<Item>): number {
  if (size !== undefined) return size;
  let count = 0;
  for (const _ of all()) count++;
  return count;
}

/**
 * Puts a page of items into a response's body.
 *
 * @param body A valid body of the operation, such as a generated one. It isn't changed.
 * @param elements The page's items as elements of the list.
 */
export function fillEnvelope<Item extends ListedItem>(
  body: unknown,
  plan: ListPlan,
  page: Pick<ListPage<Item>, "values">,
  elements: readonly unknown[],
): unknown {
  let filled = withPart(body, plan.envelope, elements);
  for (const { path, value } of page.values) {
    filled = value === undefined ? withoutPart(filled, path) : withPart(filled, path, value);
  }
  return filled;
}
