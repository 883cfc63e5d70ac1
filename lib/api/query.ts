import { suggest } from "../http/message.ts";
import { decodeQueryText, splitQuery } from "../http/url/url.ts";
import { errorResponse } from "./error_response.ts";

/** The decoded parameters of a query. Of a repeated parameter, the first value is kept. */
export type Query = ReadonlyMap<string, string>;

/** Limit of the parameters of a query. */
const MOST_PARAMETERS = 100;

const NO_QUERY: Query = new Map();

/** @throws {ErrorResponse} With 400, if there are too many parameters. */
export function readQuery(query: string): Query {
  if (query === "") return NO_QUERY;
  const parameters = splitQuery(query, MOST_PARAMETERS);
  if (parameters.order.length > MOST_PARAMETERS) {
    throw errorResponse(400, `A query has ${MOST_PARAMETERS} parameters at most.`);
  }
  return new Map(Array.from(parameters, ([name, [value = ""]]) => [name, decodeQueryText(value)]));
}

/**
 * Refuses a query with an unknown parameter. Otherwise a list with a misspelt filter would have all items.
 *
 * @param known The names of the operation's parameters. `query.` and `body.` allow all names with this prefix.
 * @throws {ErrorResponse} With 400.
 */
export function checkQuery(query: Query, known: readonly string[]): void {
  for (const name of query.keys()) {
    const isKnown = known.includes(name) ||
      known.some((prefix) => prefix.endsWith(".") && name.startsWith(prefix) && name.length > prefix.length);
    if (isKnown) continue;
    const [nearest] = suggest(name.slice(0, 100), known);
    const hint = nearest !== undefined
      ? `Did you mean ${nearest}?`
      : known.length > 0
      ? `It has ${known.join(", ")}.`
      : "It has none.";
    throw errorResponse(400, `This operation has no query parameter ${shown(name)}. ${hint}`);
  }
}

/** Reads a boolean parameter; `?dryRun` means `true`. Default: `false`. */
export function flagOf(query: Query, name: string): boolean {
  const written = query.get(name) ?? "false";
  if (written === "true" || written === "") return true;
  if (written === "false") return false;
  throw errorResponse(400, `${name} must be true or false, not ${shown(written)}.`);
}

/** Reads an integer parameter, which must be from `least` to `most`; `undefined` if it is missing. */
export function integerOf(query: Query, name: string, least: number, most: number): number | undefined {
  const written = query.get(name);
  if (written === undefined) return undefined;
  const value = /^\d{1,15}$/.test(written) ? Number(written) : NaN;
  if (value >= least && value <= most) return value;
  throw errorResponse(400, `${name} must be an integer from ${least} to ${most}, not ${shown(written)}.`);
}

function shown(written: string): string {
  return JSON.stringify(written.length > 100 ? `${written.slice(0, 100)}…` : written);
}
