import { suggest } from "../../http/message.ts";
import { decodeQueryText, splitQuery } from "../../http/url.ts";
import { ControlError } from "./control_error.ts";
import { writeJson } from "../../schema/json.ts";

/** The decoded parameters of a query. Of a repeated parameter, the first value is kept. */
export type Query = ReadonlyMap<string, string>;

/** Limit of the parameters of a query. */
const MOST_PARAMETERS = 100;

export function readQuery(query: string): Query {
  if (query === "") return new Map();
  const parameters = splitQuery(query, MOST_PARAMETERS);
  if (parameters.order.length > MOST_PARAMETERS) {
    throw new ControlError(400, `A query has ${MOST_PARAMETERS} parameters at most.`);
  }
  return new Map(Array.from(parameters, ([name, [value = ""]]) => [name, decodeQueryText(value)]));
}

/**
 * Refuses a query with an unknown parameter. Otherwise a misspelt filter would show all requests.
 *
 * @param known The names of the operation's parameters. `query.` and `body.` allow all names with this prefix.
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
    throw new ControlError(400, `This operation has no query parameter ${writeJson(name.slice(0, 100))}. ${hint}`);
  }
}

/** Reads an integer parameter, which must be from `least` to `most`. */
export function integerOf(query: Query, name: string, least: number, most: number): number | undefined {
  const written = query.get(name);
  if (written === undefined) return undefined;
  const value = /^\d{1,15}$/.test(written) ? Number(written) : NaN;
  if (value >= least && value <= most) return value;
  throw new ControlError(
    400,
    `${name} must be an integer from ${least} to ${most}, not ${writeJson(written.slice(0, 40))}.`,
  );
}

const DEFAULT_LIMIT = 100;
const MOST_LIMIT = 1000;

export function limitOf(query: Query): number {
  return integerOf(query, "limit", 1, MOST_LIMIT) ?? DEFAULT_LIMIT;
}
