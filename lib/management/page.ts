import { integerOf, type Query } from "../api/query.ts";
import { errorResponse } from "../api/error_response.ts";
import type { HeaderList } from "../http/handler.ts";
import { splitTarget } from "../http/url/url.ts";
import { keyOf, type ObjectName } from "../gateway/resource.ts";

/** A page of a list, with the `Link` header to the next page if there is one. */
export interface ResourcePage<Item> {
  readonly items: readonly Item[];
  readonly headers: HeaderList;
}

/** Tells whether a query asks for a page of a list, and not for the whole list. */
export function isPaged(query: Query): boolean {
  return query.has("limit") || query.has("continue");
}

/**
 * Selects the page of a list that the query parameters `limit` and `continue` ask for.
 *
 * @param items All items, in the order of namespace and name.
 */
export function takePage<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => ObjectName,
  query: Query,
  url: string,
): ResourcePage<Item> {
  const limit = integerOf(query, "limit", 1, MOST_ITEMS);
  const token = query.get("continue");
  const after = token === undefined || token === "" ? undefined : keyOf(readToken(token));
  const rest = after === undefined ? items : items.filter((item) => keyOf(nameOf(item)) > after);
  const last = limit === undefined ? undefined : rest[limit - 1];
  if (limit === undefined || last === undefined || rest.length <= limit) return { items: rest, headers: [] };
  const { namespace, name } = nameOf(last);
  return { items: rest.slice(0, limit), headers: [["link", nextLink(url, `${namespace}/${name}`)]] };
}

const MOST_ITEMS = 1_000_000;

/** A `continue` token: namespace and name of the last item of the previous page. */
const TOKEN = /^([a-z0-9][-.a-z0-9]*)\/([a-z0-9][-.a-z0-9]*)$/;

function readToken(token: string): ObjectName {
  const [, namespace, name] = TOKEN.exec(token) ?? [];
  if (namespace === undefined || name === undefined) {
    throw errorResponse(400, `continue must be what the Link of a list says, not ${JSON.stringify(token)}.`);
  }
  return { namespace, name };
}

function nextLink(url: string, token: string): string {
  // Relative to the URL of the request, since a proxy in front may serve the API below a prefix.
  const parameters = new URLSearchParams(splitTarget(url).query);
  parameters.set("continue", token);
  return `<?${parameters}>; rel="next"`;
}
