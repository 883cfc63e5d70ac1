import type { Kind } from "../gateway/resource.ts";
import { keyOf } from "./representation.ts";
import type { ListQuery, Page, Stored } from "./store.ts";
import { StoreError } from "../gateway/store_error.ts";

/**
 * Takes the page of a list that a query asks for.
 *
 * @param shelf All resources of the kind, by {@linkcode keyOf}.
 */
export function pageOf<K extends Kind>(shelf: ReadonlyMap<string, Stored<K>>, query: ListQuery = {}): Page<K> {
  const after = query.continue === undefined ? undefined : readToken(query.continue);
  const keys = [...shelf.keys()].sort().filter((key) => after === undefined || key > after);
  const items = keys.flatMap((key) => shelf.get(key) ?? [])
    .filter(({ namespace }) => query.namespace === undefined || namespace === query.namespace);
  const { limit = items.length } = query;
  const last = items[limit - 1];
  return items.length > limit && last !== undefined
    ? { items: items.slice(0, limit), continue: `${last.namespace}/${last.name}` }
    : { items };
}

function readToken(token: string): string {
  const [namespace, name, ...more] = token.split("/");
  if (namespace === undefined || name === undefined || more.length > 0) {
    throw new StoreError("bad-continue", `No list has given ${JSON.stringify(token)} to continue from.`);
  }
  return keyOf({ namespace, name });
}
