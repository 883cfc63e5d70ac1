/**
 * Conditions in path keys. Some definitions have several operations with one path and method, and tell them apart by a
 * query or a fragment in the path key: `/agents/{id}?beta=true`, `/#X-Amz-Target=DynamoDB.ListTables`. The OpenAPI
 * Specification doesn't define such keys, but they are common.
 *
 * - A query `name=value` demands a query parameter with this value; a query `name` demands it with any value.
 * - A fragment `Header-Name=value` demands a header. A name without hyphen is a header only if the operation declares
 *   it so.
 * - Any other part of a fragment is a label, which demands nothing.
 *
 * @module
 */
import { isToken } from "../http/token.ts";
import { decodeQueryText, percentDecode } from "../http/url/url.ts";
import { writeJson } from "../schema/json/json.ts";

/** A query parameter or a header that a path key demands of requests. */
export interface Condition {
  /** Whether a query parameter or a header is demanded. */
  readonly in: "query" | "header";
  /** The name: of a query parameter, decoded; of a header, in lower case. */
  readonly name: string;
  /** The value, decoded; absent where any value is accepted. */
  readonly value?: string;
  /** The path parameter that takes the value of the query parameter: `id` in `?user={id}`. */
  readonly parameter?: string;
}

/** The conditions of one path key. */
export interface PathConditions {
  /** The query and fragment of the path key as written: `?beta=true`, `#X-Amz-Target=A`. */
  readonly written: string;
  /** The query parameters that a request must have. */
  readonly queries: readonly Condition[];
  /** The headers that a request must have, each with a value. */
  readonly headers: readonly Condition[];
  /** The label: parts of the query and fragment that demand nothing. Empty if there are none. */
  readonly label: string;
}

/** The parts of a request that conditions concern. A `Request` has them. */
export interface ConditionedRequest {
  /** The absolute URL, as the client wrote it. */
  readonly url: string;
  /**
   * The headers; `undefined` for a CORS preflight, which doesn't have those of the actual request. Conditions on
   * headers then count as fulfilled.
   */
  readonly headers: Pick<Headers, "get" | "keys"> | undefined;
}

/** Returns the location of the parameter that an operation declares with a name; `undefined` for other names. */
export type LocationOf = (name: string) => "query" | "header" | undefined;

/** Limit of the conditions of one path key. Further ones have no effect. */
export const MOST_CONDITIONS = 32;

/** Replaces the parameters of a path template by `{}`: templates with equal results match the same paths. */
export function shapeOfPath(path: string): string {
  return path.replace(/\{[^{}/]*\}/g, "{}");
}

/**
 * Splits a path key at its query or fragment. A `?` or `#` between braces belongs to the name of a path parameter.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(splitPathKey("/agents/{id}?beta=true"), { template: "/agents/{id}", written: "?beta=true" });
 * ```
 */
export function splitPathKey(key: string): { template: string; written: string } {
  const at = startOfConditions(key);
  return { template: key.slice(0, at), written: key.slice(at) };
}

/** The path template of a path key: the key without query and fragment. */
export function templateOf(key: string): string {
  return key.slice(0, startOfConditions(key));
}

function startOfConditions(key: string): number {
  if (!key.includes("?") && !key.includes("#")) return key.length;
  let isName = false;
  for (let at = 0; at < key.length; at++) {
    const character = key[at];
    if (character === "{") isName = true;
    else if (character === "}") isName = false;
    else if (!isName && (character === "?" || character === "#")) return at;
  }
  return key.length;
}

/**
 * Reads the conditions of a path key.
 *
 * @param locationOf Returns the location of a parameter that the operation declares. Default: it declares none.
 * @returns `undefined` for a key without query and fragment.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const conditions = readPathConditions("/?Action=Create+User#X-Version=2");
 * assert.deepEqual(conditions?.queries, [{ in: "query", name: "Action", value: "Create User" }]);
 * assert.deepEqual(conditions?.headers, [{ in: "header", name: "x-version", value: "2" }]);
 * ```
 */
export function readPathConditions(
  key: string,
  locationOf: LocationOf = () => undefined,
): PathConditions | undefined {
  const { written } = splitPathKey(key);
  if (written === "") return undefined;
  const hash = written.indexOf("#");
  const query = written.slice(0, hash === -1 ? written.length : hash).slice(1);
  const fragment = hash === -1 ? "" : written.slice(hash + 1);
  // A part `{name}` of the query only declares a parameter, as in RFC 6570, and demands nothing.
  const [labels, named] = splitBy(partsOf(query), (part) => part.startsWith("{"));
  const queries = named.map(readQuery);
  const headers: Condition[] = [];
  for (const part of fragment.split("&")) {
    const header = headers.length + queries.length < MOST_CONDITIONS ? readHeader(part, locationOf) : undefined;
    if (header !== undefined) headers.push(header);
    else if (part !== "") labels.push(part);
  }
  return { written, queries, headers, label: labels.join("&") };
}

function partsOf(query: string): string[] {
  return query.split("&", MOST_CONDITIONS).filter((part) => part !== "");
}

function splitBy(parts: readonly string[], test: (part: string) => boolean): [those: string[], others: string[]] {
  return [parts.filter(test), parts.filter((part) => !test(part))];
}

function readQuery(part: string): Condition {
  const equals = part.indexOf("=");
  const name = decodeQueryText(equals === -1 ? part : part.slice(0, equals));
  if (equals === -1) return { in: "query", name };
  const value = part.slice(equals + 1);
  const parameter = /^\{([^{}]+)\}$/.exec(value)?.[1];
  return parameter === undefined
    ? { in: "query", name, value: decodeQueryText(value) }
    : { in: "query", name, parameter };
}

function readHeader(part: string, locationOf: LocationOf): Condition | undefined {
  const equals = part.indexOf("=");
  if (equals === -1) return undefined;
  const name = part.slice(0, equals);
  const location = isToken(name) ? locationOf(name) ?? (name.includes("-") ? "header" : "query") : "query";
  if (location !== "header") return undefined;
  return { in: "header", name: name.toLowerCase(), value: percentDecode(part.slice(equals + 1)) };
}

/** All conditions of a path key. A request must fulfil each of them. */
export function demandsOf({ queries, headers }: PathConditions): Condition[] {
  return [...queries, ...headers];
}

/**
 * Compares two path keys for sorting: the key with more conditions is tried first.
 *
 * @returns Negative where `a` comes first; 0 where the order of the definition decides.
 */
export function compareConditions(a: PathConditions | undefined, b: PathConditions | undefined): number {
  return countOf(b) - countOf(a);
}

function countOf(conditions: PathConditions | undefined): number {
  return conditions === undefined ? 0 : conditions.queries.length + conditions.headers.length;
}

/** A canonical text of the conditions of a path key: equal for equal conditions, whatever their order. */
export function identityOf(conditions: PathConditions | undefined): string {
  if (conditions === undefined || countOf(conditions) === 0) return "";
  const texts = demandsOf(conditions).map(({ in: location, name, value }) =>
    writeJson(value === undefined ? [location, name] : [location, name, value])
  );
  return [...new Set(texts)].sort().join();
}

/** Names a condition in messages: ``the query `beta=true` ``, ``the header `X-Amz-Target: A` ``. */
export function showCondition({ in: location, name, value }: Condition): string {
  if (location === "query") return `the query \`${value === undefined ? name : `${name}=${value}`}\``;
  const header = name.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
  return `the header \`${value === undefined ? header : `${header}: ${value}`}\``;
}
