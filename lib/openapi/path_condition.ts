/**
 * Conditions in path keys. Definitions tell operations of one path apart by a query or a fragment behind the path:
 * `/agents/{id}?beta=true`, `/#X-Amz-Target=DynamoDB.ListTables`. The specification doesn't know such keys, but many
 * definitions have them.
 *
 * - A query `name=value` demands that value of the request, a query `name` any value.
 * - A fragment `Header-Name=value` demands a header. A name without hyphen is that of a header only if it is declared so.
 * - All other parts of a fragment only tell keys apart.
 *
 * @module
 */
import { isToken } from "../http/token.ts";
import { decodeQueryText, percentDecode } from "../http/url.ts";

/** A query or a header that a request must have. */
export interface Condition {
  /** Whether the request must have the name in its query or in its headers. */
  readonly in: "query" | "header";
  /** The name: of a query decoded, of a header in lower case. */
  readonly name: string;
  /** The value, decoded; absent where any value will do. */
  readonly value?: string;
  /** The path parameter that the value is for: `id` in `?user={id}`. */
  readonly parameter?: string;
}

/** The conditions of one path key. */
export interface PathConditions {
  /** Query and fragment as the key has them: `?beta=true`, `#X-Amz-Target=A`. */
  readonly written: string;
  /** The queries that a request must have. */
  readonly queries: readonly Condition[];
  /** The headers that a request must have, each with a value. */
  readonly headers: readonly Condition[];
  /** The parts of the fragment that demand nothing and only distinguish keys; empty for none. */
  readonly label: string;
}

/** The parts of a request that conditions are about. A `Request` has them. */
export interface ConditionedRequest {
  /** The URL, absolute, as the client wrote it. */
  readonly url: string;
  /** `undefined` where they aren't known, as for a preflight: then conditions on headers count as fulfilled. */
  readonly headers: Pick<Headers, "get" | "keys"> | undefined;
}

/** The location that parameters of a name are declared in; `undefined` for others. */
export type LocationOf = (name: string) => "query" | "header" | undefined;

/** The most conditions of one key; further ones are ignored. */
export const MOST_CONDITIONS = 32;

/**
 * Splits a path key at its query or fragment. A `?` or `#` between braces belongs to the name of a parameter.
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

/** The path template of a path key, without query and fragment. */
export function templateOf(key: string): string {
  return key.slice(0, startOfConditions(key));
}

function startOfConditions(key: string): number {
  // Most keys have neither.
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
 * @param locationOf Tells where the operation declares its parameters. Default: nothing is declared.
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
  // A query part that only names a parameter, as in `?{name}`, demands nothing.
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

/** The conditions of a path key in one list. A request must fulfil all of them. */
export function demandsOf({ queries, headers }: PathConditions): Condition[] {
  return [...queries, ...headers];
}

/**
 * Compares two path keys by their conditions, for sorting: the key that demands more is tried first.
 *
 * @returns Negative where `a` comes first, 0 where the order of the definition decides.
 */
export function compareConditions(a: PathConditions | undefined, b: PathConditions | undefined): number {
  return countOf(b) - countOf(a);
}

function countOf(conditions: PathConditions | undefined): number {
  return conditions === undefined ? 0 : conditions.queries.length + conditions.headers.length;
}

/** What conditions demand, as a text: keys that demand the same have the same text, in any order. */
export function identityOf(conditions: PathConditions | undefined): string {
  if (conditions === undefined || countOf(conditions) === 0) return "";
  const texts = demandsOf(conditions).map(({ in: location, name, value }) =>
    JSON.stringify(value === undefined ? [location, name] : [location, name, value])
  );
  return [...new Set(texts)].sort().join();
}

/** A condition for messages: ``the query `beta=true` ``, ``the header `X-Amz-Target: A` ``. */
export function showCondition({ in: location, name, value }: Condition): string {
  if (location === "query") return `the query \`${value === undefined ? name : `${name}=${value}`}\``;
  const header = name.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
  return `the header \`${value === undefined ? header : `${header}: ${value}`}\``;
}
