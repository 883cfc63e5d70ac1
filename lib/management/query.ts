import type { HeaderList } from "../http/handler.ts";
import { decodeQueryText, splitQuery, splitTarget } from "../http/url.ts";
import { suggest } from "../http/message.ts";
import { errorResponse } from "./error_response.ts";
import { keyOf, type ObjectName } from "../gateway/resource.ts";

/** Returns the decoded value of a query parameter. If the parameter is repeated, the first value counts. */
export type Query = (name: string) => string | undefined;

export function readQuery(query: string): Query {
  if (query === "") return () => undefined;
  const parameters = splitQuery(query);
  return (name) => {
    const [written] = parameters.get(name) ?? [];
    return written === undefined ? undefined : decodeQueryText(written);
  };
}

/**
 * Refuses a query with an unknown parameter. Otherwise a list with a misspelt filter would have all items.
 *
 * @throws {ErrorResponse} With status 400.
 */
export function checkQuery(query: string, known: readonly string[]): void {
  if (query === "") return;
  const unknown = [...splitQuery(query).keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const [nearest] = suggest(unknown, known);
  const hint = nearest !== undefined
    ? `Did you mean ${nearest}?`
    : known.length > 0
    ? `It has ${known.join(", ")}.`
    : "It has none.";
  const shown = unknown.length > 100 ? `${unknown.slice(0, 100)}…` : unknown;
  throw errorResponse(400, `This operation has no query parameter ${JSON.stringify(shown)}. ${hint}`);
}

/** Reads a boolean query parameter. */
export function readFlag(query: Query, name: string): boolean {
  const written = query(name) ?? "false";
  if (written === "true" || written === "") return true;
  if (written === "false") return false;
  throw errorResponse(400, `${name} must be true or false, not ${JSON.stringify(written)}.`);
}

/** A page of a list, with the `Link` header to the next page if there is one. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly headers: HeaderList;
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
): ListPage<Item> {
  const limit = readLimit(query("limit"));
  const token = query("continue");
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

function readLimit(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const limit = /^\d{1,9}$/.test(written) ? Number(written) : 0;
  if (limit < 1 || limit > MOST_ITEMS) {
    throw errorResponse(400, `limit must be a number from 1 to ${MOST_ITEMS}, not ${JSON.stringify(written)}.`);
  }
  return limit;
}

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
