import { splitCookies } from "../http/cookie.ts";
import { splitQuery } from "../http/url.ts";
import type { ParameterLocation } from "../openapi/parameter.ts";

/** Where in a URL an operation was found. */
export interface RequestTarget {
  /** Values of the path's parameters, percent-decoded, by name. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The request's path, with its percent-encoding. */
  readonly path: string;
  /** The request's query, with its percent-encoding, without `?`. */
  readonly query: string;
}

/** Values as written by name, as `splitQuery` and `splitCookies` give them. */
export type Written = ReadonlyMap<string, readonly string[]>;

/** The parts of a request that parameters are read from, split but not decoded. */
export interface RequestParts {
  readonly target: RequestTarget;
  readonly headers: Pick<Headers, "get">;
  readonly query: Written;
  readonly cookies: Written;
}

const NOTHING: Written = new Map();

/** Splits a request as far as what stands in these locations needs it. */
export function splitRequest(
  headers: Pick<Headers, "get">,
  target: RequestTarget,
  locations: ReadonlySet<ParameterLocation>,
): RequestParts {
  return {
    target,
    headers,
    query: locations.has("query") && target.query !== "" ? splitQuery(target.query) : NOTHING,
    cookies: locations.has("cookie") ? splitCookies(headers.get("cookie") ?? "") : NOTHING,
  };
}
