import { essence, parseMediaType } from "../http/media_type.ts";
import { decodeQueryText, splitTarget } from "../http/url/url.ts";
import { type Condition, type ConditionedRequest, demandsOf, type PathConditions } from "./path_condition.ts";

/**
 * Up to this number of names, each name is looked up in the headers of a request. With more names it is faster to list
 * the headers and look each of them up among the names.
 */
const FEW_NAMES = 16;

/**
 * The query parameters and headers of one request, against which conditions are checked. Query parameters that no
 * condition names are dropped, so that a request with many of them takes little time.
 */
export class RequestFacts {
  readonly #request: ConditionedRequest;
  readonly #queries: Map<string, string[]>;
  /** A cache of header values, by name; `null` for a header that the request doesn't have. */
  #headers: Map<string, string | null> | undefined;
  /**
   * A cache of the body's media type with the ranges that include it: `text/xml`, `text/*` and the range of all types.
   * Empty without a body.
   */
  #mediaTypes: readonly string[] | undefined;
  /** The values of query parameters that occur many times in the request, as sets for faster look-up. */
  #sets: Map<string, ReadonlySet<string>> | undefined;

  /** @param names The names of query parameters in conditions. */
  constructor(request: ConditionedRequest, names: Pick<ReadonlySet<string>, "has" | "size">) {
    this.#request = request;
    this.#queries = readQueries(request.url, names);
  }

  get hasHeaders(): boolean {
    return this.#request.headers !== undefined;
  }

  /** The decoded values of the query parameters that conditions name, by name. */
  get queries(): ReadonlyMap<string, readonly string[]> {
    return this.#queries;
  }

  /** The headers of the request that have one of the names. */
  headersAmong(names: Pick<ReadonlyMap<string, unknown>, "has" | "keys" | "size">): [name: string, value: string][] {
    const { headers } = this.#request;
    if (headers === undefined) return [];
    const candidates = names.size <= FEW_NAMES ? names.keys() : [...headers.keys()].filter((name) => names.has(name));
    const found: [string, string][] = [];
    for (const name of candidates) {
      const value = headers.get(name);
      if (value !== null) found.push([name, value]);
    }
    return found;
  }

  /**
   * Whether the media type of the request's body matches one of a list, which may contain ranges such as `text/*`.
   * `undefined` without a body, or for an empty list.
   */
  hasMediaType(mediaTypes: readonly string[]): boolean | undefined {
    if (mediaTypes.length === 0) return undefined;
    const own = this.#mediaTypes ??= this.#readMediaTypes();
    return own.length === 0 ? undefined : own.some((one) => mediaTypes.includes(one));
  }

  #readMediaTypes(): readonly string[] {
    const written = this.#request.headers?.get("content-type");
    const mediaType = written ? parseMediaType(written) : undefined;
    return mediaType === undefined ? [] : [essence(mediaType), `${mediaType.type}/*`, "*/*"];
  }

  fulfils({ in: location, name, value }: Condition): boolean {
    if (location === "header") {
      const header = this.#headerOf(name);
      return header === undefined || (value === undefined ? header !== null : header === value);
    }
    const values = this.#queries.get(name);
    if (values === undefined || value === undefined) return values !== undefined;
    return values.length < 8 ? values.includes(value) : this.#setOf(name, values).has(value);
  }

  /** The value of a header; `null` where the request doesn't have it, `undefined` where the headers are unknown. */
  #headerOf(name: string): string | null | undefined {
    const headers = this.#headers ??= new Map();
    const known = headers.get(name);
    if (known !== undefined) return known;
    const value = this.#request.headers?.get(name);
    if (value !== undefined) headers.set(name, value);
    return value;
  }

  #setOf(name: string, values: readonly string[]): ReadonlySet<string> {
    const sets = this.#sets ??= new Map();
    const known = sets.get(name) ?? new Set(values);
    sets.set(name, known);
    return known;
  }
}

/** The conditions of a path key that a request doesn't fulfil. */
export function unfulfilled(conditions: PathConditions, request: ConditionedRequest): Condition[] {
  const facts = new RequestFacts(request, new Set(conditions.queries.map(({ name }) => name)));
  return demandsOf(conditions).filter((condition) => !facts.fulfils(condition));
}

export function areFulfilled(conditions: PathConditions, request: ConditionedRequest): boolean {
  return unfulfilled(conditions, request).length === 0;
}

/**
 * Reads the values of query parameters with the given names, in one pass over the query. Names and values are decoded.
 */
function readQueries(url: string, names: Pick<ReadonlySet<string>, "has" | "size">): Map<string, string[]> {
  const queries = new Map<string, string[]>();
  if (names.size === 0) return queries;
  const { query } = splitTarget(url);
  // The offset of the next `=`, which may belong to a later pair. Kept between pairs: searching the rest of the query
  // for each pair would take quadratic time.
  let equals = -1;
  for (let start = 0; start < query.length;) {
    const end = indexOrEnd(query, "&", start);
    if (equals < start) equals = indexOrEnd(query, "=", start);
    const name = decodeQueryText(query.slice(start, Math.min(equals, end)));
    if (end > start && names.has(name)) {
      const value = equals < end ? decodeQueryText(query.slice(equals + 1, end)) : "";
      const values = queries.get(name);
      if (values === undefined) queries.set(name, [value]);
      else values.push(value);
    }
    start = end + 1;
  }
  return queries;
}

function indexOrEnd(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from);
  return at === -1 ? text.length : at;
}
